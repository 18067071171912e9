// The second round trip of a batch: the net changes, set by set. Counters are deltas; the database guards them.
import type { Changes, NewOrder } from '../domain/commands.ts';
import { CANCELLED } from '../domain/transitions.ts';
import { run, statement, type Tx } from './database.ts';

// What nearly every batch writes, in one statement: five of them cost a small batch more than the rows themselves.
const WRITE_BATCH = statement(
  'gate_write_batch',
  `with new_orders as (
     insert into orders (id, channel_id, order_number, status, is_backorder, recipient_name, recipient_phone,
       shipping_address, tracking_number, local_currency_code, local_total_amount, total_amount, exchange_rate)
     select * from unnest($1::bigint[], $2::int[], $3::text[], $4::smallint[], $5::boolean[], $6::text[], $7::text[],
       $8::text[], $9::text[], $10::text[], $11::numeric[], $12::numeric[], $13::numeric[])
   ), new_items as (
     insert into order_item (order_id, line, variant_id, sku, quantity, from_allocation, local_unit_price, unit_price)
     select * from unnest($14::bigint[], $15::smallint[], $16::int[], $17::text[], $18::int[], $19::int[],
       $20::numeric[], $21::numeric[])
   ), new_steps as (
     insert into order_history (order_id, from_status, to_status, source)
     select * from unnest($22::bigint[], $23::smallint[], $24::smallint[], $25::text[])
   ), journal as (
     insert into change_journal (batch, variant_ids) values ($26::uuid, $27::int[])
   )
   update stock s
   set quantity = s.quantity + d.quantity, unshipped = s.unshipped + d.unshipped,
       allocated = s.allocated + d.allocated, backordered = s.backordered + d.backordered
   from unnest($27::int[], $28::int[], $29::bigint[], $30::bigint[], $31::bigint[])
     as d (variant_id, quantity, unshipped, allocated, backordered)
   where s.variant_id = d.variant_id`,
);

function writeBatch(tx: Tx, changes: Changes, batch: string): Promise<number> {
  return run(tx, WRITE_BATCH, [
    ...orderColumns(changes.created),
    ...itemColumns(changes.created),
    ...historyColumns(changes.history),
    batch,
    ...stockColumns(changes.stock),
  ]);
}

/** Sorted by number, so that two processes that insert the same numbers wait for each other in one direction. */
function orderColumns(created: readonly NewOrder[]): unknown[][] {
  const sorted = created.toSorted((a, b) => (a.order.order_number < b.order.order_number ? -1 : 1));
  const column = <T>(pick: (row: NewOrder) => T): T[] => sorted.map(pick);
  return [
    column(({ order }) => order.id),
    column(({ order }) => order.channel_id),
    column(({ order }) => order.order_number),
    column(({ order }) => order.status),
    column(({ order }) => order.is_backorder),
    column(({ order }) => order.recipient_name),
    column(({ command }) => command.recipient_phone),
    column(({ command }) => command.shipping_address),
    column(({ command }) => command.tracking_number),
    column((row) => row.local_currency_code),
    column((row) => row.local_total_amount),
    column(({ order }) => order.total_amount),
    column((row) => row.exchange_rate),
  ];
}

function itemColumns(created: readonly NewOrder[]): unknown[][] {
  const lines = created.flatMap(({ order }) => order.items.map((item) => ({ order_id: order.id, item })));
  return [
    lines.map((row) => row.order_id),
    lines.map(({ item }) => item.line),
    lines.map(({ item }) => item.variant_id),
    lines.map(({ item }) => item.sku),
    lines.map(({ item }) => item.quantity),
    lines.map(({ item }) => item.from_allocation),
    lines.map(({ item }) => item.local_unit_price),
    lines.map(({ item }) => item.unit_price),
  ];
}

const historyColumns = (history: Changes['history']): unknown[][] => [
  history.map((step) => step.order_id),
  history.map((step) => step.from),
  history.map((step) => step.to),
  history.map((step) => step.source),
];

function stockColumns(stock: Changes['stock']): number[][] {
  const deltas = [...stock.values()];
  return [
    [...stock.keys()],
    deltas.map((delta) => delta.quantity),
    deltas.map((delta) => delta.unshipped),
    deltas.map((delta) => delta.allocated),
    deltas.map((delta) => delta.backordered),
  ];
}

// What reports add to that, again in one statement.
const WRITE_MOVES = statement(
  'gate_write_moves',
  `with cancelled as (
     update order_item set cancelled_quantity = quantity where order_id = any($7::bigint[])
   ), shipped as (
     insert into stock_movement (variant_id, delta, quantity_after, kind, order_id, actor)
     select d.variant_id, d.delta, d.quantity_after, 'shipment', d.order_id, d.actor
     from unnest($8::int[], $9::int[], $10::int[], $11::bigint[], $12::text[])
       with ordinality as d (variant_id, delta, quantity_after, order_id, actor, position)
     order by d.position
   )
   update orders o
   set status = d.status,
       tracking_number = coalesce(d.tracking_number, o.tracking_number),
       courier_code = coalesce(d.courier_code, o.courier_code),
       courier_name = coalesce(d.courier_name, o.courier_name),
       cancel_reason = coalesce(d.cancel_reason, o.cancel_reason)
   from unnest($1::bigint[], $2::smallint[], $3::text[], $4::text[], $5::text[], $6::text[])
     as d (id, status, tracking_number, courier_code, courier_name, cancel_reason)
   where o.id = d.id`,
);

