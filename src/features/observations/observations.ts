// What operators see of requests: refusals by reason, unmapped SKUs, refused orders, late reports, logged requests.
// Collected in memory, so that requests do not wait, and written every few seconds. Each is dated in monotonic time, which
// becomes the database's time when it is written: alerts, lists and retention compare it with the database's clock.
import { randomInt } from 'node:crypto';
import { startOfHour } from '../../platform/values/hours.ts';
import type { FormatTimestamp } from '../../platform/values/timestamps.ts';
import { type Tx } from '../../platform/database/database.ts';
import { failureOf } from '../../platform/database/failures.ts';
import { addRequests, type ChannelRequest } from './requests-store.ts';
import { addLateReports, type LateReportSeen } from './late-reports-store.ts';
import { addUnmappedSkus, addRefusals, type UnmappedSku, type RefusalCount } from './store.ts';
import { readNow } from '../../platform/database/clock.ts';
import { addRefusedOrders, type RefusedOrderSeen } from './refused-orders-store.ts';
import { PendingEntries } from '../../platform/queues/pending-entries.ts';

const FLUSH_MS = 5_000;
/** Entries kept between two writes. Further entries are dropped. */
const SKUS_MAX = 1_000;
const REFUSALS_MAX = 10_000;
const ORDERS_MAX = 2_000;
const CHANNEL_ORDERS_MAX = 200;
const REQUESTS_MAX = 2_500;
const CHANNEL_REQUESTS_MAX = 500;
const REQUEST_ID_FIRST_MAX = 2 ** 47;
const SKU_CHARACTERS_MAX = 200;
/** Lines of longer orders are not kept, so it is unknown whether such an order would fit now. */
const LINES_KEPT_MAX = 50;
/** Refusals of one minute are one entry, because every hour begins with a minute. */
const MINUTE_MS = 60_000;

/** `first_ms` and `last_ms`: by `performance.now()`. */
type Undated<T> = Omit<T, 'first_at' | 'last_at'> & { first_ms: number; last_ms: number };
type Asked = Undated<UnmappedSku & { channel_id: number }>;
type Refusal = Omit<RefusalCount, 'hour'> & { at_ms: number };
type Request = Omit<ChannelRequest, 'at'> & { at_ms: number };
type Once<T> = Omit<T, 'count' | 'first_at' | 'last_at'>;
type RefusedOrder = Omit<Once<RefusedOrderSeen>, 'channel_id' | 'order_number'>;

interface ObservationOptions {
  onBug: (error: unknown) => void;
  /** An entry was dropped because there were too many. */
  onDropped?: () => void;
  /** A logged request was dropped because there were too many, or the database was unavailable for too long. */
  onRequestDropped?: () => void;
  flush_ms?: number;
}

export class Observations {
  readonly #pool: Tx;
  readonly #format: FormatTimestamp;
  readonly #onBug: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  readonly #refusals = new PendingEntries<Refusal>({
    entries_max: REFUSALS_MAX,
    add: (to, more) => (to.count += more.count),
    write: (tx, seen) =>
      addRefusals(
        tx,
        seen.map(({ at_ms, ...one }) => ({ ...one, hour: startOfHour(this.#dateOf(at_ms), this.#format) })),
      ),
  });
  readonly #asked = new PendingEntries<Asked>({
    entries_max: SKUS_MAX,
    add: addAsked,
    write: (tx, seen) => addUnmappedSkus(tx, this.#dated(seen)),
  });
  readonly #orders: PendingEntries<Undated<RefusedOrderSeen>>;
  readonly #late: PendingEntries<Undated<LateReportSeen>>;
  readonly #requests: PendingEntries<Request>;
  /** Ids ascend within a process. The random start keeps ids of several processes apart. */
  #requestId = randomInt(REQUEST_ID_FIRST_MAX);
  /** From `performance.now()` to the database's time; until the first write, to that of this process. */
  #clock_ms = performance.timeOrigin;
  #minute = 0;
  /** Keys of the current minute. */
  readonly #keyOfReason = new Map<string, string>();
  #flushing: Promise<void> | null = null;

  constructor(pool: Tx, format: FormatTimestamp, options: ObservationOptions) {
    const { onBug, onDropped = () => {}, onRequestDropped = () => {}, flush_ms = FLUSH_MS } = options;
    this.#pool = pool;
    this.#format = format;
    this.#onBug = onBug;
    const bounds = { entries_max: ORDERS_MAX, channel_entries_max: CHANNEL_ORDERS_MAX, onDropped };
    this.#orders = new PendingEntries({
      ...bounds,
      add: addSeen,
      write: (tx, seen) => addRefusedOrders(tx, this.#dated(seen)),
    });
    this.#late = new PendingEntries({
      ...bounds,
      add: addSeen,
      write: (tx, seen) => addLateReports(tx, this.#dated(seen)),
    });
    this.#requests = new PendingEntries({
      entries_max: REQUESTS_MAX,
      channel_entries_max: CHANNEL_REQUESTS_MAX,
      onDropped: onRequestDropped,
      add: () => {},
      write: (tx, seen) =>
        addRequests(
          tx,
          seen.map(({ at_ms, ...one }) => ({ ...one, at: this.#dateOf(at_ms) })),
        ),
    });
    this.#timer = setInterval(() => void this.flush(), flush_ms);
    this.#timer.unref();
  }

