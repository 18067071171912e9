// Reads for channels. Single lookups that arrive together become one indexed query: always fresh, no cache.
import { DatabaseUnavailable, failureOf } from '../store/failures.ts';
import { lookUpSkus } from '../store/inventory.ts';
import type { Session } from '../store/session.ts';
import { Coalescer, type CoalescerLimits, type Settled } from './coalescer.ts';
import { sellable, type Sellable } from './sellable.ts';
import { StockBoard, type StockList } from './stock-board.ts';
import { StockPages, type Bookmark, type StockChanges, type StockPage } from './stock-pages.ts';

const LOOKUP_LIMITS: CoalescerLimits = {
  queue_items_max: 8_192,
  batch_items_max: 512,
  batch_weight_max: 512,
};

/** Each of up to a thousand SKUs; one lookup is never divided, so that its numbers are of one moment. */
const BULK_LOOKUP_LIMITS: CoalescerLimits = {
  queue_items_max: 1_024,
  batch_items_max: 512,
  batch_weight_max: 4_096,
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
  readonly #board: StockBoard;
  readonly #pages: StockPages;

  /** `lists` has a connection of its own: a long first read must not hold up single lookups. */
  constructor(lookups: Session, lists: Session, boardBytesMax?: number) {
    this.#lookups = new Coalescer((batch) => lookUp(lookups, batch), LOOKUP_LIMITS);
    this.#bulkLookups = new Coalescer(
      (batch) => lookUpBulk(lists, batch),
      BULK_LOOKUP_LIMITS,
      ({ skus }) => skus.length,
    );
    this.#board = new StockBoard(
      (query) => readOn(lookups, query),
      (query) => readOn(lists, query),
      boardBytesMax,
    );
    this.#pages = new StockPages((query) => readOn(lists, query), this.#board);
  }

  /** null: the SKU is not mapped to the channel. */
  find(channelId: number, sku: string): Promise<Sellable | null> {
    return this.#lookups.submit({ channel_id: channelId, sku });
  }

  /** In the order of the SKUs; all numbers are of one moment. */
  findAll(channelId: number, skus: readonly string[]): Promise<(Sellable | null)[]> {
    return this.#bulkLookups.submit({ channel_id: channelId, skus });
  }

  list(channelId: number): Promise<StockList> {
    return this.#board.list(channelId);
  }

  page(channelId: number, limit: number, cursor: Bookmark | null): Promise<StockPage> {
    return this.#pages.page(channelId, limit, cursor);
  }

  changes(channelId: number, limit: number | null, since: Bookmark): Promise<StockChanges> {
    return this.#pages.changes(channelId, limit, since);
  }

  keepUp(): Promise<void> {
    return this.#board.keepUp();
  }
}

async function lookUp(session: Session, lookups: readonly Lookup[]): Promise<Settled<Sellable | null>[]> {
  const channelIds = lookups.map((lookup) => lookup.channel_id);
  const skus = lookups.map((lookup) => lookup.sku);
  const found = await readOn(session, (tx) => lookUpSkus(tx, channelIds, skus));
  const settled: Settled<Sellable | null>[] = lookups.map(() => ({ result: null }));
  for (const row of found) settled[row.position - 1] = { result: sellable(row) };
  return settled;
}

async function lookUpBulk(
  session: Session,
  lookups: readonly BulkLookup[],
): Promise<Settled<(Sellable | null)[]>[]> {
  const channelIds = lookups.flatMap(({ channel_id, skus }) => skus.map(() => channel_id));
  const skus = lookups.flatMap((lookup) => lookup.skus);
  const found = await readOn(session, (tx) => lookUpSkus(tx, channelIds, skus));
  const results: (Sellable | null)[] = skus.map(() => null);
  for (const row of found) results[row.position - 1] = sellable(row);
  let first = 0;
  return lookups.map((lookup) => ({ result: results.slice(first, (first += lookup.skus.length)) }));
}

type SessionTx = Awaited<ReturnType<Session['get']>>;

/** Reads may be repeated: a connection that was lost meanwhile is made again once. */
async function readOn<T>(session: Session, query: (tx: SessionTx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const client = await session.get().catch((error: unknown) => {
      throw new DatabaseUnavailable(error);
    });
    try {
      return await query(client);
    } catch (error) {
      const failure = failureOf(error);
      if (failure === 'connection') session.drop(client);
      if (failure === 'unexpected') throw error;
      if (failure !== 'connection' || attempt > 1) throw new DatabaseUnavailable(error);
    }
  }
}
