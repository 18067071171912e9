// The order feed: every step of every order, read from the order history. A reader's position records which
// transactions it has seen. It therefore misses no transaction that commits late, and does not wait for open
// transactions.
import {
  snapshotInShort,
  snapshotUpTo,
  isSnapshotBefore,
  NOTHING_SEEN,
  parseSnapshot,
  snapshotText,
  type SeenTransactions,
} from '../../core/journal/snapshot-rules.ts';
import { PLACE, seenBy, seenSql, STEPS, unseenBy, USE_INDEX } from '../../core/journal/since-store.ts';
import { STATUSES, type Status } from '../../core/rules/transitions.ts';
import { planned, rows, statement, type Tx } from '../../platform/database/database.ts';
import { ITEMS_OF_ORDER, ORDER_COLUMNS, type OrderRow, type StoredItem } from '../../core/orders/store.ts';
import { writeAhead } from '../../platform/database/transactions.ts';

/** Within a window, steps are sorted by order and rank. */
interface Step {
  order_id: number;
  /** Index in `STATUSES`; orders only move to higher indexes. Corrections of a shipment follow after the last status. */
  rank: number;
}

export interface FeedPosition {
  /** Steps from before transactions were recorded come first; null: all of them have been read. */
  old: Step | null;
  seen: SeenTransactions;
  /** A window that is being read: from `seen` to `until`, after a step. */
  window: { until: SeenTransactions; after: Step } | null;
}

const BEFORE_ALL: Step = { order_id: 0, rank: -1 };
export const FEED_START: FeedPosition = { old: BEFORE_ALL, seen: NOTHING_SEEN, window: null };

const stepText = ({ order_id, rank }: Step): string => `${order_id}:${rank}`;
function parseStep(text: string): Step | null {
  const [, id, rank] = /^(\d{1,16}):(-1|\d{1,10})$/.exec(text) ?? [];
  return id === undefined || !Number.isSafeInteger(Number(id))
    ? null
    : { order_id: Number(id), rank: Number(rank) };
}

export const positionText = ({ old, seen, window }: FeedPosition): string =>
  [
    old ? stepText(old) : '',
    snapshotText(seen),
    ...(window ? [snapshotText(window.until), stepText(window.after)] : []),
  ].join('/');

/** null: the text is not a position. A window of nothing is no window. */
export function parsePosition(text: string): FeedPosition | null {
  const [oldText = '', seenText = '', untilText, afterText = ''] = text.split('/', 4);
  const old = oldText === '' ? null : parseStep(oldText);
  const seen = parseSnapshot(seenText);
  if (!seen || (oldText !== '' && !old)) return null;
  if (untilText === undefined || untilText === seenText) return { old, seen, window: null };
  const until = parseSnapshot(untilText);
  const after = parseStep(afterText);
  return until && after && isSnapshotBefore(seen, until) ? { old, seen, window: { until, after } } : null;
}

/** What a position that leaves the database says of its origin. */
export interface TokenOrigin {
  /** The run of the server that gave it out. */
  line: string;
  /** The transaction that gave it out. */
  xid: number;
}

/** The form of a token. Version 0.2 ignores the origin, but only behind a window: here an empty one. */
export function tokenText({ old, seen, window }: FeedPosition, { line, xid }: TokenOrigin): string {
  const whole = positionText({ old, seen, window: window ?? { until: seen, after: BEFORE_ALL } });
  return `${whole}/${line}/${xid}`;
}

/** null: a token of version 0.2 or earlier, or one that has seen nothing. */
export function parseOrigin(text: string): TokenOrigin | null {
  const [, line = '', xid = ''] = /^(?:[^/]*\/){4}([0-9a-f]{16})\/(\d{1,16})$/.exec(text) ?? [];
  return line === '' ? null : { line, xid: Number(xid) };
}

const NOW = seenSql('s.now');
const MOMENT = statement(
  'order_feed_moment',
  `select ${USE_INDEX},
          md5(${PLACE}) as place,
          left(md5(extract(epoch from pg_postmaster_start_time())::text), 16) as line,
          ${NOW.end} as end,
          ${NOW.running} as running
   from (select pg_current_snapshot() as now) s`,
);

export interface FeedMoment {
  place: string;
  /** This run of the database server: a failover and every way to restore a database need another one. */
  line: string;
  now: SeenTransactions;
  /** The first transaction that has not begun. */
  end: number;
}

export async function readFeedMoment(tx: Tx): Promise<FeedMoment> {
  const [row] = await rows<{ place: string; line: string } & SeenTransactions>(tx, MOMENT);
  if (!row) throw new RangeError('no database');
  const { place, line, end, running } = row;
  return { place, line, now: snapshotInShort({ end, running }), end };
}

