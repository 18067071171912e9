// Statistics on refused requests for the back office: refusal reasons, and SKUs that are requested but not mapped.
// Counted in memory, so that requests do not wait, and written every few seconds.
import { startOfHour } from '../domain/hours.ts';
import type { FormatTimestamp } from '../domain/timestamps.ts';
import { type Tx } from '../store/database.ts';
import { failureOf } from '../store/failures.ts';
import { addUnmappedSkus, addRefusals, type UnmappedSku, type RefusalCount } from '../store/observations.ts';

const FLUSH_MS = 5_000;
/** Entries kept between two writes; further ones are not counted. */
const SKUS_MAX = 1_000;
const REFUSALS_MAX = 10_000;
const SKU_CHARACTERS_MAX = 200;
const QUARTER_MS = 15 * 60 * 1000;

type Asked = UnmappedSku & { channel_id: number };

export class Observations {
  readonly #pool: Tx;
  readonly #format: FormatTimestamp;
  readonly #onBug: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  #refusals = new Map<string, RefusalCount>();
  #asked = new Map<string, Asked>();
  /** The current hour, and until when it is valid. */
  #hour = new Date(0);
  #hourKnownUntil = 0;
  #flushing: Promise<void> | null = null;

  constructor(pool: Tx, format: FormatTimestamp, onBug: (error: unknown) => void, flushMs = FLUSH_MS) {
    this.#pool = pool;
    this.#format = format;
    this.#onBug = onBug;
    this.#timer = setInterval(() => void this.flush(), flushMs);
    this.#timer.unref();
  }

  /** Counts a refused order. */
  refused(channelId: number, reason: string): void {
    const hour = this.#hourOf(Date.now());
    const key = `${hour.getTime()}:${channelId}:${reason}`;
    const known = this.#refusals.get(key);
    if (known) known.count += 1;
    else if (this.#refusals.size < REFUSALS_MAX)
      this.#refusals.set(key, { hour, channel_id: channelId, reason, count: 1 });
  }

  /** Counts a lookup or order of an unmapped SKU. */
  unmappedSku(channelId: number, sku: string, by: 'lookups' | 'orders'): void {
    const key = `${channelId}:${sku}`;
    let known = this.#asked.get(key);
    const now = new Date();
    if (!known) {
      if (this.#asked.size >= SKUS_MAX || sku.length > SKU_CHARACTERS_MAX) return;
      known = { channel_id: channelId, sku, lookups: 0, orders: 0, first_at: now, last_at: now };
      this.#asked.set(key, known);
    }
    known[by] += 1;
    known.last_at = now;
  }

  /** Writes the counts. Never rejects: on failure they are kept for the next write. */
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
    const [refusals, asked] = [this.#refusals, this.#asked];
    this.#refusals = new Map();
    this.#asked = new Map();
    if (refusals.size > 0 && !(await this.#try((tx) => addRefusals(tx, [...refusals.values()]))))
      this.#refusals = merged(refusals, this.#refusals, addRefusal, REFUSALS_MAX);
    if (asked.size > 0 && !(await this.#try((tx) => addUnmappedSkus(tx, [...asked.values()]))))
      this.#asked = merged(asked, this.#asked, addAsked, SKUS_MAX);
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

  #hourOf(now: number): Date {
    if (now >= this.#hourKnownUntil || now < this.#hour.getTime()) {
      this.#hour = startOfHour(new Date(now), this.#format);
      // UTC offsets change only at quarter hours.
      this.#hourKnownUntil = (Math.floor(now / QUARTER_MS) + 1) * QUARTER_MS;
    }
    return this.#hour;
  }
}

/** Adds the counts that failed to be written to those made since. */
function merged<T>(
  earlier: Map<string, T>,
  later: Map<string, T>,
  add: (to: T, more: T) => void,
  max: number,
): Map<string, T> {
  for (const [key, more] of later) {
    const known = earlier.get(key);
    if (known) add(known, more);
    else if (earlier.size < max) earlier.set(key, more);
  }
  return earlier;
}

function addRefusal(to: RefusalCount, more: RefusalCount): void {
  to.count += more.count;
}

function addAsked(to: Asked, more: Asked): void {
  to.lookups += more.lookups;
  to.orders += more.orders;
  to.last_at = more.last_at;
}
