// Sends the ready-made stock list: as it is, compressed where the client asks, or not at all when nothing changed.
import { constants, crc32, deflateRaw } from 'node:zlib';
import { promisify } from 'node:util';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Overloaded } from '../../engine/coalescer.ts';
import type { StockList } from '../../engine/stock-board.ts';
import { whenOver } from '../endings.ts';
import type { Services } from '../services.ts';

const OPEN = Buffer.from('{"data":[');
const CLOSE = Buffer.from(']}');

export async function sendStockList(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  list: StockList,
): Promise<FastifyReply> {
  const headers = { etag: list.etag, 'cache-control': 'no-cache', vary: 'accept-encoding' };
  if (knows(request.headers['if-none-match'], list.etag)) return reply.headers(headers).code(304).send();
  const plain = [OPEN, ...list.pages, CLOSE];
  const takesGzip = acceptsGzip(request.headers['accept-encoding']);
  const buffers = takesGzip ? await gzipped(plain) : plain;
  const length = buffers.reduce((sum, buffer) => sum + buffer.length, 0);
  hold(services, request, reply, length);
  reply.headers({ ...headers, 'content-type': 'application/json; charset=utf-8', 'content-length': length });
  if (takesGzip) reply.header('content-encoding', 'gzip');
  return writeAll(reply, buffers);
}

/**
 * Readers of one version share its pages, but a busy catalogue has a new version every moment, and each lives until its
 * slowest reader has it: 500 readers of 5 MB that did not read were 2.5 GB.
 */
function hold(
  { budgets, config }: Services,
  { raw }: FastifyRequest,
  reply: FastifyReply,
  length: number,
): void {
  if (!budgets.unsent_lists.take(length)) throw new Overloaded();
  whenOver(raw, reply.raw, () => budgets.unsent_lists.release(length));
  // Starts anew whenever the reader takes something; the next request gets the usual time again.
  raw.socket.setTimeout(config.timeouts.send_ms);
}

/** Hundreds of buffers in one vectored write: nothing is copied or joined. */
function writeAll(reply: FastifyReply, buffers: readonly Buffer[]): FastifyReply {
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