const RECORD_TOKEN = statement(
  'order_feed_record_token',
  `insert into order_feed_token as t (line, reader, last_xid)
   values ($1, $2, pg_current_xact_id()::text::bigint)
   on conflict (line, reader) do update set last_xid = greatest(t.last_xid, excluded.last_xid)
   returning pg_current_xact_id()::text::bigint as xid`,
);
const FIND_TOKEN = statement(
  'order_feed_find_token',
  'select from order_feed_token where line = $1 and last_xid >= $2 limit 1',
);

/**
 * Must be called after the moment was read, in the transaction that gives the token out. Whatever it has seen was
 * committed before the transaction got its id, hence before the commit of any transaction with this id or a higher one.
 * If one of those is still there, all of it is, and transaction ids continue after it.
 */
export async function recordToken(tx: Tx, reader: FeedReader, line: string): Promise<TokenOrigin> {
  const [made] = await rows<{ xid: number }>(tx, RECORD_TOKEN, [line, reader?.channel_id ?? 0]);
  if (!made) throw new RangeError('the token was not recorded');
  return { line, xid: made.xid };
}

/** False: the token is of a history that a restore or a failover has ended before. */
export const isRecorded = async (tx: Tx, { line, xid }: TokenOrigin): Promise<boolean> =>
  (await rows(tx, FIND_TOKEN, [line, xid])).length > 0;

const rankOf = (step: string): string =>
  `coalesce(cardinality($1::smallint[]) - 1 + ${step}.n, array_position($1::smallint[], ${step}.to_status) - 1)`;
const RANK = rankOf('h');
/** `+ 0` keeps the planner from using the primary key, which would read the history of all later orders. */
const AFTER = `(h.order_id + 0 > $2 or h.order_id = $2 and ${RANK} > $3)`;
const STEP_COLUMNS = `h.order_id, ${RANK} as rank, h.from_status as "from", h.to_status as "to", h.source, h.at`;

/**
 * null: all steps. A channel gets its orders whose status has changed, each with the step to the current status. It
 * does not get their intake, which it requested itself.
 */
export type FeedReader = { channel_id: number } | null;

const stepsFor = (reader: FeedReader, parameter: string): string =>
  reader
    ? `(select h.* from ${STEPS} h join orders o on o.id = h.order_id
        where o.channel_id = ${parameter} and h.to_status = o.status and h.from_status is not null)`
    : STEPS;
const channelOf = (reader: FeedReader): number[] => (reader ? [reader.channel_id] : []);

const oldSteps = (reader: FeedReader): string => `select ${STEP_COLUMNS} from ${stepsFor(reader, '$5')} h
   where h.xid is null and h.order_id >= $2 and ${AFTER} order by h.order_id, 2 limit $4`;

// From `SEEN` to `UNTIL`: `$6` lists the transactions that ended in the window. `$4`, its lowest id, allows the use of
// the index by transaction.
const SEEN = { end: '$5', running: '$6::bigint[]' };
const UNTIL = { end: '$7', running: '$8::bigint[]' };
const IN_WINDOW = `h.xid >= $4 and ${seenBy(UNTIL, 'h.xid')} and ${unseenBy(SEEN, 'h.xid')}`;
const WAS_SEEN = `${seenBy(SEEN, 's.xid')} and s.xid <> all(${UNTIL.running})`;
/**
 * A transaction can wait for an order while another one, with a higher id, moves it: then the step of the higher id comes
 * first. A window therefore also contains the earlier steps of its orders, whichever transaction made them, and a step
 * is left out if a later one of its order has been read before: it was read with that one.
 */
const windowSteps = (reader: FeedReader): string =>
  reader
    ? `select ${STEP_COLUMNS} from ${stepsFor(reader, '$10')} h
       where ${IN_WINDOW} and ${AFTER} order by h.order_id, 2 limit $9`
    : `select ${STEP_COLUMNS}
       from (select found.order_id, max(found.rank) as rank
             from (select h.order_id, ${RANK} as rank from ${STEPS} h
                   where ${IN_WINDOW} and h.order_id + 0 >= $2 offset 0) found
             group by found.order_id) w
       cross join lateral (select * from ${STEPS} h where h.order_id = w.order_id and ${RANK} <= w.rank offset 0) h
       where ${AFTER} and h.xid is not null and not exists (
         select from ${STEPS} s
         where s.order_id = h.order_id and ${rankOf('s')} >= ${RANK} and ${WAS_SEEN} offset 0)
       order by h.order_id, 2 limit $9`;
const COUNT_WINDOW = `select count(*) as count from (
     select from ${STEPS} h where ${IN_WINDOW} and ${AFTER} limit $9
   ) found`;

export interface FeedStep extends Step {
  from: Status | null;
  to: Status;
  source: string;
  at: Date;
}

function windowValues(
  seen: SeenTransactions,
  until: SeenTransactions,
  after: Step,
  limit: number,
): unknown[] {
  const ended = seen.running.filter((xid) => !until.running.includes(xid));
  const first = Math.min(seen.end, ...ended);
  const { order_id, rank } = after;
  return [STATUSES, order_id, rank, first, seen.end, ended, until.end, until.running, limit];
}

