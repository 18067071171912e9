// Sends the serialized stock list: plain, compressed, or 304 if it has not changed.
import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Overloaded } from '../../engine/coalescer.ts';
import type { StockList } from '../../engine/stock-list-cache.ts';
import { acceptsGzip } from '../transport/accepts-gzip.ts';
import { whenOver } from '../transport/response-end.ts';
import type { Services } from '../services.ts';
import { channelOf } from './auth.ts';
import { gzipped } from './gzip.ts';

const OPEN = Buffer.from('{"data":[');
const CLOSE = Buffer.from(']}');
export const REVALIDATE_HEADERS = { 'cache-control': 'private, no-cache', vary: 'accept-encoding' };

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
      .headers({ ...headers, ...REVALIDATE_HEADERS })
      .code(304)
      .send();
  }
  const held = { pieces: [OPEN, ...list.pages, CLOSE], release: list.release };
  return sendJson(services, request, reply, held, headers);
}

/** JSON, and the function that releases it after the response. */
export interface HeldJson {
  pieces: readonly Buffer[];
  release: () => void;
}

/** Compressed if the client accepts it. */
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
  reply.headers({ ...headers, ...REVALIDATE_HEADERS, 'content-type': 'application/json; charset=utf-8' });
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
  // The timeout restarts whenever the client reads; the next request gets the usual one.
  raw.socket.setTimeout(config.timeouts.send_ms);
}

/** One vectored write of hundreds of buffers: nothing is copied. */
function writeAll(reply: FastifyReply, buffers: readonly Buffer[]): FastifyReply {
  const length = buffers.reduce((sum, buffer) => sum + buffer.length, 0);
  reply.header('content-length', length);
  reply.hijack();
  const { raw } = reply;
  // oxlint-disable-next-line typescript/consistent-type-assertions -- Fastify's type allows numbers where Node's does not; ours are strings.
  raw.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders);
  raw.cork();
  for (const buffer of buffers) {
    // Every write to a closed connection raises its own error.
    if (raw.destroyed) return reply;
    raw.write(buffer);
  }
  raw.end();
  return reply;
}

/** Weak comparison, as RFC 9110 requires for If-None-Match. */
function knows(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const opaque = etag.replace(/^W\//, '');
  return header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === opaque);
}