  /** Counts a refused order. */
  refused(channelId: number, reason: string): void {
    const at_ms = performance.now();
    const minute = Math.floor((at_ms + this.#clock_ms) / MINUTE_MS);
    if (minute !== this.#minute) this.#keyOfReason.clear();
    this.#minute = minute;
    let key = this.#keyOfReason.get(reason);
    if (key === undefined) this.#keyOfReason.set(reason, (key = `${minute}:${reason}`));
    this.#refusals.put(channelId, key, () => ({ channel_id: channelId, reason, count: 1, at_ms }));
  }

  /** Counts a lookup or order of an unmapped SKU. */
  unmappedSku(channelId: number, sku: string, by: 'lookups' | 'orders'): void {
    if (sku.length > SKU_CHARACTERS_MAX) return;
    this.#asked.put(channelId, sku, () => {
      const now_ms = performance.now();
      const counts = { lookups: 0, orders: 0, [by]: 1 };
      return { channel_id: channelId, sku, ...counts, first_ms: now_ms, last_ms: now_ms };
    });
  }

  /**
   * Keeps a refused order for the worklist. The last refusal of an order number replaces earlier ones. `make` is called
   * only if there is room.
   */
  refusedOrder(channel_id: number, order_number: string, make: () => RefusedOrder): void {
    this.#orders.put(channel_id, order_number, () => {
      const order = make();
      const { lines } = order;
      return {
        ...order,
        channel_id,
        order_number,
        lines: lines !== null && lines.length <= LINES_KEPT_MAX ? lines : null,
        ...seenOnce(),
      };
    });
  }

  /** Keeps a report or resend that came too late. */
  lateReport(report: Once<LateReportSeen>): void {
    const { channel_id, order_number, kind } = report;
    this.#late.put(channel_id, `${kind}:${order_number}`, () => ({ ...report, ...seenOnce() }));
  }

  /** Keeps a request for the list of its channel. `make` is called only if there is room. */
  request(channelId: number, make: () => Omit<ChannelRequest, 'id' | 'channel_id' | 'at'>): void {
    this.#requestId += 1;
    const id = this.#requestId;
    this.#requests.append(channelId, () => ({
      ...make(),
      id,
      channel_id: channelId,
      at_ms: performance.now(),
    }));
  }

  /** Writes the collected entries. Never rejects: after a failure they are kept for the next write. */
  async flush(): Promise<void> {
    // A flush in progress may have started before the last count.
    if (this.#flushing) await this.#flushing;
    this.#flushing ??= this.#write().finally(() => {
      this.#flushing = null;
    });
    await this.#flushing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  async #write(): Promise<void> {
    const all = [this.#refusals, this.#asked, this.#orders, this.#late, this.#requests];
    if (all.every(({ isEmpty }) => isEmpty) || !(await this.#try((tx) => this.#readClock(tx)))) return;
    for (const pending of all) await pending.flush((write) => this.#try(write));
  }

  async #readClock(tx: Tx): Promise<void> {
    this.#clock_ms = (await readNow(tx)).getTime() - performance.now();
  }

  #dateOf(at_ms: number): Date {
    return new Date(at_ms + this.#clock_ms);
  }

  #dated<T extends { first_ms: number; last_ms: number }>(seen: readonly T[]) {
    return seen.map(({ first_ms, last_ms, ...one }) => ({
      ...one,
      first_at: this.#dateOf(first_ms),
      last_at: this.#dateOf(last_ms),
    }));
  }

  /** False: retry later. After a lost connection some counts may be added twice, which is acceptable for statistics. */
  async #try(write: (tx: Tx) => Promise<unknown>): Promise<boolean> {
    try {
      await write(this.#pool);
      return true;
    } catch (error) {
      if (failureOf(error) !== 'unexpected') return false;
      // Not a connection failure: a retry would fail again.
      this.#onBug(error);
      return true;
    }
  }
}

function addAsked(to: Asked, more: Asked): void {
  to.lookups += more.lookups;
  to.orders += more.orders;
  to.last_ms = more.last_ms;
}

interface Seen {
  count: number;
  first_ms: number;
  last_ms: number;
}

function seenOnce(): Seen {
  const now_ms = performance.now();
  return { count: 1, first_ms: now_ms, last_ms: now_ms };
}

/** Takes all values of the later one, except the time when it was first seen. */
function addSeen<T extends Seen>(to: T, more: T): void {
  Object.assign(to, more, { count: to.count + more.count, first_ms: to.first_ms });
}
