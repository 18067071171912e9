// Large bodies, bounded in bytes. The gate's queue is bounded in count, but a thousand bodies of 1 MiB are a gigabyte,
// and a body is held from its first byte until its answer is over: for slow senders and for waiting orders alike.
import type { IncomingHttpHeaders } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { Overloaded } from '../engine/coalescer.ts';
import type { ByteBudget } from './byte-budget.ts';
import { whenOver } from './endings.ts';
import { SMALL_BODY_BYTES_MAX } from './transport.ts';

/** What a buffer takes beside its bytes: a body in chunks of one byte is mostly that. */
const PIECE_BYTES = 128;

/** Behind authentication: a stranger's body is not read, and takes nothing of the budget. */
export function boundLargeBodies(app: FastifyInstance, budget: ByteBudget): void {
  app.addHook('preParsing', ({ method, headers, raw }, reply, payload, done) => {
    if (method === 'GET' || method === 'HEAD' || isSmall(headers)) return done(null, payload);
    if (budget.isFull && headers['content-length'] !== undefined) return done(new Overloaded());
    const body = new CountedBody(budget);
    payload.once('error', (error) => body.destroy(error));
    // The rest of a refused body is read and thrown away, so that the answer reaches its sender.
    body.once('error', () => payload.resume());
    whenOver(raw, reply.raw, () => body.letGo());
    return done(null, payload.pipe(body));
  });
}

function isSmall(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length'];
  if (length === undefined) return headers['transfer-encoding'] === undefined;
  return Number(length) <= SMALL_BODY_BYTES_MAX;
}

class CountedBody extends Transform {
  readonly #budget: ByteBudget;
  #received = 0;
  #held = 0;
  #isOver = false;

  constructor(budget: ByteBudget) {
    super();
    this.#budget = budget;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.#isOver) return done();
    this.#received += chunk.length + PIECE_BYTES;
    // As much is not counted of anybody: sent without a length, a small body is no large one.
    if (this.#received <= SMALL_BODY_BYTES_MAX) return done(null, chunk);
    if (!this.#budget.take(this.#received - this.#held)) {
      this.letGo();
      return done(new Overloaded());
    }
    this.#held = this.#received;
    return done(null, chunk);
  }

  /** What still comes is read, not kept. */
  letGo(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#budget.release(this.#held);
    this.resume();
  }
}
