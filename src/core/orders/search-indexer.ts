// Updates the search index of orders in the background, and slows down while there are many requests.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { failureOf } from '../../platform/database/failures.ts';
import { indexOrders, isSearchBehind, STEP_ORDERS_MAX, type IndexStep } from './search-index-store.ts';
import { inTransaction } from '../../platform/database/transactions.ts';
import { BusyMeter } from '../../platform/queues/busy-meter.ts';

/** How often the indexer checks for new orders. */
const POLL_MS = 1_000;
/** Share of the time spent on indexing while there is a backlog. */
const SHARE_IDLE = 0.5;
/** The same under load: less than 1 % of two cores. */
const SHARE_BUSY = 0.015;
const BUSY_REQUESTS_PER_SECOND = 100;
const BUSY_PAUSE_MS_MAX = 30_000;
/** Orders per step under load. On a machine with few cores, requests wait for each step. */
const BUSY_STEP_ORDERS = 20;
/** Pause while another process updates the index. */
const BUSY_WAIT_MS = 20;

/** Transaction ids per pass. The number shrinks if a step is filled to at least FULL_SHARE, and grows otherwise. */
const TRANSACTIONS_MIN = 64;
const TRANSACTIONS_MAX = 2 ** 30;
const PASS_FACTOR = 4;
const FULL_SHARE = 0.5;

/** How many requests the process has answered so far. */
type Answered = () => number;

export class OrderIndexer {
  readonly #pool: pg.Pool;
  readonly #meter: BusyMeter;
  readonly #onFailure: (error: unknown) => void;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> = Promise.resolve();
  #isClosed = false;
  #transactions = TRANSACTIONS_MIN;

  constructor(pool: pg.Pool, answered: Answered, onFailure: (error: unknown) => void) {
    this.#pool = pool;
    this.#meter = new BusyMeter(answered, BUSY_REQUESTS_PER_SECOND);
    this.#onFailure = onFailure;
  }

  start(): void {
    this.#later(POLL_MS);
  }

  /** Resolves when everything that was committed before the call can be found. */
  async catchUp(): Promise<void> {
    // Two passes, because the first may have begun before the call. Not more: an open transaction keeps the index
    // behind, and the loop would wait for it.
    for (let passes = 0; passes < 2 && (await inTransaction(this.#pool, isSearchBehind));) {
      const outcome = await this.#index(STEP_ORDERS_MAX);
      if (outcome === 'done') passes += 1;
      if (outcome === 'busy') await sleep(BUSY_WAIT_MS);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#running;
  }

  #later(ms: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#running = this.#step().then((pause) => this.#later(pause));
    }, ms).unref();
  }

  /** The pause until the next step. */
  async #step(): Promise<number> {
    const isBusy = this.#meter.isBusy();
    const share = isBusy ? SHARE_BUSY : SHARE_IDLE;
    const started = performance.now();
    try {
      if (!(await inTransaction(this.#pool, isSearchBehind))) return POLL_MS;
      const outcome = await this.#index(isBusy ? BUSY_STEP_ORDERS : STEP_ORDERS_MAX);
      const pause = (performance.now() - started) * (1 / share - 1);
      if (outcome === 'busy') return POLL_MS;
      return Math.min(BUSY_PAUSE_MS_MAX, outcome === 'done' ? Math.max(POLL_MS, pause) : pause);
    } catch (error) {
      // An outage is logged elsewhere.
      if (failureOf(error) === 'unexpected') this.#onFailure(error);
      return POLL_MS;
    }
  }

  /** Takes few transactions per pass if they contain many orders, and many if most contain none. */
  async #index(orders: number): Promise<IndexStep> {
    const transactions = this.#transactions;
    const { outcome, count } = await inTransaction(this.#pool, (tx) =>
      indexOrders(tx, { transactions, orders }),
    );
    if (outcome === 'more') {
      const isFull = count >= FULL_SHARE * orders;
      this.#transactions = isFull
        ? Math.max(TRANSACTIONS_MIN, Math.floor(this.#transactions / PASS_FACTOR))
        : Math.min(TRANSACTIONS_MAX, this.#transactions * PASS_FACTOR);
    }
    return outcome;
  }
}
