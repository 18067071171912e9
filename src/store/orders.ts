// Orders for the back office, read only: all changes go through the gate.
import { SHIPPED, STATUSES, type Status } from '../domain/transitions.ts';
import { rows, statement, type Tx } from './database.ts';
import { JOIN_NAMES } from './products.ts';

interface OrderRow {
  id: number;
  order_number: string;
  channel_id: number;
  status: Status;
  is_backorder: boolean;
  recipient_name: string;
  tracking_number: string | null;
  courier_code: string | null;
  courier_name: string | null;
  /** The URL template of the courier. */
  courier_tracking_url: string | null;
  cancel_reason: string | null;
  local_currency_code: string;
  local_total_amount: string;
  total_amount: string;
  exchange_rate: string;
  created_at: Date;
  /** null: not erased */
  erased_at: Date | null;
}

const COLUMNS = `o.id, o.order_number, o.channel_id, o.status, o.is_backorder, o.recipient_name, o.tracking_number,
  o.courier_code, o.courier_name, o.cancel_reason, o.local_currency_code,
  trim_scale(o.local_total_amount) as local_total_amount, o.total_amount,
  o.exchange_rate, o.created_at, o.erased_at,
  (select k.tracking_url from common_code k where k.code_group = 'DELIVERY_COMPANY' and k.code = o.courier_code)
    as courier_tracking_url`;

/** An order with the extra columns of the list. */
export interface ListedOrder extends OrderRow {
  channel_name: string;
  item_count: number;
}

export interface OrderFilter {
  channel_id: number | null;
  /** any of these; null: all */
  statuses: readonly Status[] | null;
  order_number: string | null;
  /** `from` inclusive, `to` exclusive */
  from: Date | null;
  to: Date | null;
  beforeId: number | null;
  limit: number;
}

/**
 * Planned for its values each time, therefore not a named statement. Prepared, PostgreSQL switches to one generic plan
 * for all filters after a few calls: finding a number among three million orders, or the orders of a small channel,
 * took a second instead of 1 ms.
 */
async function planned<Row>(tx: Tx, text: string, values: unknown[]): Promise<Row[]> {
  return (await tx.query({ text, values })).rows;
}

const ID_MAX = Number.MAX_SAFE_INTEGER;
const list = (where: string, order: string): string =>
  `select ${COLUMNS}, c.name as channel_name,
          (select count(*) from order_item i where i.order_id = o.id) as item_count
   from (select * from orders o where ${where} order by ${order} limit $1) o
   join channel c on c.id = o.channel_id
   order by ${order}`;

const BY_ID = list(
  `o.id < $2 and ($3::int is null or o.channel_id = $3) and ($4::smallint is null or o.status = $4)`,
  'o.id desc',
);
const BY_NUMBER = list(
  `o.order_number = $2 and ($3::int is null or o.channel_id = $3)
   and ($4::smallint[] is null or o.status = any($4))
   and ($5::timestamptz is null or o.created_at >= $5) and ($6::timestamptz is null or o.created_at < $6)
   and o.id < $7`,
  'o.id desc',
);
// A range of time, newest first. The cursor is an order id here too; its time tells where the page ended.
const byTime = (filters: string): string =>
  list(
    `o.created_at >= $2 and o.created_at < $3
     and ($4::bigint is null
       or (o.created_at, o.id) < (select l.created_at, l.id from orders l where l.id = $4))
     and ${filters}`,
    'o.created_at desc, o.id desc',
  );
const BY_TIME = byTime(
  '($5::int is null or o.channel_id = $5) and ($6::smallint[] is null or o.status = any($6))',
);
// The `+ 0` keeps other indexes out: with half a million orders of a channel in its index, finding those of a few hours
// took 65 ms instead of 5 ms.
const BY_SHORT_TIME = byTime(
  '($5::int is null or o.channel_id + 0 = $5) and ($6::int[] is null or o.status + 0 = any($6))',
);

/** Newest first. */
export function listOrders(tx: Tx, filter: OrderFilter): Promise<ListedOrder[]> {
  if (filter.order_number !== null) return listByNumber(tx, filter);
  return filter.from === null && filter.to === null ? listById(tx, filter) : listByTime(tx, filter);
}

function listByNumber(tx: Tx, filter: OrderFilter): Promise<ListedOrder[]> {
  const { limit, order_number, channel_id, statuses, from, to, beforeId } = filter;
  return planned(tx, BY_NUMBER, [limit, order_number, channel_id, statuses, from, to, beforeId ?? ID_MAX]);
}

