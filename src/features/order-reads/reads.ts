// Orders as channels read them back. Concurrent reads of single orders share one query.
import type pg from 'pg';
import type { OrderView } from '../../core/rules/commands.ts';
import { findOwnOrders } from './store.ts';
import type { FeedOrder } from '../order-feed/store.ts';
import { Coalescer, type CoalescerLimits } from '../../platform/queues/coalescer.ts';
import { readOrderChanges } from '../order-feed/feed.ts';
import type { Read } from '../../core/inventory/channel-reads.ts';
import { Turns, type TurnLimits } from '../../platform/queues/turns.ts';

/** Small batches, because an order may have 1,000 lines. */
const FIND_LIMITS: CoalescerLimits = { queue_items_max: 4_096, batch_items_max: 64, batch_weight_max: 64 };
/** Each read uses a connection of the pool that the back office needs, too. */
const CHANGES_LIMITS: TurnLimits = { at_once_max: 2, at_once_per_owner_max: 1, waiting_max: 8_192 };

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
  /** When the order got its current status, or its shipment was corrected. */
  at: Date;
}

export interface ChangedOrders {
  changes: ChangedOrder[];
  /** The next token. */
  next: string;
  has_more: boolean;
}

/** A read that waits for its turn. */
interface SharedRead {
  result: Promise<ChangedOrders | null>;
  readers: number;
  abandoned: AbortController;
}

export class ChannelOrders {
  readonly #orders: Coalescer<Asked, OrderView | null>;
  readonly #pool: pg.Pool;
  readonly #turns = new Turns(CHANGES_LIMITS);
  /** By channel, token and limit. */
  readonly #waiting = new Map<string, SharedRead>();

  constructor(read: Read, pool: pg.Pool) {
    this.#pool = pool;
    this.#orders = new Coalescer(
      async (asked) => {
        const found = await read((tx) => findOwnOrders(tx, asked));
        const orders = new Map<number, OrderView>(found.map((order) => [order.position, order]));
        return asked.map((_, index) => ({ result: orders.get(index + 1) ?? null }));
      },
      FIND_LIMITS,
      () => 1,
      ({ channel_id }) => channel_id,
    );
  }

  /** null: the channel has no such order. */
  find(channelId: number, orderNumber: string): Promise<OrderView | null> {
    return this.#orders.submit({ channel_id: channelId, order_number: orderNumber });
  }

  /**
   * Orders whose status has changed, each once and in its current state. null: not a token of this database. Many
   * clients with the same token share one read, which begins after the last of these requests.
   */
  changes(
    channelId: number,
    asked: Omit<AskedChanges, 'channel_id'>,
    gone?: AbortSignal,
  ): Promise<ChangedOrders | null> {
    const key = `${channelId} ${asked.limit} ${asked.since}`;
    const shared = this.#waiting.get(key) ?? this.#share(key, { channel_id: channelId, ...asked });
    shared.readers += 1;
    gone?.addEventListener('abort', () => {
      shared.readers -= 1;
      if (shared.readers === 0) shared.abandoned.abort();
    });
    return shared.result;
  }

  #share(key: string, asked: AskedChanges): SharedRead {
    const abandoned = new AbortController();
    // Once the read has begun or failed, or no client waits for it any more, it is not shared.
    const close = (): void => {
      if (this.#waiting.get(key) === shared) this.#waiting.delete(key);
    };
    const begin = (): Promise<ChangedOrders | null> => {
      close();
      return readChanges(this.#pool, asked);
    };
    const result = this.#turns.run(asked.channel_id, begin, abandoned.signal);
    const shared: SharedRead = { result, readers: 0, abandoned };
    this.#waiting.set(key, shared);
    abandoned.signal.addEventListener('abort', close);
    result.catch(close);
    return shared;
  }
}

async function readChanges(
  pool: pg.Pool,
  { channel_id, since, limit }: AskedChanges,
): Promise<ChangedOrders | null> {
  const found = await readOrderChanges(pool, { since, limit, reader: { channel_id } });
  if (!found) return null;
  const { changes, next, has_more } = found;
  // Shipped and then corrected: the order is in its current state, once.
  const latest = new Map(changes.map(({ step, order }) => [order.id, { order, at: step.at }]));
  return { changes: [...latest.values()], next, has_more };
}
