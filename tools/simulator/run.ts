// A run: customers arrive at a rate, channels serve them, and every answer is checked.
import { setTimeout as sleep } from 'node:timers/promises';
import { Random, seedOf } from '../../verify/kit/random.ts';
import { Board } from './board.ts';
import { Observer } from '../../verify/observer/observer.ts';
import { checkQuiet, settle } from './quiet.ts';
import { arrivalsOf, SCENARIOS, type ScenarioName } from './scenarios.ts';
import { Shop } from './shop.ts';
import { chooseOnSale, planVisit, shelfOf, type Plan } from './visit.ts';
import { keepStocked, type Warehouse } from './warehouse.ts';
import type { KeyedWorld } from './world.ts';

export interface RunOptions {
  /** Ends with /api/v1. */
  baseUrl: string;
  world: KeyedWorld;
  seed: number;
  scenario: ScenarioName;
  /** Customers per second over all channels, at usual times. */
  rate: number;
  /** How long customers arrive; Infinity: until the run is stopped. */
  ms: number;
  /** Factor for the waits between two steps of a customer. */
  pace: number;
  poll_ms: number;
  /**
   * The number of customers who come first and do not wait between steps, so that there are orders in every
   * state.
   */
  opening: number;
  warehouse: Omit<Warehouse, 'except'> | null;
  /** Stops the run early, but gracefully. */
  signal: AbortSignal;
}

/** The maximum number of concurrent customers. Others wait until one has finished. */
const CROWD_MAX = 400;
const OPENING_AT_ONCE = 8;
const ARRIVALS_MS = 20;

export class Run {
  readonly observer: Observer;
  readonly board: Board;
  readonly shops: readonly Shop[];
  readonly #options: RunOptions;
  readonly #plan: Plan;
  readonly #onSale: string | null;
  readonly #closing = new AbortController();
  #sequence = 0;

  constructor(options: RunOptions) {
    const { world, seed, scenario, baseUrl, pace } = options;
    this.#options = options;
    this.board = new Board(world.channels.map(({ name }) => name));
    this.observer = new Observer(world, {
      onFinding: (channel, finding) => channel !== null && this.board.add({ channel, ...finding }),
    });
    this.#onSale = SCENARIOS[scenario].on_sale > 0 ? chooseOnSale(world, new Random(seed)) : null;
    this.#plan = {
      scenario: SCENARIOS[scenario],
      world,
      shelves: world.channels.map((channel) => shelfOf(channel, this.#onSale)),
      prefix: `SIM-${Date.now().toString(36)}`,
    };
    const closing = this.#closing.signal;
    this.shops = world.channels.map(
      ({ api_key }, channel) =>
        new Shop({
          baseUrl,
          observer: this.observer,
          channel,
          api_key,
          pace,
          closing,
          timed: (ms) => this.board.took(channel, ms),
        }),
    );
  }

  /** Resolves when all customers are finished and the final checks are done. */
  async go(): Promise<void> {
    const { warehouse, poll_ms, signal } = this.#options;
    const closing = this.#closing.signal;
    const except = new Set(this.#onSale === null ? [] : [this.#onSale]);
    const background = [
      ...this.shops.map((shop) => shop.poll(poll_ms)),
      ...(warehouse ? [keepStocked({ ...warehouse, except }, this.observer.stock, closing)] : []),
    ];
    // If one part fails, stop the others.
    const all = [this.#customers(), ...background].map((part) =>
      part.catch((error: unknown) => {
        this.#closing.abort();
        throw error;
      }),
    );
    await Promise.allSettled(all);
    await Promise.all(all);
    if (signal.aborted && !this.observer.isAlone) return;
    await settle(this.observer, this.shops);
    await checkQuiet(this.observer, this.shops);
  }

  async #customers(): Promise<void> {
    const { opening, ms, rate, scenario } = this.#options;
    const signal = AbortSignal.any([this.#options.signal, this.#closing.signal]);
    for (let come = 0; come < opening && !signal.aborted; come += OPENING_AT_ONCE)
      await Promise.all(
        Array.from({ length: Math.min(OPENING_AT_ONCE, opening - come) }, () => this.#attend(true)),
      );
    const crowd = new Set<Promise<void>>();
    const failed: unknown[] = [];
    const started = performance.now();
    const arrived = arrivalsOf(SCENARIOS[scenario], ms, rate);
    const total = Math.ceil(arrived(ms));
    for (let come = 0; come < total && !signal.aborted && failed.length === 0;) {
      const due = Math.floor(arrived(performance.now() - started));
      while (come <= due && come < total && crowd.size < CROWD_MAX) {
        come += 1;
        const visit: Promise<void> = this.#attend(false)
          .catch((error: unknown) => void failed.push(error))
          .finally(() => crowd.delete(visit));
        crowd.add(visit);
      }
      await sleep(ARRIVALS_MS, undefined, { signal }).catch(() => {});
    }
    this.#closing.abort();
    await Promise.all(crowd);
    if (failed.length > 0) throw failed[0];
  }

  #attend(isHurried: boolean): Promise<void> {
    const sequence = ++this.#sequence;
    const visit = planVisit(this.#plan, new Random(seedOf(this.#options.seed, sequence)), sequence);
    const shop = this.shops[visit.channel];
    if (!shop) throw new RangeError(`there is no channel ${visit.channel}`);
    return shop.attend(visit, isHurried);
  }
}
