// Limits the memory of large bodies. The gate's queue is limited by count, but a thousand bodies of 1 MiB are a
// gigabyte, and a body is held from its first byte until its response.
import type { IncomingHttpHeaders } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Overloaded } from '../queues/coalescer.ts';
import type { ByteBudget } from './byte-budget.ts';
import { whenOver } from './response-end.ts';
import { SMALL_BODY_BYTES_MAX } from './options.ts';

/** Overhead per buffer: significant for a body that arrives in chunks of one byte. */
const PIECE_BYTES = 128;

/**
 * Runs after authentication: bodies without valid credentials are not read, and open routes accept no large bodies. So
 * every byte belongs to a channel or an operator, and no owner can use up the share of the others.
 */
export function limitLargeBodyMemory(app: FastifyInstance, budget: ByteBudget): void {
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { method, headers, raw } = request;
    if (method === 'GET' || method === 'HEAD' || isSmall(headers)) return done(null, payload);
    // Fastify refuses this body by its length.
    if (Number(headers['content-length'] ?? 0) > request.routeOptions.bodyLimit) return done(null, payload);
    const owner = ownerOf(request);
    if (headers['content-length'] !== undefined && !budget.hasRoom(owner)) return done(new Overloaded());
    const body = new CountedBody(budget, owner);
    payload.once('error', (error) => body.destroy(error));
    // The rest of a refused body is read and discarded, so that the response reaches the client.
    body.once('error', () => payload.resume());
    whenOver(raw, reply.raw, () => body.letGo());
    return done(null, payload.pipe(body));
  });
}

const ownerOf = ({ channel, operator, socket }: FastifyRequest): string =>
  channel ? `channel:${channel.id}` : (operator?.name ?? `address:${socket.remoteAddress}`);

function isSmall(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length'];
  if (length === undefined) return headers['transfer-encoding'] === undefined;
  return Number(length) <= SMALL_BODY_BYTES_MAX;
}

class CountedBody extends Transform {
  readonly #budget: ByteBudget;
  readonly #owner: string;
  #received = 0;
  #taken = 0;
  #isOver = false;

  constructor(budget: ByteBudget, owner: string) {
    super();
    this.#budget = budget;
    this.#owner = owner;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.#isOver) return done();
    this.#received += chunk.length + PIECE_BYTES;
    // Bytes up to this limit are not counted, because a small body may also come without a length.
    if (this.#received <= SMALL_BODY_BYTES_MAX) return done(null, chunk);
    if (!this.#budget.take(this.#owner, this.#received - this.#taken)) {
      this.letGo();
      return done(new Overloaded());
    }
    this.#taken = this.#received;
    return done(null, chunk);
  }

  /** The remaining bytes are read and discarded. */
  letGo(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#budget.release(this.#owner, this.#taken);
    this.resume();
  }
}
