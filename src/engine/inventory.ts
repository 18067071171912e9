// Reads for channels. Single lookups that arrive together become one indexed query: always fresh, no cache.
import { DatabaseUnavailable, failureOf } from '../store/database.ts';
import { lookUpSkus } from '../store/inventory.ts';
import type { Session } from '../store/session.ts';
import { Coalescer, type CoalescerLimits, type Settled } from './coalescer.ts';
import { sellable, type Sellable } from './sellable.ts';
import { StockBoard, type StockList } from './stock-board.ts';

const LOOKUP_LIMITS: CoalescerLimits = {
  queue_items_max: 8_192,
  batch_items_max: 512,
  batch_weight_max: 512,
};

interface Lookup {
  channel_id: number;
  sku: string;
}

export class Inventory {
  readonly #session: Session;
  readonly #lookups: Coalescer<Lookup, Sellable | null>;
  readonly #board: StockBoard;

  /** `lists` has a connection of its own: a long first read must not hold up single lookups. */
  constructor(lookups: Session, lists: Session, boardBytesMax?: number) {
    this.#session = lookups;
    this.#lookups = new Coalescer((batch) => this.#lookUp(batch), LOOKUP_LIMITS);
    this.#board = new StockBoard(
      (query) => readOn(lookups, query),
      (query) => readOn(lists, query),
      boardBytesMax,
    );
  }

  /** null: the SKU is not mapped to the channel. */
  find(channelId: number, sku: string): Promise<Sellable | null> {
    return this.#lookups.submit({ channel_id: channelId, sku });
  }

  list(channelId: number): Promise<StockList> {
    return this.#board.list(channelId);
  }

  keepUp(): Promise<void> {
    return this.#board.keepUp();
  }

  async #lookUp(lookups: readonly Lookup[]): Promise<Settled<Sellable | null>[]> {
    const channelIds = lookups.map((lookup) => lookup.channel_id);
    const skus = lookups.map((lookup) => lookup.sku);
    const found = await readOn(this.#session, (tx) => lookUpSkus(tx, channelIds, skus));
    const settled: Settled<Sellable | null>[] = lookups.map(() => ({ result: null }));
    for (const row of found) settled[row.position - 1] = { result: sellable(row) };
    return settled;
  }
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
