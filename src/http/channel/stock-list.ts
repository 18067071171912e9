// Sends the ready-made stock list: as it is, compressed where the client asks, or not at all when nothing changed.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { StockList } from '../../engine/stock-board.ts';
import { gzipped } from './gzip.ts';

const OPEN = Buffer.from('{"data":[');
const CLOSE = Buffer.from(']}');

export async function sendStockList(
  request: FastifyRequest,
  reply: FastifyReply,
  list: StockList,
): Promise<FastifyReply> {
  reply.header('etag', list.etag);
  reply.header('cache-control', 'no-cache');
  reply.header('vary', 'accept-encoding');
  if (knows(request.headers['if-none-match'], list.etag)) return reply.code(304).send();
  return sendJson(request, reply, [OPEN, ...list.pages, CLOSE]);
}

/** JSON in pieces, compressed where the client asks. */
export async function sendJson(
  request: FastifyRequest,
  reply: FastifyReply,
  plain: readonly Buffer[],
): Promise<FastifyReply> {
  reply.header('content-type', 'application/json; charset=utf-8');
  const takesGzip = acceptsGzip(request.headers['accept-encoding']);
  if (takesGzip) reply.header('content-encoding', 'gzip');
  return writeAll(reply, takesGzip ? await gzipped(plain) : plain);
}

/** Hundreds of buffers in one vectored write: nothing is copied or joined. */
function writeAll(reply: FastifyReply, buffers: readonly Buffer[]): FastifyReply {
  const length = buffers.reduce((sum, buffer) => sum + buffer.length, 0);
  reply.header('content-length', length);
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, reply.getHeaders() as Record<string, string>);
  raw.cork();
  for (const buffer of buffers) {
    // Each write to a client that has gone makes an error of its own.
    if (raw.destroyed) return reply;
    raw.write(buffer);
  }
  raw.end();
  return reply;
}

/** Weak comparison, as RFC 9110 asks of If-None-Match. */
function knows(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const opaque = etag.replace(/^W\//, '');
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === opaque);
}

function acceptsGzip(header: string | undefined): boolean {
  return (header ?? '').split(',').some((part) => {
    const [name, ...parameters] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/);
    return name === 'gzip' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
