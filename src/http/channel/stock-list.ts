// Sends the ready-made stock list: as it is, compressed where the client asks, or not at all when nothing changed.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Overloaded } from '../../engine/coalescer.ts';
import type { StockList } from '../../engine/stock-list-cache.ts';
import { whenOver } from '../transport/response-end.ts';
import type { Services } from '../services.ts';
import { channelOf } from './auth.ts';
import { gzipped } from './gzip.ts';

const OPEN = Buffer.from('{"data":[');
const CLOSE = Buffer.from(']}');
export const ALWAYS_ASK = { 'cache-control': 'private, no-cache', vary: 'accept-encoding' };

export async function sendStockList(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  list: StockList,
): Promise<FastifyReply> {
  const headers = { etag: list.etag };
  if (knows(request.headers['if-none-match'], list.etag)) {
    list.release();
    return reply
      .headers({ ...headers, ...ALWAYS_ASK })
      .code(304)
      .send();
  }
  const held = { pieces: [OPEN, ...list.pages, CLOSE], release: list.release };
  return sendJson(services, request, reply, held, headers);
}

/** JSON, and what to do when nothing is read from it any more. */
export interface HeldJson {
  pieces: readonly Buffer[];
  release: () => void;
}

/** Compressed where the client asks. */
export async function sendJson(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  plain: HeldJson,
  headers: Record<string, string> = {},
): Promise<FastifyReply> {
  const takesGzip = acceptsGzip(request.headers['accept-encoding']);
  const held = takesGzip ? await compressedOf(plain) : plain;
  hold(services, request, reply, held);
  reply.headers({ ...headers, ...ALWAYS_ASK, 'content-type': 'application/json; charset=utf-8' });
  if (takesGzip) reply.header('content-encoding', 'gzip');
  return writeAll(reply, held.pieces);
}

async function compressedOf({ pieces, release }: HeldJson): Promise<HeldJson> {
  try {
    return { pieces: await gzipped(pieces), release: () => {} };
  } finally {
    release();
  }
}

function hold(
  { budgets, config }: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  { pieces, release }: HeldJson,
): void {
  const { raw } = request;
  const holder = `channel:${channelOf(request).id}`;
  if (!budgets.unsent_lists.take(holder, pieces)) {
    release();
    throw new Overloaded();
  }
  whenOver(raw, reply.raw, () => {
    budgets.unsent_lists.release(pieces);
    release();
  });
  // Starts anew whenever the reader takes something; the next request gets the usual time again.
  raw.socket.setTimeout(config.timeouts.send_ms);
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
