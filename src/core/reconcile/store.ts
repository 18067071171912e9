// Recomputes every counter from orders and ledger and compares it with the stored value. One statement, so that
// everything comes from one snapshot; hash aggregates only, no query per row.
import type pg from 'pg';
import { CANCELLED, isUnshipped, SHIPPED, STATUS_EDGES, STATUSES } from '../rules/transitions.ts';
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';
import { IMPORT_SOURCE } from '../rules/commands.ts';
import { inTransaction } from '../../platform/database/transactions.ts';

export const DRIFT_ROWS_MAX = 1_000;

export interface Drift {
  /** table.column, or table.property for a rule about a whole order */
  counter: string;
  variant_code?: string;
  channel_id?: number;
  order_number?: string;
  /** null: no such row. Amounts are decimal strings, others integers. */
  stored: number | string | null;
  /** null: there should be no such row, or the value is ambiguous */
  computed: number | string | null;
}

export interface Reconciliation {
  ok: boolean;
  /** Four counters per stock row, two per allocation, and each order. */
  checked: number;
  /** The first `DRIFT_ROWS_MAX` differences; `drift_count` is their number. */
  drift: Drift[];
  drift_count: number;
}

// $1 statuses in order, $2 unshipped statuses, $3 and $4 allowed transitions (from, to), $5 shipped, $6 cancelled, $7
// maximum number of listed differences.

/** Quantities held by orders, per channel and variant. */
const CLAIMS = `
  claim as materialized (
    select o.channel_id, i.variant_id,
           coalesce(sum(i.quantity - i.cancelled_quantity)
             filter (where not o.is_backorder and o.status = any($2::smallint[])), 0) as unshipped,
           coalesce(sum(i.quantity - i.cancelled_quantity)
             filter (where o.is_backorder and o.status = any($2::smallint[])), 0) as backordered,
           coalesce(sum(i.from_allocation) filter (where o.status <> $6::smallint), 0) as drawn
    from order_item i
    join orders o on o.id = i.order_id
    group by o.channel_id, i.variant_id
  ),
  claim_by_variant as (
    select variant_id, sum(unshipped) as unshipped, sum(backordered) as backordered from claim group by variant_id
  )`;

/** The sum of a ledger, and its last recorded total. */
const LEDGER = `
  ledger as (
    select t.variant_id, t.quantity, last.quantity_after
    from (select variant_id, sum(delta) as quantity, max(id) as last_id from stock_movement group by variant_id) t
    join stock_movement last on last.id = t.last_id
  )`;

// A variant with orders, allocations or movements but without a stock row has "stored: null".
const STOCK = `
  stock_difference as (
    select d.counter, variant_id, d.stored, d.computed
    from (select variant_id, quantity, unshipped, allocated, backordered, true as exists from stock) s
    full join claim_by_variant c using (variant_id)
    full join ledger l using (variant_id)
    full join (select variant_id, sum(allocated_qty) as allocated from allocation group by variant_id) a
      using (variant_id)
    cross join lateral (values
      ('stock.unshipped', s.unshipped::numeric, coalesce(c.unshipped, 0)::numeric, s.exists or c.variant_id is not null),
      ('stock.backordered', s.backordered, coalesce(c.backordered, 0), s.exists or c.variant_id is not null),
      ('stock.allocated', s.allocated, coalesce(a.allocated, 0), s.exists or a.variant_id is not null),
      ('stock.quantity', s.quantity, coalesce(l.quantity, 0), s.exists or l.variant_id is not null),
      ('stock_movement.quantity_after', l.quantity_after, l.quantity, l.variant_id is not null)
    ) as d (counter, stored, computed, applies)
    where d.applies and d.stored is distinct from d.computed
  )`;

