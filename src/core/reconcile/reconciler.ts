// Runs reconcile on demand and, once started, every hour, one run at a time. Every caller gets a run that began after
// its call; callers that arrive during a run share the next one.
import type pg from 'pg';
import { readNow } from '../../platform/database/clock.ts';
import { reconcileUnhurried, type Reconciliation } from './store.ts';
import { reading } from '../../platform/database/transactions.ts';
import { Coalescer } from '../../platform/queues/coalescer.ts';

const RECONCILE_LIMITS = { queue_items_max: 64, batch_items_max: 64, batch_weight_max: 64 };
/** Delay of the first scheduled run, so that it does not slow down the start. */
const FIRST_MS = 10 * 60 * 1000;
const EVERY_MS = 60 * 60 * 1000;

export interface LastReconcile {
  ok: boolean;
  checked: number;
  drift_count: number;
  /** By the database's clock: processes whose clocks differ agree on which run is the latest. */
  checked_at: Date;
}

export class Reconciler {
  readonly #asked: Coalescer<null, Reconciliation>;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #last: LastReconcile | null = null;

  constructor(pool: pg.Pool, onResult: (result: LastReconcile) => void, onFailure: (error: unknown) => void) {
    this.#asked = new Coalescer(async (askers) => {
      const { result, checked_at } = await this.#check(pool).catch((error: unknown) => {
        if (!this.#stopping.signal.aborted) onFailure(error);
        throw error;
      });
      const { ok, checked, drift_count } = result;
      this.#last = { ok, checked, drift_count, checked_at };
      onResult(this.#last);
      return askers.map(() => ({ result }));
    }, RECONCILE_LIMITS);
  }

  /** Starts the scheduled runs. */
  start(): void {
    this.#timer = this.#later(FIRST_MS);
  }

  /** Takes over the result of another worker's run. */
  learn(last: LastReconcile): void {
    this.#last = last;
  }

  /** The last known run, of this process or of another worker. */
  get last(): LastReconcile | null {
    return this.#last;
  }

  run(): Promise<Reconciliation> {
    return this.#asked.submit(null);
  }

  /** Cancels a running reconcile: on a large database it would delay the shutdown for minutes. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#stopping.abort();
    await this.#asked.idle();
  }

  async #check(pool: pg.Pool): Promise<{ result: Reconciliation; checked_at: Date }> {
    const result = await reconcileUnhurried(pool, this.#stopping.signal);
    return { result, checked_at: await reading(pool, readNow) };
  }

  #later(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#timer = this.#later(EVERY_MS);
      // Already reported to `onFailure`; the schedule continues.
      this.run().catch(() => {});
    }, ms).unref();
  }
}
