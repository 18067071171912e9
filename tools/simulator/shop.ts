// A sales channel: executes its customers' visits and keeps its stock list up to date.
import { setTimeout as sleep } from 'node:timers/promises';
import { SluiceClient, SluiceError } from '../../clients/typescript/src/index.ts';
import type { Observer } from '../../verify/observer/observer.ts';
import type { OrderBody } from '../../verify/observer/requests.ts';
import { observedFetch } from './observed-fetch.ts';
import type { Visit } from './visit.ts';

export interface ShopOptions {
  baseUrl: string;
  observer: Observer;
  /** The index of the channel. */
  channel: number;
  api_key: string;
  /** Called with the duration of each answer. */
  timed: (ms: number) => void;
  /** Factor for every wait. */
  pace: number;
  /** When it is aborted, there are no more waits: visits in progress finish immediately. */
  closing: AbortSignal;
}

/** A shop with very short timeouts. Requests that it aborts may still have been processed. */
const IMPATIENT = { timeoutMs: 8, retry: { attempts: 6, baseMs: 5, maxMs: 50 } };
/** How often a shipment report is sent if stock is short. */
const SHORT_TRIES = 3;
const BETWEEN_LOOKS_MS = 150;

export class Shop {
  readonly #options: ShopOptions;
  readonly #patient: SluiceClient;
  readonly #impatient: SluiceClient;
  readonly #shown = new Map<string, number>();

  constructor(options: ShopOptions) {
    const { baseUrl, observer, channel, api_key: apiKey, timed } = options;
    const common = { baseUrl, apiKey, fetch: observedFetch(observer, channel, baseUrl, timed) };
    this.#options = options;
    this.#patient = new SluiceClient({ ...common, retry: { attempts: 8, baseMs: 50, maxMs: 2_000 } });
    this.#impatient = new SluiceClient({ ...common, ...IMPATIENT });
  }

  async attend(visit: Visit, isHurried = false): Promise<void> {
    const wait = (ms: number): Promise<void> => (isHurried ? Promise.resolve() : this.#wait(ms));
    const client = visit.is_shop_impatient ? this.#impatient : this.#patient;
    const seen = new Map<string, { available: number; reserve_remaining: number }>();
    for (const sku of visit.looks) {
      const found = await resultOf(client.lookup(sku));
      if (!(found instanceof SluiceError)) seen.set(sku, found);
      await wait(BETWEEN_LOOKS_MS);
    }
    if (visit.order === null) return;
    const order = { ...visit.order, is_backorder: visit.is_patient && isToBeOrderedAhead(visit.order, seen) };
    const answers = await several(visit.copies, () => client.submitOrder(order));
    if (answers.every((answer) => answer instanceof SluiceError)) return;
    const resent =
      visit.resent_ms === null ? null : wait(visit.resent_ms).then(() => resultOf(client.submitOrder(order)));
    for (const { wait_ms, report, copies } of visit.steps) {
      let isShort = true;
      for (let tries = 0; isShort && tries < SHORT_TRIES; tries += 1) {
        await wait(wait_ms);
        const answered = await several(copies, () => client.reportStatus(order.order_number, report));
        isShort = answered.some(
          (answer) => answer instanceof SluiceError && answer.kind === 'insufficient_stock',
        );
      }
    }
    await resent;
  }

  poll(intervalMs: number): Promise<void> {
    return this.#patient.pollInventory({
      intervalMs,
      signal: this.#options.closing,
      onChange: (items) => {
        for (const { sku, available } of items) this.#shown.set(sku, available);
      },
      onError: (error) => {
        if (!(error instanceof SluiceError)) throw error;
      },
    });
  }

  /** The available quantity from the last polled list. */
  shown(sku: string): number {
    return this.#shown.get(sku) ?? 0;
  }

  /** Uses the client with the longest timeouts and retries. */
  resend(order: OrderBody): Promise<unknown> {
    return resultOf(this.#patient.submitOrder(order));
  }

  list() {
    return resultOf(this.#patient.listInventory());
  }

  lookup(sku: string) {
    return resultOf(this.#patient.lookup(sku));
  }

  async #wait(ms: number): Promise<void> {
    const { pace, closing } = this.#options;
    await sleep(ms * pace, undefined, { signal: closing }).catch(() => {});
  }
}

/**
 * Returns the error if the service refused or did not answer; the observer has already judged it. Other errors
 * are bugs and are thrown.
 */
async function resultOf<T>(call: Promise<T>): Promise<T | SluiceError> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof SluiceError) return error;
    throw error;
  }
}

/** Starts this many concurrent copies of a call. */
const several = <T>(copies: number, call: () => Promise<T>): Promise<(T | SluiceError)[]> =>
  Promise.all(Array.from({ length: copies }, () => resultOf(call())));

function isToBeOrderedAhead(
  { items }: OrderBody,
  seen: ReadonlyMap<string, { available: number; reserve_remaining: number }>,
): boolean {
  return items.some(({ sku, quantity }) => {
    const row = seen.get(sku);
    return row !== undefined && row.available < quantity && row.reserve_remaining >= quantity;
  });
}