function writeMoves(tx: Tx, { moved, movements }: Changes): Promise<number> {
  const moves = [...moved.values()];
  return run(tx, WRITE_MOVES, [
    [...moved.keys()],
    moves.map((move) => move.status),
    moves.map((move) => move.shipment?.tracking_number ?? null),
    moves.map((move) => move.shipment?.courier_code ?? null),
    moves.map((move) => move.shipment?.courier_name ?? null),
    moves.map((move) => move.cancel_reason),
    [...moved].filter(([, move]) => move.status === CANCELLED).map(([id]) => id),
    movements.map((move) => move.variant_id),
    movements.map((move) => move.delta),
    movements.map((move) => move.quantity_after),
    movements.map((move) => move.order_id),
    movements.map((move) => move.actor),
  ]);
}

const UPDATE_STOCK = statement(
  'gate_update_stock',
  `update stock s
   set quantity = s.quantity + d.quantity, unshipped = s.unshipped + d.unshipped,
       allocated = s.allocated + d.allocated, backordered = s.backordered + d.backordered
   from unnest($1::int[], $2::int[], $3::bigint[], $4::bigint[], $5::bigint[])
     as d (variant_id, quantity, unshipped, allocated, backordered)
   where s.variant_id = d.variant_id`,
);

/** Adds deltas to locked stock rows. */
export const addToStock = (tx: Tx, stock: Changes['stock']): Promise<number> =>
  run(tx, UPDATE_STOCK, stockColumns(stock));

// A plain ON CONFLICT would check the negative delta itself against `>= 0` before it finds the row, so the rows
// are made first; both run under the lock of the stock row.
const ENSURE_ALLOCATIONS = statement(
  'gate_ensure_allocations',
  `insert into allocation (channel_id, variant_id) select * from unnest($1::int[], $2::int[])
   on conflict do nothing`,
);
const UPDATE_ALLOCATIONS = statement(
  'gate_update_allocations',
  `update allocation a
   set allocated_qty = a.allocated_qty + d.allocated_qty, backordered_qty = a.backordered_qty + d.backordered_qty
   from unnest($1::int[], $2::int[], $3::bigint[], $4::bigint[])
     as d (channel_id, variant_id, allocated_qty, backordered_qty)
   where a.channel_id = d.channel_id and a.variant_id = d.variant_id`,
);

/** Adds deltas to allocations below locked stock rows; makes missing rows. */
export async function addToAllocations(tx: Tx, allocations: Changes['allocations']): Promise<void> {
  const deltas = [...allocations.values()];
  const channelIds = deltas.map((delta) => delta.channel_id);
  const variantIds = deltas.map((delta) => delta.variant_id);
  await Promise.all([
    run(tx, ENSURE_ALLOCATIONS, [channelIds, variantIds]),
    run(tx, UPDATE_ALLOCATIONS, [
      channelIds,
      variantIds,
      deltas.map((delta) => delta.allocated_qty),
      deltas.map((delta) => delta.backordered_qty),
    ]),
  ]);
}

const INSERT_ORDER_AUDITS = statement(
  'gate_insert_order_audits',
  `insert into audit (actor, action, subject, before, after, request_id)
   select d.actor, 'order.status', 'order:' || d.order_id,
          jsonb_build_object('status', d.before), jsonb_build_object('status', d.after), d.request_id
   from unnest($1::text[], $2::bigint[], $3::smallint[], $4::smallint[], $5::text[])
     as d (actor, order_id, before, after, request_id)`,
);

const insertOrderAudits = (tx: Tx, audits: Changes['audits']): Promise<number> =>
  run(tx, INSERT_ORDER_AUDITS, [
    audits.map((entry) => entry.actor),
    audits.map((entry) => entry.order_id),
    audits.map((entry) => entry.before),
    audits.map((entry) => entry.after),
    audits.map((entry) => entry.request_id),
  ]);

/**
 * Sends every write that the changes call for, in one go; the caller waits for all of them together. `batch` goes
 * into the journal: how the gate finds out whether a COMMIT without an answer went through.
 */
export function writeChanges(tx: Tx, changes: Changes, batch: string): Promise<unknown>[] {
  const writes: Promise<unknown>[] = [writeBatch(tx, changes, batch)];
  if (changes.moved.size > 0) writes.push(writeMoves(tx, changes));
  if (changes.allocations.size > 0) writes.push(addToAllocations(tx, changes.allocations));
  if (changes.audits.length > 0) writes.push(insertOrderAudits(tx, changes.audits));
  return writes;
}
