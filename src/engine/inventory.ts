// Reads for channels. Single lookups that arrive together become one indexed query: always fresh, no cache.
import {
  channelAvailable,
  NO_ALLOCATION,
  reserveRemaining,
  type Allocation,
  type Stock,
} from '../domain/stock.ts';
import { DatabaseUnavailable, failureOf } from '../store/database.ts';
import { listInventory, lookUpSkus } from '../store/inventory.ts';
import type { Session } from '../store/session.ts';
import { Coalescer, type CoalescerLimits, type Settled } from './coalescer.ts';

const LOOKUP_LIMITS: CoalescerLimits = {
  queue_items_max: 8_192,
  batch_items_max: 512,
  batch_weight_max: 512,
};

export interface Sellable {
  available: number;
  reserve_remaining: number;
}

export interface InventoryRow extends Sellable {
  sku: string;
  product_code: string;
  product_name: string;
  quantity: number;
  allocated: number;
}

/** Columns of outer joins: null together where the row does not exist. */
type Joined = { [K in keyof (Stock & Allocation)]: number | null };

const hasStock = (row: Joined): row is Joined & Stock => row.quantity !== null;
const hasAllocation = (row: Joined): row is Joined & Allocation => row.allocated_qty !== null;

/** A mapped SKU without a stock row is all zeros (section 2.3, formula 5). */
function sellable(row: Joined): Sellable {
  if (!hasStock(row)) return { available: 0, reserve_remaining: 0 };
  const allocation = hasAllocation(row) ? row : NO_ALLOCATION;
  return { available: channelAvailable(row, allocation), reserve_remaining: reserveRemaining(allocation) };
}

interface Lookup {
  channel_id: number;
  sku: string;
}

export class Inventory {
  readonly #session: Session;
  readonly #lookups: Coalescer<Lookup, Sellable | null>;

  constructor(session: Session) {
    this.#session = session;
    this.#lookups = new Coalescer((lookups) => this.#lookUp(lookups), LOOKUP_LIMITS);
  }

  /** null: the SKU is not mapped to the channel. */
  find(channelId: number, sku: string): Promise<Sellable | null> {
    return this.#lookups.submit({ channel_id: channelId, sku });
  }

  async list(channelId: number): Promise<InventoryRow[]> {
    const lines = await this.#read((tx) => listInventory(tx, channelId));
    return lines.map((line) => ({
      sku: line.sku,
      product_code: line.product_code,
      product_name: line.product_name,
      quantity: line.quantity ?? 0,
      allocated: line.allocated ?? 0,
      ...sellable(line),
    }));
  }

  async #lookUp(lookups: readonly Lookup[]): Promise<Settled<Sellable | null>[]> {
    const channelIds = lookups.map((lookup) => lookup.channel_id);
    const skus = lookups.map((lookup) => lookup.sku);
    const found = await this.#read((tx) => lookUpSkus(tx, channelIds, skus));
    const settled: Settled<Sellable | null>[] = lookups.map(() => ({ result: null }));
    for (const row of found) settled[row.position - 1] = { result: sellable(row) };
    return settled;
  }

  /** Reads may be repeated: a connection that was lost meanwhile is made again once. */
  async #read<T>(query: (tx: Awaited<ReturnType<Session['get']>>) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const client = await this.#session.get().catch((error: unknown) => {
        throw new DatabaseUnavailable(error);
      });
      try {
        return await query(client);
      } catch (error) {
        const failure = failureOf(error);
        if (failure === 'connection') this.#session.drop(client);
        if (failure === 'unexpected') throw error;
        if (failure !== 'connection' || attempt > 1) throw new DatabaseUnavailable(error);
      }
    }
  }
}