/**
 * Transactions in the first window, because each page sorts its window. An empty window is followed by a larger one.
 */
const WINDOW_TRANSACTIONS = 32;
const WINDOW_GROWTH = 8;
/** A window with more steps than fit into this many pages is reduced, down to one transaction. */
const WINDOW_PAGES = 4;
/** The same limit for a channel, in steps of all channels. */
const WINDOW_STEPS_MAX = 20_000;

/** The next window that contains steps; null: no more steps. */
async function findWindow(
  tx: Tx,
  from: SeenTransactions,
  now: SeenTransactions,
  steps_max: number,
): Promise<{ seen: SeenTransactions; until: SeenTransactions } | null> {
  let seen = from;
  for (let width = WINDOW_TRANSACTIONS; ;) {
    const until = seen.end + width < now.end ? snapshotUpTo(now, seen.end + width) : now;
    const values = windowValues(seen, until, BEFORE_ALL, steps_max + 1);
    const count = (await planned<{ count: number }>(tx, COUNT_WINDOW, values))[0]?.count ?? 0;
    if (count === 0 && until === now) return null;
    if (count === 0) {
      seen = until;
      width *= WINDOW_GROWTH;
    } else if (count > steps_max && width > 1) {
      width = Math.max(1, Math.floor(width / WINDOW_GROWTH));
    } else {
      return { seen, until };
    }
  }
}

export interface FeedPage {
  steps: FeedStep[];
  position: FeedPosition;
  has_more: boolean;
}

/** Windows read for one answer to a channel. A window may contain only steps of other channels. */
const WINDOWS_MAX = 10;

/**
 * Must run in its own transaction. Its commit ensures that no transaction id below the position can be assigned
 * again.
 */
export async function readFeed(
  tx: Tx,
  position: FeedPosition,
  now: SeenTransactions,
  { limit, reader = null }: { limit: number; reader?: FeedReader },
): Promise<FeedPage> {
  if (position.old) {
    const { order_id, rank } = position.old;
    const values = [STATUSES, order_id, rank, limit + 1, ...channelOf(reader)];
    const steps = await planned<FeedStep>(tx, oldSteps(reader), values);
    const { shown, last } = pageOf(steps, limit);
    const old = steps.length > limit ? last : null;
    if (steps.length > 0) return { steps: shown, position: { ...position, old }, has_more: true };
  }
  let at: FeedPosition = { ...position, old: null };
  for (let windows = 1; ; windows++) {
    const page = await readWindow(tx, at, now, { limit, reader });
    if (page.steps.length === 0 && page.has_more && windows < WINDOWS_MAX) {
      at = page.position;
      continue;
    }
    // After a crash PostgreSQL may reuse ids of transactions that wrote nothing to disk. This writes a higher id.
    if (page.position !== at || windows > 1) await writeAhead(tx);
    return page;
  }
}

async function readWindow(
  tx: Tx,
  position: FeedPosition,
  now: SeenTransactions,
  { limit, reader }: { limit: number; reader: FeedReader },
): Promise<FeedPage> {
  const found =
    position.window === null
      ? await findWindow(tx, position.seen, now, reader ? WINDOW_STEPS_MAX : WINDOW_PAGES * limit)
      : { seen: position.seen, until: position.window.until };
  if (!found) return { steps: [], position, has_more: false };
  const after = position.window?.after ?? BEFORE_ALL;
  const values = windowValues(found.seen, found.until, after, limit + 1);
  const steps = await planned<FeedStep>(tx, windowSteps(reader), [...values, ...channelOf(reader)]);
  const { shown, last } = pageOf(steps, limit);
  if (steps.length > limit)
    return {
      steps: shown,
      position: { old: null, seen: found.seen, window: { until: found.until, after: last } },
      has_more: true,
    };
  return {
    steps: shown,
    position: { old: null, seen: found.until, window: null },
    has_more: found.until.end < now.end,
  };
}

function pageOf(steps: readonly FeedStep[], limit: number): { shown: FeedStep[]; last: Step } {
  const shown = steps.slice(0, limit);
  const { order_id, rank } = shown.at(-1) ?? BEFORE_ALL;
  return { shown, last: { order_id, rank } };
}

export interface FeedOrder extends OrderRow {
  recipient_phone: string;
  shipping_address: string;
  items: StoredItem[];
}

const READ_ORDERS = statement(
  'order_feed_orders',
  `select ${ORDER_COLUMNS}, o.recipient_phone, o.shipping_address, i.items
   from orders o ${ITEMS_OF_ORDER} where o.id = any($1::bigint[])`,
);

export const readFeedOrders = (tx: Tx, ids: readonly number[]): Promise<FeedOrder[]> =>
  rows(tx, READ_ORDERS, [[...new Set(ids)]]);
