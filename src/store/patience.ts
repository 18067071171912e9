// Waiting for a database that is away. All requests share one outage: one probe asks whether the database is back, and
// everything that waits is released together. The patience counts from the start of the outage, so a request that waits in
// several places never waits longer than that in all.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Tx } from './database.ts';
import { DatabaseUnavailable, failureOf } from './failures.ts';

const PAUSE_MS_MAX = 250;

/** Longer after each failure, and never the same for two processes. */
export const pauseMs = (failures: number, random = Math.random()): number =>
  Math.min(PAUSE_MS_MAX, 2 ** failures) * random;

/** While nothing waits any more: how often the database is asked whether it is back. */
const QUIET_PROBE_MS = 500;
/** A connection that is lost in the middle of the work, again and again, although the database answers the probe. */
const TRIES_MAX = 10;
/** Single requests of the back office. Channels wait in batches, in queues with limits of their own. */
const WAITING_MAX = 1_024;

interface PatienceOptions {
  patience_ms: number;
  /** Rejects while the database cannot be used. */
  probe: () => Promise<unknown>;
  /** The database does not answer the probe: told once an outage. */
  onAway?: (error: unknown) => void;
  onBack?: () => void;
}

interface Outage {
  /** Resolves when the database is back; rejects with the last failure when the patience is over. */
  readonly waited: Promise<void>;
  /** The patience is over: who comes now tries once. */
  isOver: boolean;
  /** The database is back, as the probe or a request has found out. */
  end(): void;
}

export class Patience {
  readonly #options: PatienceOptions;
  #outage: Outage | null = null;
  #waiting = 0;
  #isClosed = false;

  constructor(options: PatienceOptions) {
    this.#options = options;
  }

  /** The database does not answer, or has just been found not to. */
  get isAway(): boolean {
    return this.#outage !== null;
  }

  /** The database has been away for longer than anything waits for it. */
  get isOver(): boolean {
    return this.#outage?.isOver === true;
  }

  /** Runs `attempt`, which must be safe to repeat after a lost connection, until it does not fail for one. */
  async run<T>(attempt: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.#options.patience_ms;
    // Whoever comes during an outage waits first: a thousand connection attempts would not bring it back sooner.
    if (this.#outage?.isOver === false) await this.#wait(this.#outage);
    for (let failures = 1; ; failures++) {
      try {
        const result = await attempt();
        // Sooner than the next probe.
        if (this.isOver) this.#outage?.end();
        return result;
      } catch (error) {
        if (failureOf(error) !== 'connection') throw error;
        this.notice(error);
        const outage = this.#outage;
        const isOver = failures >= TRIES_MAX || performance.now() >= deadline || outage?.isOver !== false;
        if (isOver) throw new DatabaseUnavailable(error);
        await this.#wait(outage);
        if (failures > 1) await sleep(pauseMs(failures));
      }
    }
  }

  /** A connection was lost, or could not be made: finds out whether the database is away. */
  notice(loss: unknown): void {
    if (this.#outage || this.#isClosed) return;
    void this.#probe(loss);
  }

  close(): void {
    this.#isClosed = true;
  }

  async #probe(first: unknown): Promise<void> {
    const { patience_ms, probe, onAway, onBack } = this.#options;
    const waited = Promise.withResolvers<void>();
    // Nobody may be waiting.
    waited.promise.catch(() => {});
    let last = first;
    let failures = 0;
    // By a timer: a probe may hang for longer than the patience lasts.
    const giveUp = setTimeout(() => {
      outage.isOver = true;
      waited.reject(new DatabaseUnavailable(last));
    }, patience_ms);
    giveUp.unref();
    const outage: Outage = {
      waited: waited.promise,
      isOver: false,
      end: () => {
        if (this.#outage !== outage) return;
        this.#outage = null;
        clearTimeout(giveUp);
        waited.resolve();
        if (failures > 0) onBack?.();
      },
    };
    this.#outage = outage;
    while (this.#outage === outage && !this.#isClosed) {
      try {
        await probe();
        outage.end();
      } catch (error) {
        last = error;
        failures += 1;
        if (failures === 1) onAway?.(error);
        await sleep(outage.isOver ? QUIET_PROBE_MS : pauseMs(failures), undefined, { ref: false });
      }
    }
    clearTimeout(giveUp);
    waited.reject(new DatabaseUnavailable(last));
  }

  async #wait({ waited }: Outage): Promise<void> {
    if (this.#waiting >= WAITING_MAX) throw new DatabaseUnavailable(new Error('too much work is waiting'));
    this.#waiting += 1;
    try {
      await waited;
    } finally {
      this.#waiting -= 1;
    }
  }
}

/** Of pools whose work waits for a database that is away. A pool of the command line has none. */
const patienceOf = new WeakMap<Tx, Patience>();

export const givePatience = (pool: pg.Pool, patience: Patience): void => void patienceOf.set(pool, patience);

/** Runs `attempt` with the patience of the pool, or once. */
export const patiently = <T>(pool: Tx, attempt: () => Promise<T>): Promise<T> => {
  const patience = patienceOf.get(pool);
  return patience ? patience.run(attempt) : attempt();
};
