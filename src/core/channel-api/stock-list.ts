// Sends the serialized stock list: plain, compressed, or 304 if it has not changed.
import type { OutgoingHttpHeaders } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Overloaded } from '../../platform/queues/coalescer.ts';
import type { StockList } from '../inventory/stock-list-cache.ts';
import { acceptsGzip } from '../../platform/http/accepts-gzip.ts';
import { goneSignal, whenOver } from '../../platform/http/response-end.ts';
import type { ChannelApi } from './channel-api.ts';
import { channelOf } from './auth.ts';
import { compressAll, gzipped } from './gzip.ts';

const OPEN = Buffer.from('{"data":[');
const CLOSE = Buffer.from(']}');
export const REVALIDATE_HEADERS = { 'cache-control': 'private, no-cache', vary: 'accept-encoding' };

export async function sendStockList(
  services: ChannelApi,
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
  const retained = { pieces: [OPEN, ...list.pages, CLOSE], release: list.release };
  return sendJson(services, request, reply, retained, headers);
}

/** JSON, and the function that releases it after the response. */
export interface RetainedJson {
  pieces: readonly Buffer[];
  release: () => void;
}

/** Compressed if the client accepts it. */
export async function sendJson(
  services: ChannelApi,
  request: FastifyRequest,
  reply: FastifyReply,
  plain: RetainedJson,
  headers: Record<string, string> = {},
): Promise<FastifyReply> {
  const takesGzip = acceptsGzip(request.headers['accept-encoding']);
  const inTurn = turnsFor(services, request, reply, plain);
  const retained = takesGzip ? await compressedOf(plain, inTurn) : plain;
  retain(services, request, reply, retained);
  return inTurn(async () => {
    reply.headers({ ...headers, ...REVALIDATE_HEADERS, 'content-type': 'application/json; charset=utf-8' });
    if (takesGzip) reply.header('content-encoding', 'gzip');
    return writeAll(reply, retained.pieces);
  });
}

/** Responses up to this size do not wait for a turn: hundreds of them take as long as one large list. */
const IMMEDIATE_BYTES_MAX = 64 * 1024;

type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Writing a list of 10,000 SKUs takes about a millisecond of the event loop, and so does its checksum. One is done in
 * each turn of the event loop, and channels take turns: 300 lists of one channel at once delayed other channels by a second.
 */
function turnsFor(
  { turns }: ChannelApi,
  request: FastifyRequest,
  reply: FastifyReply,
  { pieces }: RetainedJson,
): InTurn {
  if (bytesOf(pieces) <= IMMEDIATE_BYTES_MAX) return (work) => work();
  const { id } = channelOf(request);
  const gone = goneSignal(request.raw, reply.raw);
  return async (work) => {
    const end = await turns.lists.take(id, gone);
    try {
      return await work();
    } finally {
      void nextTurn().then(end);
    }
  };
}

async function compressedOf({ pieces, release }: RetainedJson, inTurn: InTurn): Promise<RetainedJson> {
  try {
    await compressAll(pieces);
    return { pieces: await inTurn(() => gzipped(pieces)), release: () => {} };
  } finally {
    release();
  }
}

const bytesOf = (pieces: readonly Buffer[]): number => pieces.reduce((sum, { length }) => sum + length, 0);

function retain(
  { budgets, config }: ChannelApi,
  request: FastifyRequest,
  reply: FastifyReply,
  { pieces, release }: RetainedJson,
): void {
  const { raw } = request;
  const owner = `channel:${channelOf(request).id}`;
  if (!budgets.unsent_lists.take(owner, pieces)) {
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
  reply.header('content-length', bytesOf(buffers));
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
