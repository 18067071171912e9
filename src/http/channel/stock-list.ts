// Sends the ready-made stock list: as it is, compressed where the client asks, or not at all when nothing changed.
import { constants, crc32, deflateRaw } from 'node:zlib';
import { promisify } from 'node:util';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { StockList } from '../../engine/stock-board.ts';

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

const deflate = promisify(deflateRaw);
const LEVEL = 3;

/** Compressed pages, kept as long as the page itself lives: only what changed is compressed again. */
const compressed = new WeakMap<Buffer, Promise<Buffer>>();

function compress(buffer: Buffer): Promise<Buffer> {
  let result = compressed.get(buffer);
  if (!result) {
    // A full flush ends on a byte and looks back at nothing, so that such pieces can be joined.
    result = deflate(buffer, { level: LEVEL, finishFlush: constants.Z_FULL_FLUSH });
    compressed.set(buffer, result);
  }
  return result;
}

const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
const LAST_BLOCK = Buffer.from([3, 0]);

/** One gzip stream out of independently compressed pieces. */
async function gzipped(buffers: readonly Buffer[]): Promise<Buffer[]> {
  const pieces = await Promise.all(buffers.map(compress));
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(
    buffers.reduce((crc, buffer) => crc32(buffer, crc), 0),
    0,
  );
  trailer.writeUInt32LE(buffers.reduce((sum, buffer) => sum + buffer.length, 0) % 2 ** 32, 4);
  return [GZIP_HEADER, ...pieces, LAST_BLOCK, trailer];
}