const ALLOCATIONS = `
  allocation_difference as (
    select d.counter, variant_id, channel_id, d.stored, d.computed
    from allocation a
    full join (
      select channel_id, variant_id, sum(delta) as granted from allocation_movement group by channel_id, variant_id
    ) g using (channel_id, variant_id)
    full join claim c using (channel_id, variant_id)
    cross join lateral (values
      ('allocation.allocated_qty', a.allocated_qty::numeric, coalesce(g.granted, 0) - coalesce(c.drawn, 0)),
      ('allocation.backordered_qty', a.backordered_qty, coalesce(c.backordered, 0))
    ) as d (counter, stored, computed)
    where coalesce(d.stored, 0) <> d.computed
  )`;

/** Statuses as bits, 1 for the first. Written as CASE, because `array_position` doubled the time for histories. */
const bit = (column: string): string =>
  `case ${column} ${STATUSES.map((status, place) => `when ${status} then ${1 << place}`).join(' ')} end`;

/**
 * A history is valid if it has one start, only allowed steps, and exactly one status without a step out of it. This is
 * enough because an order enters a status at most once (primary key), and the transitions have no cycle.
 */
const WALKS = `
  walk as (
    select h.order_id,
           count(*) filter (where h.from_status is null) as starts,
           count(*) filter (where h.from_status is not null and e.from_status is null) as illegal_steps,
           bit_or(${bit('h.to_status')}) & ~coalesce(bit_or(${bit('h.from_status')}), 0) as ends
    from order_history h
    left join unnest($3::smallint[], $4::smallint[]) as e (from_status, to_status)
      on e.from_status = h.from_status and e.to_status = h.to_status
    group by h.order_id
  )`;

/** True if an import made this step of the order of a suspect `s`. */
const wasImported = (step: string): string =>
  `exists (select from order_history h where h.order_id = s.order_id and ${step} and h.source = '${IMPORT_SOURCE}')`;

// Imported orders keep the amounts of the service that took them, which may have rounded in another way.
// Sums suffice, because each line's cancelled quantity is between 0 and its quantity (CHECK). Rows are filtered before
// their differences are named: naming them for three million correct orders took a minute.
const ORDERS = `
  order_line as (
    select order_id, count(*) as lines, sum(quantity) as quantity, sum(cancelled_quantity) as cancelled,
           sum(quantity * local_unit_price) as local_total
    from order_item group by order_id
  ),
  order_suspect as materialized (
    select order_id, o.exists, o.status, o.local_total_amount, o.total_amount, o.converted,
           l.lines, l.cancelled, l.local_total, l.order_id as line_order_id,
           w.starts, w.illegal_steps, w.order_id as walk_order_id, last.status as last_status,
           case when o.status = $6::smallint then l.quantity else 0 end as to_cancel
    from (
      select id as order_id, true as exists, status, local_total_amount, total_amount,
             round(local_total_amount * exchange_rate, 2) as converted
      from orders
    ) o
    full join order_line l using (order_id)
    full join walk w using (order_id)
    left join unnest($1::smallint[]) with ordinality as last (status, place) on 1 << last.place::int - 1 = w.ends
    where o.status is distinct from last.status or w.starts is distinct from 1 or w.illegal_steps <> 0
       or l.cancelled is distinct from case when o.status = $6::smallint then l.quantity else 0 end
       or o.local_total_amount is distinct from l.local_total or o.total_amount <> o.converted
  ),
  order_difference as (
    select d.counter, s.order_id, d.stored, d.computed
    from order_suspect s
    cross join lateral (values
      ('order_item.order_id', s.exists is null and s.line_order_id is not null, s.line_order_id::numeric, null::numeric),
      ('order_history.order_id', s.exists is null and s.walk_order_id is not null, s.walk_order_id, null),
      ('order.lines', s.exists and s.lines is null, 0, 1),
      ('order.status', s.exists and s.status is distinct from s.last_status, s.status, s.last_status),
      ('order_history.starts', s.exists and s.starts is distinct from 1, coalesce(s.starts, 0), 1),
      ('order_history.illegal_steps', s.exists and s.illegal_steps > 0, s.illegal_steps, 0),
      ('order.cancelled_quantity', s.exists and s.cancelled <> s.to_cancel, s.cancelled, s.to_cancel),
      ('order.local_total_amount', s.exists and s.local_total_amount <> s.local_total and not ${wasImported('h.from_status is null')},
        s.local_total_amount, s.local_total),
      ('order.total_amount', s.exists and s.total_amount <> s.converted and not ${wasImported('h.from_status is null')},
        s.total_amount, s.converted)
    ) as d (counter, differs, stored, computed)
    where d.differs
  )`;

