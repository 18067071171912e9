// The list of orders: filters, newest first or sorted, and the totals of a filter.
import { SHIPPED, STATUSES, type Status } from '../rules/transitions.ts';
import { planned, rows, statement, type Tx } from '../../platform/database/database.ts';
import { ORDER_COLUMNS, type OrderRow } from './store.ts';

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
}

export interface OrderPage {
  beforeId: number | null;
  limit: number;
}

/** `chosen` selects whole rows of orders. */
export const listed = (chosen: string, order: string): string =>
  `select ${ORDER_COLUMNS}, c.name as channel_name,
          (select count(*) from order_item i where i.order_id = o.id) as item_count
   from (${chosen}) o
   join channel c on c.id = o.channel_id
   order by ${order}`;

export const ID_MAX = Number.MAX_SAFE_INTEGER;
const list = (where: string, order: string): string =>
  listed(`select * from orders o where ${where} order by ${order} limit $1`, order);

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
// A range of time, newest first. The cursor is an order id here too; the page continues at the time of that order.
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
// `+ 0` keeps the planner from using other indexes: for a channel with half a million orders, finding those of a few
// hours through the index on channels took 65 ms instead of 5 ms.
const BY_SHORT_TIME = byTime(
  '($5::int is null or o.channel_id + 0 = $5) and ($6::int[] is null or o.status + 0 = any($6))',
);

/** Newest first. */
export function listOrders(tx: Tx, filter: OrderFilter & OrderPage): Promise<ListedOrder[]> {
  if (filter.order_number !== null) return listByNumber(tx, filter);
  return filter.from === null && filter.to === null ? listById(tx, filter) : listByTime(tx, filter);
}

function listByNumber(tx: Tx, filter: OrderFilter & OrderPage): Promise<ListedOrder[]> {
  const { limit, order_number, channel_id, statuses, from, to, beforeId } = filter;
  return planned(tx, BY_NUMBER, [limit, order_number, channel_id, statuses, from, to, beforeId ?? ID_MAX]);
}

/** One query per status, because the index gives the newest orders of one status. */
async function listById(tx: Tx, filter: OrderFilter & OrderPage): Promise<ListedOrder[]> {
  const { channel_id, statuses, limit } = filter;
  // Statuses in the order of transitions: an order that moves meanwhile is found twice, and shown once, but never
  // missed.
  const wanted = statuses === null ? [null] : STATUSES.filter((each) => statuses.includes(each));
  const found = new Map<number, ListedOrder>();
  for (const status of wanted) {
    const values = [limit, filter.beforeId ?? ID_MAX, channel_id, status];
    for (const order of await planned<ListedOrder>(tx, BY_ID, values)) found.set(order.id, order);
  }
  return [...found.values()].toSorted((a, b) => b.id - a.id).slice(0, limit);
}

const BY_IDS = list('o.id = any($2::bigint[])', 'o.id desc');

