// The figures of the console's overview, cheap enough for polling every few seconds: past hours are counted once, and again
// after an import of orders that were taken then; all other figures are cached for a short time.
import { lastHours } from '../../platform/values/hours.ts';
import type { FormatTimestamp } from '../../platform/values/timestamps.ts';
import { isUnshipped, STATUSES, type Status } from '../../core/rules/transitions.ts';
import { type Tx } from '../../platform/database/database.ts';
import { readLateOrders } from '../../core/journal/since-store.ts';
import type { Snapshot } from '../../core/journal/snapshot-rules.ts';
import { reading } from '../../platform/database/transactions.ts';
import { countUnmappedSkus } from '../observations/store.ts';
import { readNow } from '../../platform/database/clock.ts';
import { listChannelNames } from '../../core/channels/store.ts';
import {
  countOpenOrders,
  countOrders,
  countRefusals,
  listLowStock,
  listOldestUnpaid,
  type LowStock,
  type UnpaidOrder,
} from './store.ts';
import { countOvercommitted } from '../../core/stock/store.ts';

const KEPT_MS = 2_000;
/** Slow figures are cached longer, so that polling uses at most a tenth of a core. */
const KEPT_TIMES_ITS_COST = 10;
/** Orders get the time at which their batch begins. After this pause all orders of the last hour are committed. */
const GRACE_MS = 60_000;
export const OVERVIEW_HOURS_MAX = 168;
const ROWS_MAX = 10;
const HOUR_MS = 60 * 60 * 1000;
/** Common stock at or below this counts as low. */
const LOW_STOCK_MAX = 10;

type ByChannel = ReadonlyMap<number, number>;

export interface Figures {
  now: Date;
  hours: readonly Date[];
  orders_per_hour: { channel_id: number; counts: number[] }[];
  channels: { id: number; name: string; is_active: boolean }[];
  open_orders: { status: Status; count: number }[];
  oldest_unpaid: UnpaidOrder[];
  low_stock: LowStock[];
  overcommitted_count: number;
  refused: { reason: string; count: number }[];
  unmapped_count: number;
}

export class Overview {
  readonly #pool: Tx;
  readonly #format: FormatTimestamp;
  readonly #onOvercommitted: (count: number) => void;
  /** Orders by channel, by start of a past hour. */
  readonly #counted = new Map<number, ByChannel>();
  /** The journal is read up to here; `#counted` includes all orders visible then. */
  #seen: Snapshot | null = null;
  /** Cached figures by number of hours. */
  readonly #kept = new Map<number, { result: Promise<Figures>; until: number }>();

  constructor(pool: Tx, format: FormatTimestamp, onOvercommitted: (count: number) => void = () => {}) {
    this.#pool = pool;
    this.#format = format;
    this.#onOvercommitted = onOvercommitted;
  }

  /** Reads every stock row, so it runs periodically and not at each scrape of the metrics. */
  async countOvercommitted(tx: Tx = this.#pool): Promise<number> {
    const count = await countOvercommitted(tx);
    this.#onOvercommitted(count);
    return count;
  }

