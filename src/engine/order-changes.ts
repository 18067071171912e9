// Polls the order feed: from a token to the next changes and the next token.
import type pg from 'pg';
import type { Tx } from '../store/database.ts';
import {
  FEED_START,
  parsePosition,
  positionText,
  readFeed,
  readFeedMoment,
  readFeedOrders,
  type FeedMoment,
  type FeedOrder,
  type FeedPosition,
  type FeedReader,
  type FeedStep,
} from '../store/order-feed.ts';
import { inTransaction, writeAhead } from '../store/transactions.ts';

/** A token for changes from now on. */
export const FROM_NOW = 'now';

export interface OrderChanges {
  changes: { step: FeedStep; order: FeedOrder }[];
  /** The next token. */
  next: string;
  has_more: boolean;
}

export interface ChangesAsked {
  /** undefined: from the first order on. */
  since: string | undefined;
  limit: number;
  reader?: FeedReader;
}

/** null: not a token of this database. */
export const readOrderChanges = (pool: pg.Pool, asked: ChangesAsked): Promise<OrderChanges | null> =>
  inTransaction(pool, (tx) => orderChangesIn(tx, asked));

/** Like `readOrderChanges`, in the caller's transaction, whose commit makes the next token valid. */
export async function orderChangesIn(
  tx: Tx,
  { since, limit, reader = null }: ChangesAsked,
): Promise<OrderChanges | null> {
  const moment = await readFeedMoment(tx);
  if (since === FROM_NOW) {
    await writeAhead(tx);
    const next = tokenOf(moment, { old: null, seen: moment.now, window: null });
    return { changes: [], next, has_more: false };
  }
  const position = since === undefined ? FEED_START : positionOf(since, moment);
  if (!position) return null;
  const page = await readFeed(tx, position, moment.now, { limit, reader });
  const ids = page.steps.map(({ order_id }) => order_id);
  const orders = new Map((await readFeedOrders(tx, ids)).map((order) => [order.id, order]));
  const changes = page.steps.map((step) => {
    const order = orders.get(step.order_id);
    if (!order) throw new RangeError(`order ${step.order_id} has a history and no row`);
    return { step, order };
  });
  return { changes, next: tokenOf(moment, page.position), has_more: page.has_more };
}

const tokenOf = ({ place }: FeedMoment, position: FeedPosition): string =>
  Buffer.from(`${place}/${positionText(position)}`).toString('base64url');

function positionOf(token: string, { place, end }: FeedMoment): FeedPosition | null {
  const text = Buffer.from(token, 'base64url').toString('latin1');
  const position = text.startsWith(`${place}/`) ? parsePosition(text.slice(place.length + 1)) : null;
  // A position beyond `end` was given out before this database was restored to an older state.
  return position && (position.window?.until ?? position.seen).end <= end ? position : null;
}
