// Orders as channels read them back. Concurrent reads of single orders share one query.
import type pg from 'pg';
import type { OrderView } from '../domain/commands.ts';
import { findOwnOrders } from '../store/channel-orders.ts';
import type { FeedOrder } from '../store/order-feed.ts';
import { Coalescer, answerOf, type Answer, type CoalescerLimits } from './coalescer.ts';
import { readOrderChanges } from './order-changes.ts';
import type { Read } from './reading.ts';

/** Small batches, because an order may have 1,000 lines. */
const FIND_LIMITS: CoalescerLimits = { queue_items_max: 4_096, batch_items_max: 64, batch_weight_max: 64 };
/** Waiting requests of many clients with the same token share one read. */
const CHANGES_LIMITS: CoalescerLimits = {
  queue_items_max: 8_192,
  batch_items_max: 1_024,
  batch_weight_max: 1_024,
};
/** Connections used at a time. The back office needs the same pool. */
const CONCURRENT_READS = 2;

interface Asked {
  channel_id: number;
  order_number: string;
}

interface AskedChanges {
  channel_id: number;
  since: string | undefined;
  limit: number;
}

export interface ChangedOrder {
  order: FeedOrder;
  /** When the order got its current status. */
  at: Date;
}

export interface ChangedOrders {
  changes: ChangedOrder[];
  /** The next token. */
  next: string;
  has_more: boolean;
}

export class ChannelOrders {
  readonly #orders: Coalescer<Asked, OrderView | null>;
  readonly #changes: Coalescer<AskedChanges, ChangedOrders | null>;

  constructor(read: Read, pool: pg.Pool) {
    this.#orders = new Coalescer(async (asked) => {
      const found = await read((tx) => findOwnOrders(tx, asked));
      const orders = new Map<number, OrderView>(found.map((order) => [order.position, order]));
      return asked.map((_, index) => ({ result: orders.get(index + 1) ?? null }));
    }, FIND_LIMITS);
    this.#changes = new Coalescer((asked) => readChangesOf(pool, asked), CHANGES_LIMITS);
  }

  /** null: the channel has no such order. */
  find(channelId: number, orderNumber: string): Promise<OrderView | null> {
    return this.#orders.submit({ channel_id: channelId, order_number: orderNumber });
  }

  /** Orders whose status has changed, each once and in its current state. null: not a token of this database. */
  changes(channelId: number, asked: Omit<AskedChanges, 'channel_id'>): Promise<ChangedOrders | null> {
    return this.#changes.submit({ channel_id: channelId, ...asked });
  }
}

const keyOf = ({ channel_id, since, limit }: AskedChanges): string => `${channel_id} ${limit} ${since}`;

async function readChangesOf(
  pool: pg.Pool,
  asked: readonly AskedChanges[],
): Promise<Answer<ChangedOrders | null>[]> {
  const answers = new Map<string, Answer<ChangedOrders | null>>();
  const different = new Map(asked.map((one) => [keyOf(one), one])).entries();
  const readOn = async (): Promise<void> => {
    for (const [key, one] of different) answers.set(key, await answerOf(readChanges(pool, one)));
  };
  await Promise.all(Array.from({ length: CONCURRENT_READS }, readOn));
  return asked.map((one) => answers.get(keyOf(one)) ?? { result: null });
}

async function readChanges(
  pool: pg.Pool,
  { channel_id, since, limit }: AskedChanges,
): Promise<ChangedOrders | null> {
  const found = await readOrderChanges(pool, { since, limit, reader: { channel_id } });
  if (!found) return null;
  const { changes, next, has_more } = found;
  return { changes: changes.map(({ step, order }) => ({ order, at: step.at })), next, has_more };
}