/** A shipped order has one movement per variant. Other orders, and orders imported as shipped, have none. */
const SHIPMENTS = `
  shipment_suspect as materialized (
    select order_id, variant_id, o.quantity, m.movements, m.delta
    from (
      select i.order_id, i.variant_id, sum(i.quantity - i.cancelled_quantity) as quantity
      from order_item i
      join orders o on o.id = i.order_id
      where o.status = $5::smallint
      group by i.order_id, i.variant_id
    ) o
    full join (
      select order_id, variant_id, count(*) as movements, sum(delta) as delta
      from stock_movement where kind = 'shipment' group by order_id, variant_id
    ) m using (order_id, variant_id)
    where o.quantity is null or m.movements is distinct from 1 or m.delta <> -o.quantity
  ),
  shipment_difference as (
    select d.counter, s.order_id, s.variant_id, d.stored, d.computed
    from shipment_suspect s
    cross join lateral (values
      ('shipment.movements', coalesce(s.movements, 0)::numeric, case when s.quantity is null then 0 else 1 end::numeric),
      ('shipment.delta', s.delta, -s.quantity)
    ) as d (counter, stored, computed)
    where d.stored <> d.computed and not (s.movements is null and ${wasImported('h.to_status = $5::smallint')})
  )`;

/** Every return is in the ledger, and no line was returned in a larger quantity than shipped. */
const RETURNS = `
  return_suspect as materialized (
    select order_id, variant_id, r.quantity, m.delta
    from (
      select i.order_id, i.variant_id, sum(r.quantity) as quantity
      from order_return r join order_item i on i.order_id = r.order_id and i.line = r.line
      group by i.order_id, i.variant_id
    ) r
    full join (
      select order_id, variant_id, sum(delta) as delta
      from stock_movement where kind = 'return' group by order_id, variant_id
    ) m using (order_id, variant_id)
    where r.quantity is distinct from m.delta
  ),
  return_difference as (
    select 'return.delta' as counter, order_id, variant_id, coalesce(delta, 0)::numeric as stored,
           coalesce(quantity, 0)::numeric as computed
    from return_suspect
    union all
    select 'order_return.quantity', i.order_id, i.variant_id, sum(r.quantity),
           case when o.status = $5::smallint then i.quantity - i.cancelled_quantity else 0 end
    from order_return r
    join order_item i on i.order_id = r.order_id and i.line = r.line
    join orders o on o.id = r.order_id
    group by i.order_id, i.line, o.status
    having sum(r.quantity) > case when o.status = $5::smallint then i.quantity - i.cancelled_quantity else 0 end
  )`;

/** Orders have no foreign keys to channels and variants, which are never deleted: this finds invalid ids. */
const REFERENCES = `
  reference_difference as (
    select 'orders.channel_id' as counter, null::int as variant_id, channel_id, channel_id::numeric as stored
    from (select distinct channel_id from orders) o
    where not exists (select from channel where id = o.channel_id)
    union all
    select 'order_item.variant_id', variant_id, null, variant_id from claim_by_variant c
    where not exists (select from variant where id = c.variant_id)
    union all
    select 'stock_movement.variant_id', variant_id, null, variant_id from ledger l
    where not exists (select from variant where id = l.variant_id)
    union all
    select 'order_item.product_version_id', null, null, i.id
    from (select distinct product_version_id as id from order_item) i
    where i.id is not null and not exists (select from product_version where id = i.id)
  )`;

