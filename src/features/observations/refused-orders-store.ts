// Refused orders, for operators. One row for each order number of a channel; no personal data.
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';
import { expiredRows, keptRows } from '../../platform/database/kept-rows.ts';

interface RefusedLine {
  sku: string;
  quantity: number;
}

interface RefusedOrderRow {
  channel_id: number;
  order_number: string;
  /** The kind of the outcome, or `invalid`. */
  reason: string;
  /** `invalid`: the first field at fault. */
  field: string | null;
  /** The channel SKU that the refusal names. */
  sku: string | null;
  requested: number | null;
  /** For a backorder: the rest of its quota. */
  available: number | null;
  is_backorder: boolean;
  /** null: the body was invalid, or had too many lines. */
  lines: readonly RefusedLine[] | null;
  request_id: string;
  count: number;
  first_at: Date;
  last_at: Date;
}

/** Refusals of one order since the last write. */
export type RefusedOrderSeen = RefusedOrderRow;

// Sorted, so that processes that write the same rows lock in the same order and cannot deadlock.
const ADD = statement(
  'refused_order_add',
  `insert into refused_order (channel_id, order_number, reason, field, sku, requested, available, is_backorder, lines,
     request_id, count, first_at, last_at)
   select d.channel_id, d.order_number, d.reason, d.field, d.sku, d.requested, d.available, d.is_backorder, d.lines::jsonb,
     d.request_id, d.count, d.first_at, d.last_at
   from unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::boolean[],
     $9::text[], $10::text[], $11::bigint[], $12::timestamptz[], $13::timestamptz[])
     as d (channel_id, order_number, reason, field, sku, requested, available, is_backorder, lines, request_id, count,
       first_at, last_at)
   order by d.channel_id, d.order_number collate "C"
   on conflict (channel_id, order_number) do update set
     reason = excluded.reason, field = excluded.field, sku = excluded.sku, requested = excluded.requested,
     available = excluded.available, is_backorder = excluded.is_backorder, lines = excluded.lines,
     request_id = excluded.request_id, count = refused_order.count + excluded.count,
     first_at = least(refused_order.first_at, excluded.first_at), last_at = excluded.last_at`,
);

export const addRefusedOrders = (tx: Tx, seen: readonly RefusedOrderSeen[]): Promise<number> =>
  run(tx, ADD, [
    seen.map((one) => one.channel_id),
    seen.map((one) => one.order_number),
    seen.map((one) => one.reason),
    seen.map((one) => one.field),
    seen.map((one) => one.sku),
    seen.map((one) => one.requested),
    seen.map((one) => one.available),
    seen.map((one) => one.is_backorder),
    seen.map(({ lines }) => lines && JSON.stringify(lines)),
    seen.map((one) => one.request_id),
    seen.map((one) => one.count),
    seen.map((one) => one.first_at),
    seen.map((one) => one.last_at),
  ]);

export interface RefusedOrder extends RefusedOrderRow {
  id: number;
  channel_name: string;
  /** The order of this number, if the channel sent it again and it was accepted. */
  order_id: number | null;
}

const COLUMNS = `r.id, r.channel_id, r.order_number, r.reason, r.field, r.sku, r.requested, r.available, r.is_backorder,
  r.lines, r.request_id, r.count, r.first_at, r.last_at`;

export interface RefusedOrderFilter {
  channel_id: number | null;
  reason: string | null;
  /** Part of an order number or SKU. */
  search: string | null;
  /** `from` inclusive, `to` exclusive */
  from: Date | null;
  to: Date | null;
  /** false: only orders whose number was not accepted since; true: only the others. */
  accepted: boolean | null;
  after: { at: Date; id: number } | null;
  limit: number;
}

// LIMIT does not change the result: with it the planner looks up the order of each row, instead of joining all orders
// (8 s for three million). It expects no row whose id is null; with a comparison it expects many, and stops early.
const LIST = statement(
  'refused_order_list',
  `select ${COLUMNS}, c.name as channel_name, o.id as order_id
   from refused_order r
   join channel c on c.id = r.channel_id
   left join lateral (
     select o.id from orders o where o.order_number = r.order_number and o.channel_id = r.channel_id limit 1
   ) o on true
   where ($1::int is null or r.channel_id = $1)
     and ($2::text is null or r.reason = $2)
     and ($3::text is null or strpos(lower(r.order_number collate "default"), lower($3)) > 0
       or strpos(lower(r.sku collate "default"), lower($3)) > 0)
     and ($4::timestamptz is null or r.last_at >= $4)
     and ($5::timestamptz is null or r.last_at < $5)
     and ($6::boolean is null or (coalesce(o.id, 0) > 0) = $6)
     and ($7::timestamptz is null or (r.last_at, r.id) < ($7, $8::bigint))
   order by r.last_at desc, r.id desc limit $9`,
);

/** Last refused first. */
export const listRefusedOrders = (tx: Tx, filter: RefusedOrderFilter): Promise<RefusedOrder[]> => {
  const { channel_id, reason, search, from, to, accepted, after, limit } = filter;
  return rows(tx, LIST, [
    channel_id,
    reason,
    search,
    from,
    to,
    accepted,
    after?.at ?? null,
    after?.id ?? null,
    limit,
  ]);
};

const DISMISS = statement(
  'refused_order_dismiss',
  `delete from refused_order r where r.id = $1 returning r.channel_id, r.order_number, r.reason, r.sku`,
);

/** The deleted row; undefined: there was none. */
export const deleteRefusedOrder = async (
  tx: Tx,
  id: number,
): Promise<Pick<RefusedOrder, 'channel_id' | 'order_number' | 'reason' | 'sku'> | undefined> =>
  (await rows<RefusedOrder>(tx, DISMISS, [id]))[0];

const TRIM = statement(
  'refused_order_trim',
  `with expired as (${expiredRows('refused_order', 'last_at', 'r.channel_id, r.order_number')})
   delete from refused_order r using expired e where r.id = e.id`,
);

export const trimRefusedOrders = (tx: Tx, rowsMax?: number): Promise<number> =>
  run(tx, TRIM, keptRows(rowsMax));