/** One query per status, because the index gives the newest orders of one status. */
async function listById(tx: Tx, filter: OrderFilter): Promise<ListedOrder[]> {
  const { channel_id, statuses, limit } = filter;
  // In the order of the transitions: an order that moves meanwhile is found twice rather than missed, and shown once.
  const wanted = statuses === null ? [null] : STATUSES.filter((each) => statuses.includes(each));
  const found = new Map<number, ListedOrder>();
  for (const status of wanted) {
    const values = [limit, filter.beforeId ?? ID_MAX, channel_id, status];
    for (const order of await planned<ListedOrder>(tx, BY_ID, values)) found.set(order.id, order);
  }
  return [...found.values()].toSorted((a, b) => b.id - a.id).slice(0, limit);
}

/** The first time window, and the factor by which each next one grows. */
const WINDOW_MS = 60 * 60 * 1000;
const WINDOW_GROWTH = 8;
const SHORT_WINDOW_MS = 30 * 24 * WINDOW_MS;
const TIME_MIN = new Date('1970-01-01T00:00:00Z');
const TIME_MAX = new Date('9999-12-31T00:00:00Z');

/**
 * Reads growing windows into the past until the page is full, so that the cost depends on the rows shown. The index on
 * the time is BRIN: it cannot be scanned in order, but it finds the table pages of a window and costs intake almost
 * nothing.
 */
async function listByTime(tx: Tx, filter: OrderFilter): Promise<ListedOrder[]> {
  const { channel_id, statuses, beforeId, limit } = filter;
  const from = (filter.from ?? TIME_MIN).getTime();
  const last = await timeOf(tx, beforeId ?? ID_MAX);
  // On a later page nothing is newer than the last order shown; times have microseconds, a Date has not.
  const newest = beforeId === null ? TIME_MAX.getTime() : last + 1;
  let end = Math.min(newest, (filter.to ?? TIME_MAX).getTime());
  let start = Math.min(end, last);
  const found: ListedOrder[] = [];
  for (let length = WINDOW_MS; end > from && found.length < limit; length *= WINDOW_GROWTH) {
    const isShort = length <= SHORT_WINDOW_MS;
    // A channel or status that did not fill the page within a month has few orders: the rest is read through its own
    // index.
    start = Math.max(from, isShort || !isSelective(filter) ? start - length : from);
    const window = [limit - found.length, new Date(start), new Date(end)];
    const values = [...window, beforeId, channel_id, statuses];
    found.push(...(await planned<ListedOrder>(tx, isShort ? BY_SHORT_TIME : BY_TIME, values)));
    end = start;
  }
  return found;
}

const isSelective = ({ channel_id, statuses }: OrderFilter): boolean =>
  channel_id !== null || (statuses !== null && !statuses.includes(SHIPPED));

const READ_TIME = statement(
  'order_read_time',
  `select created_at from orders where id <= $1 order by id desc limit 1`,
);

/** Of this order, or of the newest one with a lower id. */
async function timeOf(tx: Tx, id: number): Promise<number> {
  const [order] = await rows<{ created_at: Date }>(tx, READ_TIME, [id]);
  return (order?.created_at ?? TIME_MIN).getTime();
}

interface StoredItem {
  line: number;
  product_code: string;
  product_name: string;
  quantity: number;
  unit_price: string;
  sku: string;
  variant_code: string;
  local_unit_price: string;
  line_total: string;
  local_line_total: string;
  cancelled_quantity: number;
  returned_quantity: number;
  from_allocation: number;
}

interface Authored {
  /** null: not recorded */
  actor: string | null;
  /** Of the account or channel. */
  actor_name: string | null;
  /** A timestamp in PostgreSQL's JSON format. */
  at: string;
}

interface StoredStep extends Authored {
  from: Status | null;
  to: Status;
  source: string;
}

interface StoredReturn extends Authored {
  line: number;
  quantity: number;
  reason: string;
}

interface StoredNote extends Authored {
  text: string;
}

export interface StoredOrder extends OrderRow {
  recipient_phone: string;
  shipping_address: string;
  items: StoredItem[];
  history: StoredStep[];
  returns: StoredReturn[];
  notes: StoredNote[];
}

const accountName = (actor: string): string =>
  `(select a.name from account a where a.email = substr(${actor}, 6) and starts_with(${actor}, 'user:'))`;

