// The second round trip of a batch: writes the net changes. Counters are written as deltas (deltas-store.ts).
import type { Changes, NewOrder } from '../rules/commands.ts';
import { CANCELLED } from '../rules/transitions.ts';
import {
  columnsOf,
  run,
  statement,
  unnested,
  type Columns,
  type Tx,
} from '../../platform/database/database.ts';
import { addDeltas, addToAllocations, stockColumns } from './deltas-store.ts';

// Parts of statements, with their parameters from `first` on.
/**
 * Writes the columns of `stepColumns`: history, journal and stock, which nearly every batch changes. The journal row is
 * read by the cache of stock lists, and by the runner after a lost COMMIT.
 */
const writeSteps = (first: number): string =>
  `new_steps as (
     insert into order_history (order_id, from_status, to_status, source)
     ${unnested(first, 'bigint smallint smallint text')}
   ), journal as (
     insert into change_journal (batch, variant_ids, only_quantities) values ($${first + 4}::uuid, $${first + 5}::int[], true)
   ), stock_rows as (
     ${addDeltas(first + 5)}
   )`;

const writeMoves = (first: number): string =>
  `cancelled as (
     update order_item set cancelled_quantity = quantity where order_id = any($${first + 6}::bigint[])
   ), shipped as (
     insert into stock_movement (variant_id, delta, quantity_after, kind, order_id, actor)
     select d.variant_id, d.delta, d.quantity_after, 'shipment', d.order_id, d.actor
     from (${unnested(first + 7, 'int int int bigint text')}, generate_subscripts($${first + 7}::int[], 1))
       as d (variant_id, delta, quantity_after, order_id, actor, position)
     order by d.position
   )
   update orders o
   set status = d.status,
       tracking_number = coalesce(d.tracking_number, o.tracking_number),
       courier_code = coalesce(d.courier_code, o.courier_code),
       courier_name = coalesce(d.courier_name, o.courier_name),
       cancel_reason = coalesce(d.cancel_reason, o.cancel_reason)
   from (${unnested(first, 'bigint smallint text text text text')})
     as d (id, status, tracking_number, courier_code, courier_name, cancel_reason)
   where o.id = d.id`;

// One statement for new orders and one for reports; a batch with both takes two. In a small batch, each statement costs
// more than its rows, and parts of a statement that write nothing have a cost too.
const WRITE_ORDERS = statement(
  'gate_write_orders',
  `with ${writeSteps(1)}, new_items as (
     insert into order_item (order_id, line, variant_id, sku, quantity, from_allocation, local_unit_price, unit_price,
       product_version_id)
     ${unnested(11, 'bigint smallint int text int int numeric numeric int')}
   )
   insert into orders (id, channel_id, order_number, status, is_backorder, recipient_name, recipient_phone,
     shipping_address, tracking_number, local_currency_code, local_total_amount, total_amount, exchange_rate)
   ${unnested(20, 'bigint int text smallint boolean text text text text text numeric numeric numeric')}`,
);
const WRITE_REPORTS = statement('gate_write_reports', `with ${writeSteps(1)}, ${writeMoves(11)}`);
const WRITE_MOVES = statement('gate_write_moves', `with ${writeMoves(1)}`);

const stepColumns = (changes: Changes, batch: string): unknown[] => [
  ...columnsOf(HISTORY_COLUMNS, changes.history),
  batch,
  ...stockColumns(changes.stock),
];

const writeOrders = (tx: Tx, changes: Changes, batch: string): Promise<number> =>
  run(tx, WRITE_ORDERS, [
    ...stepColumns(changes, batch),
    ...itemColumns(changes.created),
    ...orderColumns(changes.created),
  ]);

const ORDER_COLUMNS: Columns<NewOrder> = [
  ({ order }) => order.id,
  ({ order }) => order.channel_id,
  ({ order }) => order.order_number,
  ({ order }) => order.status,
  ({ order }) => order.is_backorder,
  ({ order }) => order.recipient_name,
  ({ command }) => command.recipient_phone,
  ({ command }) => command.shipping_address,
  ({ command }) => command.tracking_number,
  (row) => row.local_currency_code,
  (row) => row.local_total_amount,
  ({ order }) => order.total_amount,
  (row) => row.exchange_rate,
];