  read(hours: number): Promise<Figures> {
    const started = performance.now();
    for (const [key, { until }] of this.#kept) if (until <= started) this.#kept.delete(key);
    const kept = this.#kept.get(hours);
    if (kept) return kept.result;
    const result = reading(this.#pool, (tx) => this.#compute(tx, hours));
    const entry = { result, until: Number.POSITIVE_INFINITY };
    this.#kept.set(hours, entry);
    return this.#keepFor(entry, hours, started);
  }

  /** Failures are not cached. */
  async #keepFor(
    entry: { result: Promise<Figures>; until: number },
    hours: number,
    started: number,
  ): Promise<Figures> {
    try {
      const figures = await entry.result;
      const ended = performance.now();
      entry.until = ended + Math.max(KEPT_MS, KEPT_TIMES_ITS_COST * (ended - started));
      return figures;
    } catch (error) {
      this.#kept.delete(hours);
      throw error;
    }
  }

  async #compute(tx: Tx, count: number): Promise<Figures> {
    const now = await readNow(tx);
    const hours = lastHours(now, count, this.#format);
    const orders_per_hour = byChannel(await this.#ordersOf(tx, hours, now));
    const withOrders = orders_per_hour.map(({ channel_id }) => channel_id);
    return {
      now,
      hours,
      orders_per_hour,
      channels: await listChannelNames(tx, withOrders),
      open_orders: await openOrders(tx),
      oldest_unpaid: await listOldestUnpaid(tx, ROWS_MAX),
      low_stock: await listLowStock(tx, LOW_STOCK_MAX, ROWS_MAX),
      overcommitted_count: await this.countOvercommitted(tx),
      refused: await countRefusals(tx, hours[0] ?? now),
      unmapped_count: await countUnmappedSkus(tx, null),
    };
  }

  async #ordersOf(tx: Tx, hours: readonly Date[], now: Date): Promise<ByChannel[]> {
    this.#forgetBefore(now.getTime() - (OVERVIEW_HOURS_MAX + 2) * HOUR_MS);
    const seen = await this.#forgetLate(tx);
    const counts = hours.map((hour) => this.#counted.get(hour.getTime()));
    for (const [from, to] of gapsIn(counts)) {
      const end = hours[to] ?? new Date(now.getTime() + GRACE_MS);
      const gap = hours.slice(from, to);
      const fresh = gap.map(() => new Map<number, number>());
      for (const { hour, channel_id, count } of await countOrders(tx, gap, end))
        fresh[hour - 1]?.set(channel_id, count);
      counts.splice(from, fresh.length, ...fresh);
    }
    for (const [index, hour] of hours.entries()) {
      const end = hours[index + 1];
      const isOver = end !== undefined && end.getTime() + GRACE_MS <= now.getTime();
      const count = counts[index];
      // Not if another computation has read further: what it forgot could be stored again.
      if (isOver && count && this.#seen === seen) this.#counted.set(hour.getTime(), count);
    }
    return counts.filter((count) => count !== undefined);
  }

  /** Forgets hours to which an import has added orders. */
  async #forgetLate(tx: Tx): Promise<Snapshot> {
    const { snapshot, is_known, orders_since } = await readLateOrders(tx, this.#seen);
    const first = is_known ? orders_since : new Date(0);
    if (first)
      for (const hour of this.#counted.keys())
        if (hour > first.getTime() - HOUR_MS) this.#counted.delete(hour);
    this.#seen = snapshot;
    return snapshot;
  }

  #forgetBefore(ms: number): void {
    for (const hour of this.#counted.keys()) if (hour < ms) this.#counted.delete(hour);
  }
}

/** The ranges [from, to) of missing entries. */
function gapsIn(entries: readonly unknown[]): [from: number, to: number][] {
  const gaps: [number, number][] = [];
  for (const [index, entry] of entries.entries()) {
    if (entry !== undefined) continue;
    const last = gaps.at(-1);
    if (last?.[1] === index) last[1] = index + 1;
    else gaps.push([index, index + 1]);
  }
  return gaps;
}

function byChannel(hours: readonly ByChannel[]): Figures['orders_per_hour'] {
  const ids = new Set(hours.flatMap((hour) => [...hour.keys()]));
  return [...ids]
    .toSorted((a, b) => a - b)
    .map((channel_id) => ({ channel_id, counts: hours.map((hour) => hour.get(channel_id) ?? 0) }));
}

async function openOrders(tx: Tx): Promise<Figures['open_orders']> {
  const open = STATUSES.filter(isUnshipped);
  const counts = new Map((await countOpenOrders(tx, open)).map(({ status, count }) => [status, count]));
  return open.map((status) => ({ status, count: counts.get(status) ?? 0 }));
}
