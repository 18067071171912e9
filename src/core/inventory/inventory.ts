// Stock as channels read it. Concurrent lookups share one indexed query; only whole lists are cached.
import { lookUpSkus } from './store.ts';
import { Coalescer, type CoalescerLimits, type Settled } from '../../platform/queues/coalescer.ts';
import type { Read } from './channel-reads.ts';
import { sellable, type Sellable } from './sellable.ts';
import type { StockList, StockListCache } from './stock-list-cache.ts';

const LOOKUP_LIMITS: CoalescerLimits = {
  queue_items_max: 8_192,
  batch_items_max: 512,
  batch_weight_max: 512,
};

/**
 * Each bulk lookup has up to 1,000 SKUs and is never split, so that its numbers come from one snapshot. A batch has room
 * for one of that size: in larger batches a small lookup would wait for the large ones of other channels.
 */
const BULK_LOOKUP_LIMITS: CoalescerLimits = {
  queue_items_max: 1_024,
  batch_items_max: 512,
  batch_weight_max: 1_024,
};

interface Lookup {
  channel_id: number;
  sku: string;
}

interface BulkLookup {
  channel_id: number;
  skus: readonly string[];
}

export class Inventory {
  readonly #lookups: Coalescer<Lookup, Sellable | null>;
  readonly #bulkLookups: Coalescer<BulkLookup, (Sellable | null)[]>;
  readonly #cache: StockListCache;

  /** `long` has its own connection: loading a long list must not delay single lookups. */
  constructor({ short, long }: { short: Read; long: Read }, cache: StockListCache) {
    this.#lookups = new Coalescer(
      (batch) => lookUp(short, batch),
      LOOKUP_LIMITS,
      () => 1,
      ({ channel_id }) => channel_id,
    );
    this.#bulkLookups = new Coalescer(
      (batch) => lookUpBulk(long, batch),
      BULK_LOOKUP_LIMITS,
      ({ skus }) => skus.length,
      ({ channel_id }) => channel_id,
    );
    this.#cache = cache;
  }

  /** null: the SKU is not mapped to the channel. */
  find(channelId: number, sku: string): Promise<Sellable | null> {
    return this.#lookups.submit({ channel_id: channelId, sku });
  }

  /** In the order of the SKUs, from one snapshot. */
  findAll(channelId: number, skus: readonly string[]): Promise<(Sellable | null)[]> {
    return this.#bulkLookups.submit({ channel_id: channelId, skus });
  }

  list(channelId: number): Promise<StockList> {
    return this.#cache.list(channelId);
  }

  keepUp(): Promise<void> {
    return this.#cache.keepUp();
  }
}

async function lookUp(read: Read, lookups: readonly Lookup[]): Promise<Settled<Sellable | null>[]> {
  const channelIds = lookups.map((lookup) => lookup.channel_id);
  const skus = lookups.map((lookup) => lookup.sku);
  const found = await read((tx) => lookUpSkus(tx, channelIds, skus));
  const settled: Settled<Sellable | null>[] = lookups.map(() => ({ result: null }));
  for (const row of found) settled[row.position - 1] = { result: sellable(row) };
  return settled;
}

async function lookUpBulk(
  read: Read,
  lookups: readonly BulkLookup[],
): Promise<Settled<(Sellable | null)[]>[]> {
  const channelIds = lookups.flatMap(({ channel_id, skus }) => skus.map(() => channel_id));
  const skus = lookups.flatMap((lookup) => lookup.skus);
  const found = await read((tx) => lookUpSkus(tx, channelIds, skus));
  const results: (Sellable | null)[] = skus.map(() => null);
  for (const row of found) results[row.position - 1] = sellable(row);
  let first = 0;
  return lookups.map((lookup) => ({ result: results.slice(first, (first += lookup.skus.length)) }));
}