const RECONCILE = statement(
  'reconcile',
  `with ${[CLAIMS, LEDGER, STOCK, ALLOCATIONS, WALKS, ORDERS, SHIPMENTS, RETURNS, REFERENCES].join(',')},
  difference (counter, variant_id, channel_id, order_id, stored, computed) as (
    select counter, variant_id, null::int, null::bigint, stored, computed from stock_difference
    union all
    select counter, variant_id, channel_id, null, stored, computed from allocation_difference
    union all
    select counter, null, null, order_id, stored, computed from order_difference
    union all
    select counter, variant_id, null, order_id, stored, computed from shipment_difference
    union all
    select counter, variant_id, null, order_id, stored, computed from return_difference
    union all
    select counter, variant_id, channel_id, null, stored, null from reference_difference
  ),
  listed as (
    select *, count(*) over () as total from difference
    order by counter, variant_id, channel_id, order_id limit $7
  )
  select c.checked, coalesce(d.total, 0) as total, d.counter, v.code as variant_code, d.channel_id, o.order_number,
         d.stored, d.computed
  from (
    select 4 * (select count(*) from stock) + 2 * (select count(*) from allocation) + (select count(*) from orders)
      as checked
  ) c
  left join listed d on true
  left join variant v on v.id = d.variant_id
  left join orders o on o.id = d.order_id
  order by d.counter, v.code, d.channel_id, d.order_id`,
);

const AMOUNTS = new Set(['order.local_total_amount', 'order.total_amount']);

interface Row {
  checked: number;
  total: number;
  counter: string | null;
  variant_code: string | null;
  channel_id: number | null;
  order_number: string | null;
  stored: string | null;
  computed: string | null;
}

/** Three million orders with two lines each took a minute on one slow core. */
const RECONCILE_MS_MAX = 10 * 60 * 1000;

export async function reconcile(tx: Tx): Promise<Reconciliation> {
  const query = {
    ...RECONCILE,
    values: [
      STATUSES,
      STATUSES.filter(isUnshipped),
      STATUS_EDGES.map(([from]) => from),
      STATUS_EDGES.map(([, to]) => to),
      SHIPPED,
      CANCELLED,
      DRIFT_ROWS_MAX,
    ],
    query_timeout: RECONCILE_MS_MAX,
  };
  const found: Row[] = (await tx.query(query)).rows;
  const [first] = found;
  if (!first) throw new RangeError('reconcile returned no row');
  const drift = found.flatMap((row) => (row.counter === null ? [] : [toDrift(row.counter, row)]));
  return { ok: first.total === 0, checked: first.checked, drift, drift_count: first.total };
}

// Aggregates over all orders: with the default work_mem of 4 MB they spilled to disk and took twice as long. More than
// this gained nothing: with 64 MB the server needed 0.7 GB for three million orders instead of 0.3.
const UNHURRIED = statement(
  'reconcile_unhurried',
  `select set_config('statement_timeout', $1, true), set_config('transaction_read_only', 'on', true),
          set_config('work_mem', '16MB', true), pg_backend_pid() as pid`,
);
const CANCEL = statement('reconcile_cancel', 'select pg_cancel_backend($1)');

/** Reconciles with more time and memory, for large databases. */
export const reconcileUnhurried = (pool: pg.Pool, signal?: AbortSignal): Promise<Reconciliation> =>
  inTransaction(pool, async (tx) => {
    const [settings] = await rows<{ pid: number }>(tx, UNHURRIED, [String(RECONCILE_MS_MAX)]);
    signal?.throwIfAborted();
    const cancel = (): void => void run(pool, CANCEL, [settings?.pid]).catch(() => {});
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      return await reconcile(tx);
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  });

function toDrift(counter: string, row: Row): Drift {
  const value = (text: string | null) => (text === null || AMOUNTS.has(counter) ? text : Number(text));
  return {
    counter,
    ...(row.variant_code === null ? {} : { variant_code: row.variant_code }),
    ...(row.channel_id === null ? {} : { channel_id: row.channel_id }),
    ...(row.order_number === null ? {} : { order_number: row.order_number }),
    stored: value(row.stored),
    computed: value(row.computed),
  };
}