const byNumber = (a: NewOrder, b: NewOrder): number => (a.order.order_number < b.order.order_number ? -1 : 1);

/** Sorted by number, so that processes that insert the same numbers lock in the same order and cannot deadlock. */
const orderColumns = (created: readonly NewOrder[]): unknown[][] =>
  columnsOf(ORDER_COLUMNS, created.toSorted(byNumber));

interface NewLine {
  order_id: number;
  item: NewOrder['order']['items'][number];
  product_version_id: number | undefined;
}

const LINE_COLUMNS: Columns<NewLine> = [
  (row) => row.order_id,
  ({ item }) => item.line,
  ({ item }) => item.variant_id,
  ({ item }) => item.sku,
  ({ item }) => item.quantity,
  ({ item }) => item.from_allocation,
  ({ item }) => item.local_unit_price,
  ({ item }) => item.unit_price,
  (row) => row.product_version_id,
];

function itemColumns(created: readonly NewOrder[]): unknown[][] {
  const lines: NewLine[] = [];
  for (const { order, product_version_ids } of created)
    for (const item of order.items)
      lines.push({ order_id: order.id, item, product_version_id: product_version_ids[item.line] });
  return columnsOf(LINE_COLUMNS, lines);
}

const HISTORY_COLUMNS: Columns<Changes['history'][number]> = [
  (step) => step.order_id,
  (step) => step.from,
  (step) => step.to,
  (step) => step.source,
];

const MOVE_COLUMNS: Columns<Changes['moved'] extends Map<unknown, infer Move> ? Move : never> = [
  (move) => move.status,
  (move) => move.shipment?.tracking_number ?? null,
  (move) => move.shipment?.courier_code ?? null,
  (move) => move.shipment?.courier_name ?? null,
  (move) => move.cancel_reason,
];

const MOVEMENT_COLUMNS: Columns<Changes['movements'][number]> = [
  (move) => move.variant_id,
  (move) => move.delta,
  (move) => move.quantity_after,
  (move) => move.order_id,
  (move) => move.actor,
];

function moveColumns({ moved, movements }: Changes): unknown[] {
  const cancelled: number[] = [];
  for (const [id, { status }] of moved) if (status === CANCELLED) cancelled.push(id);
  return [
    [...moved.keys()],
    ...columnsOf(MOVE_COLUMNS, [...moved.values()]),
    cancelled,
    ...columnsOf(MOVEMENT_COLUMNS, movements),
  ];
}

const INSERT_ORDER_AUDITS = statement(
  'gate_insert_order_audits',
  `insert into audit (actor, action, subject, before, after, request_id)
   select d.actor, 'order.status', 'order:' || d.order_id,
          jsonb_build_object('status', d.before), jsonb_build_object('status', d.after), d.request_id
   from (${unnested(1, 'text bigint smallint smallint text')})
     as d (actor, order_id, before, after, request_id)`,
);

const AUDIT_COLUMNS: Columns<Changes['audits'][number]> = [
  (entry) => entry.actor,
  (entry) => entry.order_id,
  (entry) => entry.before,
  (entry) => entry.after,
  (entry) => entry.request_id,
];

const insertOrderAudits = (tx: Tx, audits: Changes['audits']): Promise<number> =>
  run(tx, INSERT_ORDER_AUDITS, columnsOf(AUDIT_COLUMNS, audits));

/**
 * Sends all writes in one pipeline; the caller awaits them together. The journal stores `batch`, so that the gate can
 * find out whether a COMMIT without a response succeeded.
 */
export function writeChanges(tx: Tx, changes: Changes, batch: string): Promise<unknown>[] {
  const writes: Promise<unknown>[] = [];
  if (changes.created.length > 0) {
    writes.push(writeOrders(tx, changes, batch));
    if (changes.moved.size > 0) writes.push(run(tx, WRITE_MOVES, moveColumns(changes)));
  } else {
    writes.push(run(tx, WRITE_REPORTS, [...stepColumns(changes, batch), ...moveColumns(changes)]));
  }
  if (changes.allocations.size > 0) writes.push(addToAllocations(tx, [...changes.allocations.values()]));
  if (changes.audits.length > 0) writes.push(insertOrderAudits(tx, changes.audits));
  return writes;
}
