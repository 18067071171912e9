// Waiting for a database that is unavailable. All requests share one outage: one probe checks whether the database is
// back, and all waiting work is released together. The timeout counts from the start of the outage, so a request that
// waits several times never waits longer in total.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Tx } from './database.ts';
import { DatabaseUnavailable, failureOf } from './failures.ts';

const PAUSE_MS_MAX = 250;

/** Pause before a retry. Grows with each failure, with jitter. */
export const pauseMs = (failures: number, random = Math.random()): number =>
  Math.min(PAUSE_MS_MAX, 2 ** failures) * random;

/** Interval of the probe after the timeout. */
const QUIET_PROBE_MS = 500;
/** Limits retries if the connection is repeatedly lost during the work although the probe succeeds. */
const TRIES_MAX = 10;
/** Limit on waiting requests of the back office. Channels wait in batches, whose queues have their own limits. */
const WAITING_MAX = 1_024;

interface PatienceOptions {
  patience_ms: number;
  /** Rejects while the database is unavailable. */
  probe: () => Promise<unknown>;
  /** The probe failed; called once per outage. */
  onAway?: (error: unknown) => void;
  onBack?: () => void;
}

interface Outage {
  /** Resolves when the database is back; rejects with the last error after the timeout. */
  readonly waited: Promise<void>;
  /** The timeout has passed: further requests try once. */
  isOver: boolean;
  /** Called when the probe or a request finds that the database is back. */
  end(): void;
  /** Nothing waits any longer. */
  giveUp(): void;
}

export class Patience {
  readonly #options: PatienceOptions;
  #outage: Outage | null = null;
  #waiting = 0;
  #isClosed = false;

  constructor(options: PatienceOptions) {
    this.#options = options;
  }

  /** True while the probe fails, and after a connection was just lost. */
  get isAway(): boolean {
    return this.#outage !== null;
  }

  /** The outage has lasted longer than the timeout. */
  get isOver(): boolean {
    return this.#outage?.isOver === true;
  }

  /** Runs `attempt`, which must be safe to retry after a lost connection, until it succeeds or fails otherwise. */
  async run<T>(attempt: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + this.#options.patience_ms;
    // During an outage new work waits first, instead of opening more connections.
    if (this.#outage?.isOver === false) await this.#wait(this.#outage);
    for (let failures = 1; ; failures++) {
      try {
        const result = await attempt();
        // The database is back before the next probe.
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

  /** A connection was lost or could not be opened: starts the probe. */
  notice(loss: unknown): void {
    if (this.#outage || this.#isClosed) return;
    void this.#probe(loss);
  }

  /** Nothing waits any longer: what fails now fails at once. */
  close(): void {
    this.#isClosed = true;
    this.#outage?.giveUp();
  }

  async #probe(first: unknown): Promise<void> {
    const { patience_ms, probe, onAway, onBack } = this.#options;
    const waited = Promise.withResolvers<void>();
    // Avoids an unhandled rejection if nothing waits.
    waited.promise.catch(() => {});
    let last = first;
    let failures = 0;
    // A timer, because a probe may hang longer than the timeout.
    const timer = setTimeout(() => outage.giveUp(), patience_ms).unref();
    const outage: Outage = {
      waited: waited.promise,
      isOver: false,
      end: () => {
        if (this.#outage !== outage) return;
        this.#outage = null;
        clearTimeout(timer);
        waited.resolve();
        if (failures > 0) onBack?.();
      },
      giveUp() {
        outage.isOver = true;
        waited.reject(new DatabaseUnavailable(last));
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
    clearTimeout(timer);
    waited.reject(new DatabaseUnavailable(last));
  }

  async #wait({ waited }: Outage): Promise<void> {
    if (this.#waiting >= WAITING_MAX) throw new DatabaseUnavailable(new Error('the queue is full'));
    this.#waiting += 1;
    try {
      await waited;
    } finally {
      this.#waiting -= 1;
    }
  }
}

/** Pools whose work waits during an outage. Pools of the command line do not. */
const patienceOf = new WeakMap<Tx, Patience>();

export const givePatience = (pool: pg.Pool, patience: Patience): void => void patienceOf.set(pool, patience);

/** Runs `attempt` with the pool's patience, or once. */
export const patiently = <T>(pool: Tx, attempt: () => Promise<T>): Promise<T> => {
  const patience = patienceOf.get(pool);
  return patience ? patience.run(attempt) : attempt();
};
