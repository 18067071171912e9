// Orders for the back office, read only: all changes go through the gate.
import { STATUSES, type Status } from '../rules/transitions.ts';
import { rows, statement, type Tx } from '../../platform/database/database.ts';
import { IMPORT_SOURCE } from '../rules/commands.ts';
import { JOIN_NAMES } from '../products/store.ts';

export interface OrderRow {
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

export const ORDER_COLUMNS = `o.id, o.order_number, o.channel_id, o.status, o.is_backorder, o.recipient_name, o.tracking_number,
  o.courier_code, o.courier_name, o.cancel_reason, o.local_currency_code,
  trim_scale(o.local_total_amount) as local_total_amount, o.total_amount,
  o.exchange_rate, o.created_at, o.erased_at,
  (select k.tracking_url from common_code k where k.code_group = 'DELIVERY_COMPANY' and k.code = o.courier_code)
    as courier_tracking_url`;

export interface StoredItem {
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
  /** Name of the account or channel. */
  actor_name: string | null;
  /** A timestamp in PostgreSQL's JSON format. */
  at: string;
}

interface StoredStep extends Authored {
  from: Status | null;
  to: Status;
  source: string;
  /** null: the order reached the status. */
  correction: {
    tracking_changed: boolean;
    courier_code_before: string | null;
    courier_code_after: string | null;
  } | null;
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

// The audit entry of a report names its first and last status. The steps of different reports do not overlap, so
// exactly one entry fits. The last one is taken so that a test notices if the condition also lets the next report
// fit.
const STEP_ACTOR = `(select a.actor from audit a
       where a.subject = 'order:' || h.order_id and a.action = 'order.status'
         and array_position($2::smallint[], (a.before ->> 'status')::smallint) < array_position($2::smallint[], h.to_status)
         and array_position($2::smallint[], (a.after ->> 'status')::smallint) >= array_position($2::smallint[], h.to_status)
       order by a.id desc limit 1)`;

// Numerics are returned as text: a JSON number would become a binary float.
export const ITEMS_OF_ORDER = `cross join lateral (
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
   ) i`;

// One statement, so that status, lines and history come from one snapshot. An imported order has the time at which the
// other service accepted it. Steps of one report have the same time, so they are sorted by status.
const FIND = statement(
  'order_find',
  `select ${ORDER_COLUMNS}, o.recipient_phone, o.shipping_address, i.items, h.history, r.returns, n.notes
   from orders o
   join channel c on c.id = o.channel_id
   ${ITEMS_OF_ORDER}
   cross join lateral (
     select coalesce(json_agg(json_build_object(
       'from', h.from_status, 'to', h.to_status, 'source', h.source, 'actor', h.actor, 'correction', h.correction,
       'at', case h.source when '${IMPORT_SOURCE}' then o.created_at else h.at end,
       'actor_name', case h.source when 'channel' then c.name else ${accountName('h.actor')} end)
       order by array_position($2::smallint[], h.to_status), h.n), '[]') as history
     from (
       select h.from_status, h.to_status, h.source, h.at, null as correction, 0 as n, case h.source when 'channel' then 'channel:' || o.channel_id when '${IMPORT_SOURCE}' then 'import'
         when 'service' then 'expiry' else ${STEP_ACTOR} end as actor
       from order_history h
       where h.order_id = o.id
       union all
       select k.status, k.status, 'back_office', k.at, json_build_object('tracking_changed', k.tracking_changed,
         'courier_code_before', k.courier_code_before, 'courier_code_after', k.courier_code_after), k.n, k.actor
       from (select s.*, 3::smallint as status from order_shipment_correction s where s.order_id = o.id) k
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
