// Reconcile on demand and every hour: never two at a time, and never an answer older than the question. Whoever
// asks while one runs shares the next one with all others who do.
import type pg from 'pg';
import { reconcileUnhurried, type Reconciliation } from '../store/reconcile.ts';
import { Coalescer } from './coalescer.ts';

const RECONCILE_LIMITS = { queue_items_max: 64, batch_items_max: 64, batch_weight_max: 64 };
/** The first one by itself comes late enough not to burden a start. */
const FIRST_MS = 10 * 60 * 1000;
const EVERY_MS = 60 * 60 * 1000;

export interface LastReconcile {
  ok: boolean;
  checked: number;
  drift_count: number;
  checked_at: Date;
}

export class Reconciler {
  readonly #asked: Coalescer<null, Reconciliation>;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout;
  #last: LastReconcile | null = null;

  constructor(
    pool: pg.Pool,
    onResult: (result: Reconciliation) => void,
    onFailure: (error: unknown) => void,
  ) {
    this.#asked = new Coalescer(async (askers) => {
      const result = await reconcileUnhurried(pool, this.#stopping.signal).catch((error: unknown) => {
        if (!this.#stopping.signal.aborted) onFailure(error);
        throw error;
      });
      const { ok, checked, drift_count } = result;
      this.#last = { ok, checked, drift_count, checked_at: new Date() };
      onResult(result);
      return askers.map(() => ({ result }));
    }, RECONCILE_LIMITS);
    this.#timer = this.#later(FIRST_MS);
  }

  /** The last one of this process. */
  get last(): LastReconcile | null {
    return this.#last;
  }

  run(): Promise<Reconciliation> {
    return this.#asked.submit(null);
  }

  /** Gives up the one that may be running: on a large database it would hold up the stop for minutes. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#stopping.abort();
    await this.#asked.idle();
  }

  #later(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#timer = this.#later(EVERY_MS);
      // `onFailure` was told; the next one does the same.
      this.run().catch(() => {});
    }, ms).unref();
  }
}