// The audit entry of a report names its first and last status; the steps of different reports do not overlap.
const STEP_ACTOR = `(select a.actor from audit a
       where a.subject = 'order:' || h.order_id and a.action = 'order.status'
         and array_position($2::smallint[], (a.before ->> 'status')::smallint) < array_position($2::smallint[], h.to_status)
         and array_position($2::smallint[], (a.after ->> 'status')::smallint) >= array_position($2::smallint[], h.to_status)
       limit 1)`;

// One statement, so that status, lines and history come from one snapshot. Numerics are returned as text: a JSON number
// would become a binary float. Steps of one report have the same time, so they are sorted by status.
const FIND = statement(
  'order_find',
  `select ${COLUMNS}, o.recipient_phone, o.shipping_address, i.items, h.history, r.returns, n.notes
   from orders o
   join channel c on c.id = o.channel_id
   cross join lateral (
     select coalesce(json_agg(json_build_object(
       'line', i.line, 'product_code', n.code, 'product_name', n.name, 'quantity', i.quantity, 'unit_price', i.unit_price::text,
       'sku', i.sku, 'variant_code', v.code, 'local_unit_price', trim_scale(i.local_unit_price)::text,
       'line_total', round(i.local_unit_price * i.quantity * o.exchange_rate, 2)::text, 'local_line_total', trim_scale(i.local_unit_price * i.quantity)::text,
       'cancelled_quantity', i.cancelled_quantity, 'from_allocation', i.from_allocation,
       'returned_quantity', (select coalesce(sum(r.quantity), 0) from order_return r where r.order_id = i.order_id and r.line = i.line)
       ) order by i.line), '[]') as items
     from order_item i
     join variant v on v.id = i.variant_id
     ${JOIN_NAMES}
     where i.order_id = o.id
   ) i
   cross join lateral (
     select coalesce(json_agg(json_build_object(
       'from', h.from_status, 'to', h.to_status, 'source', h.source, 'at', h.at, 'actor', h.actor,
       'actor_name', case h.source when 'channel' then c.name else ${accountName('h.actor')} end)
       order by array_position($2::smallint[], h.to_status)), '[]') as history
     from (
       select h.*, case h.source when 'channel' then 'channel:' || o.channel_id else ${STEP_ACTOR} end as actor
       from order_history h
       where h.order_id = o.id
     ) h
   ) h
   cross join lateral (
     select coalesce(json_agg(json_build_object(
       'line', r.line, 'quantity', r.quantity, 'reason', r.reason, 'actor', r.actor,
       'actor_name', ${accountName('r.actor')}, 'at', r.at) order by r.id), '[]') as returns
     from order_return r
     where r.order_id = o.id
   ) r
   cross join lateral (
     select coalesce(json_agg(json_build_object('text', n.text, 'actor', n.actor,
       'actor_name', ${accountName('n.actor')}, 'at', n.at) order by n.id), '[]') as notes
     from order_note n
     where n.order_id = o.id
   ) n
   where o.id = $1`,
);

export const findOrder = async (tx: Tx, id: number): Promise<StoredOrder | undefined> =>
  (await rows<StoredOrder>(tx, FIND, [id, STATUSES]))[0];

const BY_IDS = list('o.id = any($2::bigint[])', 'o.id desc');

export const listOrdersById = (tx: Tx, ids: readonly number[]): Promise<ListedOrder[]> =>
  ids.length === 0 ? Promise.resolve([]) : planned(tx, BY_IDS, [ids.length, ids]);

const ITEMS_SHOWN_MAX = 10;

const FIND_BY_NUMBERS = statement(
  'order_find_by_numbers',
  `select o.id, o.order_number, o.channel_id, o.recipient_name, i.item_count, i.items
   from orders o
   cross join lateral (
     select count(*) as item_count, coalesce(json_agg(json_build_object(
       'variant_code', v.code, 'product_name', n.name, 'quantity', i.quantity - i.cancelled_quantity) order by i.line)
       filter (where i.line < ${ITEMS_SHOWN_MAX}), '[]') as items
     from order_item i
     join variant v on v.id = i.variant_id
     ${JOIN_NAMES}
     where i.order_id = o.id
   ) i
   where o.order_number = any($1::text[])`,
);

export interface NumberedOrder {
  id: number;
  order_number: string;
  channel_id: number;
  recipient_name: string;
  item_count: number;
  /** The first ITEMS_SHOWN_MAX lines. */
  items: { variant_code: string; product_name: string; quantity: number }[];
}

/** An order number is unique across all channels. */
export const findByNumbers = (tx: Tx, orderNumbers: readonly string[]): Promise<NumberedOrder[]> =>
  rows(tx, FIND_BY_NUMBERS, [orderNumbers]);