export const listOrdersById = (tx: Tx, ids: readonly number[]): Promise<ListedOrder[]> =>
  ids.length === 0 ? Promise.resolve([]) : planned(tx, BY_IDS, [ids.length, ids]);

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
async function listByTime(tx: Tx, filter: OrderFilter & OrderPage): Promise<ListedOrder[]> {
  const { channel_id, statuses, beforeId, limit } = filter;
  const from = (filter.from ?? TIME_MIN).getTime();
  const last = await timeOf(tx, beforeId ?? ID_MAX);
  // On a later page no order is newer than the last one shown. `+ 1`: times have microseconds, a Date has milliseconds.
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

/** The time of this order, or of the newest order with a lower id. */
async function timeOf(tx: Tx, id: number): Promise<number> {
  const [order] = await rows<{ created_at: Date }>(tx, READ_TIME, [id]);
  return (order?.created_at ?? TIME_MIN).getTime();
}

// All filters in one condition, for statements that return unsorted rows. `first`: number of the first of six
// parameters.
export const filteredBy = (first: number): string =>
  `($${first}::int is null or o.channel_id = $${first}) and ($${first + 1}::smallint[] is null or o.status = any($${first + 1}))
   and ($${first + 2}::text is null or o.order_number = $${first + 2})
   and ($${first + 3}::timestamptz is null or o.created_at >= $${first + 3})
   and ($${first + 4}::timestamptz is null or o.created_at < $${first + 4})`;

export const filterValues = ({ channel_id, statuses, order_number, from, to }: OrderFilter): unknown[] => [
  channel_id,
  statuses,
  order_number,
  from,
  to,
];

export interface OrderTotals {
  count: number;
  /** In KRW. */
  total_amount: string;
  /** False: not all orders were counted. */
  is_complete: boolean;
}

/** Limit on counted orders: counting more would take longer than an operator waits. */
export const TOTALS_ORDERS_MAX = 100_000;

const TOTALS = `select count(*) as count, coalesce(sum(o.total_amount), 0)::numeric(42, 2)::text as total_amount
   from (select o.total_amount from orders o where ${filteredBy(2)} limit $1) o`;

export async function readTotals(tx: Tx, filter: OrderFilter): Promise<OrderTotals> {
  const values = [TOTALS_ORDERS_MAX, ...filterValues(filter)];
  const [found] = await planned<Omit<OrderTotals, 'is_complete'>>(tx, TOTALS, values);
  if (!found) throw new RangeError('no totals');
  return { ...found, is_complete: found.count < TOTALS_ORDERS_MAX };
}

/** Columns by which orders can be sorted, in both directions. The list itself is sorted newest first. */
const SORTED_BY = {
  created_at: 'o.created_at',
  order_number: 'o.order_number',
  total_amount: 'o.total_amount',
  recipient_name: 'o.recipient_name',
} as const;
type SortColumn = keyof typeof SORTED_BY;
export type OrderSort = SortColumn | `-${SortColumn}`;
const SORT_COLUMNS = ['created_at', 'order_number', 'total_amount', 'recipient_name'] as const;
export const ORDER_SORTS: readonly OrderSort[] = SORT_COLUMNS.flatMap((column) => [
  column,
  `-${column}` as const,
]);

/** Limit on matching orders for sorting, because no index has all orders by amount. */
export const SORTED_ORDERS_MAX = 10_000;

const IDS = `select o.id from orders o where ${filteredBy(2)} limit $1`;

/** Returns at most SORTED_ORDERS_MAX + 1 ids: one more than can be sorted. */
export const listMatchingIds = async (tx: Tx, filter: OrderFilter): Promise<number[]> =>
  (await planned<{ id: number }>(tx, IDS, [SORTED_ORDERS_MAX + 1, ...filterValues(filter)])).map(
    ({ id }) => id,
  );

// The cursor is an order id; the page continues after the values of that order.
const sorted = (column: string, direction: 'asc' | 'desc'): string =>
  listed(
    `select o.* from orders o where o.id = any($2::bigint[])
       and ($3::bigint is null or (${column}, o.id) ${direction === 'asc' ? '>' : '<'}
         (select ${column.replace('o.', 'l.')}, l.id from orders l where l.id = $3))
     order by ${column} ${direction}, o.id ${direction} limit $1`,
    `${column} ${direction}, o.id ${direction}`,
  );
const SORTED = new Map(
  SORT_COLUMNS.flatMap((column): [OrderSort, string][] => [
    [column, sorted(SORTED_BY[column], 'asc')],
    [`-${column}`, sorted(SORTED_BY[column], 'desc')],
  ]),
);

export const listSorted = (
  tx: Tx,
  ids: readonly number[],
  sort: OrderSort,
  { beforeId, limit }: OrderPage,
): Promise<ListedOrder[]> => planned(tx, SORTED.get(sort) ?? '', [limit, ids, beforeId]);
