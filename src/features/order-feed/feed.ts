// Polls the order feed: from a token to the next changes and the next token.
import type pg from 'pg';
import type { Tx } from '../../platform/database/database.ts';
import {
  FEED_START,
  isRecorded,
  parseOrigin,
  parsePosition,
  positionText,
  readFeed,
  readFeedMoment,
  readFeedOrders,
  recordToken,
  tokenText,
  type FeedMoment,
  type FeedOrder,
  type FeedPosition,
  type FeedReader,
  type FeedStep,
  type TokenOrigin,
} from './store.ts';
import { inTransaction, writeAhead } from '../../platform/database/transactions.ts';

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
  /**
   * The token is stored in this database, by the same transaction. Wherever the database is restored to, it fits, and
   * is neither recorded nor compared.
   */
  isStored?: boolean;
}

/** null: not a token of this database. */
export const readOrderChanges = (pool: pg.Pool, asked: ChangesAsked): Promise<OrderChanges | null> =>
  inTransaction(pool, (tx) => orderChangesIn(tx, asked));

/** Like `readOrderChanges`, in the caller's transaction, whose commit makes the next token valid. */
export async function orderChangesIn(
  tx: Tx,
  { since, limit, reader = null, isStored = false }: ChangesAsked,
): Promise<OrderChanges | null> {
  const moment = await readFeedMoment(tx);
  const give = async (position: FeedPosition): Promise<string> => {
    const text =
      isStored || hasSeenNothing(position)
        ? positionText(position)
        : tokenText(position, await recordToken(tx, reader, moment.line));
    return Buffer.from(`${moment.place}/${text}`).toString('base64url');
  };
  if (since === FROM_NOW) {
    await writeAhead(tx);
    const next = await give({ old: null, seen: moment.now, window: null });
    return { changes: [], next, has_more: false };
  }
  const token = since === undefined ? START : tokenOf(since, moment);
  if (!token) return null;
  const { position, origin } = token;
  if (!isStored && origin && !(await isRecorded(tx, origin))) return null;
  const page = await readFeed(tx, position, moment.now, { limit, reader });
  const ids = page.steps.map(({ order_id }) => order_id);
  const orders = new Map((await readFeedOrders(tx, ids)).map((order) => [order.id, order]));
  const changes = page.steps.map((step) => {
    const order = orders.get(step.order_id);
    if (!order) throw new RangeError(`order ${step.order_id} has a history and no row`);
    return { step, order };
  });
  const isSame = positionText(page.position) === positionText(position) && (isStored || origin !== null);
  const next = isSame && since !== undefined ? since : await give(page.position);
  return { changes, next, has_more: page.has_more };
}

interface Token {
  position: FeedPosition;
  /** null: of an older version, or stored. */
  origin: TokenOrigin | null;
}

const START: Token = { position: FEED_START, origin: null };

const hasSeenNothing = ({ seen, window }: FeedPosition): boolean =>
  window === null && seen.end === FEED_START.seen.end;

function tokenOf(token: string, { place, end }: FeedMoment): Token | null {
  const whole = Buffer.from(token, 'base64url').toString('latin1');
  const text = whole.startsWith(`${place}/`) ? whole.slice(place.length + 1) : '';
  const position = parsePosition(text);
  // A position beyond `end` was given out before this database was restored to an older state.
  return position && (position.window?.until ?? position.seen).end <= end
    ? { position, origin: parseOrigin(text) }
    : null;
}
