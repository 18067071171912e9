// Import of orders from another service.
import { IMPORT_SOURCE } from '../../core/rules/commands.ts';
import { CANCELLED, isUnshipped, STATUSES, type Status } from '../../core/rules/transitions.ts';
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';
import { isUniqueViolation } from '../../platform/database/failures.ts';
import { IS_ARCHIVED } from '../../core/products/store.ts';

/** The internal SKU of an order line. */
export interface ImportedVariant {
  variant_id: number;
  variant_code: string;
  product_version_id: number;
  has_stock: boolean;
  /** Physical; 0 without a stock row. */
  quantity: number;
  /** The variant or its product. */
  is_archived: boolean;
}

const VARIANT = `v.id as variant_id, v.code as variant_code, p.version_id as product_version_id, ${IS_ARCHIVED} as is_archived,
          s.variant_id is not null as has_stock, coalesce(s.quantity, 0) as quantity`;
const OF_VARIANT = `join product p on p.id = v.product_id left join stock s on s.variant_id = v.id`;

const FIND_BY_SKU = statement(
  'order_import_find_by_sku',
  `select c.channel_id, c.sku, ${VARIANT}
   from unnest($1::int[], $2::text[]) as c (channel_id, sku)
   join mapping m on m.channel_id = c.channel_id and m.sku = c.sku
   join variant v on v.id = m.variant_id ${OF_VARIANT}`,
);

export const findMappedVariants = (
  tx: Tx,
  pairs: readonly { channel_id: number; sku: string }[],
): Promise<(ImportedVariant & { channel_id: number; sku: string })[]> =>
  rows(tx, FIND_BY_SKU, [pairs.map(({ channel_id }) => channel_id), pairs.map(({ sku }) => sku)]);

const FIND_BY_CODE = statement(
  'order_import_find_by_code',
  `select ${VARIANT} from variant v ${OF_VARIANT} where v.code = any($1::text[])`,
);

export const findCodedVariants = (tx: Tx, codes: readonly string[]): Promise<ImportedVariant[]> =>
  rows(tx, FIND_BY_CODE, [codes]);

export interface KnownItem {
  variant_id: number;
  variant_code: string;
  sku: string;
  quantity: number;
  from_allocation: number;
  local_unit_price: string;
  unit_price: string;
}

/** An order that exists already. */
export interface KnownOrder {
  id: number;
  order_number: string;
  channel_id: number;
  status: Status;
  is_backorder: boolean;
  recipient_name: string;
  recipient_phone: string;
  shipping_address: string;
  tracking_number: string | null;
  courier_code: string | null;
  cancel_reason: string | null;
  local_currency_code: string;
  exchange_rate: string;
  local_total_amount: string;
  total_amount: string;
  created_at: Date;
  /** Personal data is no longer stored. */
  is_erased: boolean;
  /** Not accepted by this service. */
  is_imported: boolean;
  /** In the order of the lines. */
  items: KnownItem[];
}

const FIND_KNOWN = statement(
  'order_import_find_known',
  `select o.id, o.order_number, o.channel_id, o.status, o.is_backorder, o.recipient_name, o.recipient_phone,
          o.shipping_address, o.tracking_number, o.courier_code, o.cancel_reason, o.local_currency_code,
          o.exchange_rate, o.local_total_amount, o.total_amount, o.created_at, o.erased_at is not null as is_erased,
          exists (select from order_history h
                  where h.order_id = o.id and h.from_status is null and h.source = '${IMPORT_SOURCE}') as is_imported,
          (select json_agg(json_build_object('variant_id', i.variant_id, 'variant_code', v.code, 'sku', i.sku,
                    'quantity', i.quantity, 'from_allocation', i.from_allocation,
                    'local_unit_price', i.local_unit_price::text, 'unit_price', i.unit_price::text) order by i.line)
           from order_item i join variant v on v.id = i.variant_id where i.order_id = o.id) as items
   from orders o where o.order_number = any($1::text[])`,
);

export const findKnownOrders = (tx: Tx, orderNumbers: readonly string[]): Promise<KnownOrder[]> =>
  rows(tx, FIND_KNOWN, [orderNumbers]);

const FIND_OPEN = statement(
  'order_import_find_open',
  'select order_number, channel_id, status from orders where status = any($1::smallint[]) order by id',
);

export const findOpenOrders = (
  tx: Tx,
): Promise<{ order_number: string; channel_id: number; status: Status }[]> =>
  rows(tx, FIND_OPEN, [STATUSES.filter(isUnshipped)]);

/** Another transaction took one of the numbers after they were looked up. */
export const isNumberTaken = (error: unknown): boolean => isUniqueViolation(error, 'orders_order_number_key');

export interface ImportedItem {
  order_id: number;
  line: number;
  variant_id: number;
  sku: string;
  quantity: number;
  cancelled_quantity: number;
  from_allocation: number;
  local_unit_price: string;
  unit_price: string;
  product_version_id: number;
}

const INSERT_ITEMS = statement(
  'order_import_insert_items',
  `insert into order_item (order_id, line, variant_id, sku, quantity, cancelled_quantity, from_allocation,
     local_unit_price, unit_price, product_version_id)
   select * from unnest($1::bigint[], $2::smallint[], $3::int[], $4::text[], $5::int[], $6::int[], $7::int[],
     $8::numeric[], $9::numeric[], $10::int[])`,
);

export const insertItems = (tx: Tx, items: readonly ImportedItem[]): Promise<number> =>
  run(tx, INSERT_ITEMS, [
    items.map((item) => item.order_id),
    items.map((item) => item.line),
    items.map((item) => item.variant_id),
    items.map((item) => item.sku),
    items.map((item) => item.quantity),
    items.map((item) => item.cancelled_quantity),
    items.map((item) => item.from_allocation),
    items.map((item) => item.local_unit_price),
    items.map((item) => item.unit_price),
    items.map((item) => item.product_version_id),
  ]);

export interface ImportedOrder {
  id: number;
  channel_id: number;
  order_number: string;
  status: Status;
  is_backorder: boolean;
  recipient_name: string;
  recipient_phone: string;
  shipping_address: string;
  tracking_number: string | null;
  courier_code: string | null;
  courier_name: string | null;
  cancel_reason: string | null;
  local_currency_code: string;
  local_total_amount: string;
  total_amount: string;
  exchange_rate: string;
  created_at: Date;
}

// One step, into the status that the order has in the file. Earlier steps are unknown.
const INSERT_HISTORY = statement(
  'order_import_insert_history',
  `insert into order_history (order_id, from_status, to_status, source)
   select d.order_id, null, d.status, '${IMPORT_SOURCE}' from unnest($1::bigint[], $2::smallint[]) as d (order_id, status)`,
);

export const insertFirstSteps = (
  tx: Tx,
  orders: readonly Pick<ImportedOrder, 'id' | 'status'>[],
): Promise<number> =>
  run(tx, INSERT_HISTORY, [orders.map(({ id }) => id), orders.map(({ status }) => status)]);

const INSERT_ORDERS = statement(
  'order_import_insert_orders',
  `insert into orders (id, channel_id, order_number, status, is_backorder, recipient_name, recipient_phone,
     shipping_address, tracking_number, courier_code, courier_name, cancel_reason, local_currency_code,
     local_total_amount, total_amount, exchange_rate, created_at)
   select * from unnest($1::bigint[], $2::int[], $3::text[], $4::smallint[], $5::boolean[], $6::text[], $7::text[],
     $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[],
     $14::numeric[], $15::numeric[], $16::numeric[], $17::timestamptz[])`,
);

/** After the stock rows are locked, and sorted by number, as in the gate, so that the two cannot deadlock. */
export const insertOrders = (tx: Tx, orders: readonly ImportedOrder[]): Promise<number> =>
  run(tx, INSERT_ORDERS, [
    orders.map((order) => order.id),
    orders.map((order) => order.channel_id),
    orders.map((order) => order.order_number),
    orders.map((order) => order.status),
    orders.map((order) => order.is_backorder),
    orders.map((order) => order.recipient_name),
    orders.map((order) => order.recipient_phone),
    orders.map((order) => order.shipping_address),
    orders.map((order) => order.tracking_number),
    orders.map((order) => order.courier_code),
    orders.map((order) => order.courier_name),
    orders.map((order) => order.cancel_reason),
    orders.map((order) => order.local_currency_code),
    orders.map((order) => order.local_total_amount),
    orders.map((order) => order.total_amount),
    orders.map((order) => order.exchange_rate),
    orders.map((order) => order.created_at.toISOString()),
  ]);

const LOCK_ORDERS = statement(
  'order_import_lock',
  'select id, status from orders where id = any($1::bigint[]) order by id for update',
);

/** `ids` must be sorted. */
export const lockKnownOrders = (tx: Tx, ids: readonly number[]): Promise<{ id: number; status: Status }[]> =>
  rows(tx, LOCK_ORDERS, [ids]);

type OrderState = Pick<
  KnownOrder,
  | 'id'
  | 'status'
  | 'tracking_number'
  | 'courier_code'
  | 'cancel_reason'
  | 'recipient_name'
  | 'recipient_phone'
  | 'shipping_address'
> & { courier_name: string | null };

// A value that the file leaves out stays. Erased data does not come back.
const UPDATE_ORDERS = statement(
  'order_import_update',
  `update orders o
   set status = d.status, courier_code = coalesce(d.courier_code, o.courier_code),
       courier_name = coalesce(d.courier_name, o.courier_name),
       tracking_number = case when o.erased_at is null then coalesce(d.tracking_number, o.tracking_number) end,
       cancel_reason = case when o.erased_at is null then coalesce(d.cancel_reason, o.cancel_reason) end,
       recipient_name = case when o.erased_at is null then d.recipient_name else o.recipient_name end,
       recipient_phone = case when o.erased_at is null then d.recipient_phone else o.recipient_phone end,
       shipping_address = case when o.erased_at is null then d.shipping_address else o.shipping_address end
   from unnest($1::bigint[], $2::smallint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
     as d (id, status, tracking_number, courier_code, courier_name, cancel_reason, recipient_name, recipient_phone, shipping_address)
   where o.id = d.id`,
);

export const updateOrders = (tx: Tx, orders: readonly OrderState[]): Promise<number> =>
  run(tx, UPDATE_ORDERS, [
    orders.map((order) => order.id),
    orders.map((order) => order.status),
    orders.map((order) => order.tracking_number),
    orders.map((order) => order.courier_code),
    orders.map((order) => order.courier_name),
    orders.map((order) => order.cancel_reason),
    orders.map((order) => order.recipient_name),
    orders.map((order) => order.recipient_phone),
    orders.map((order) => order.shipping_address),
  ]);

const INSERT_STEPS = statement(
  'order_import_insert_steps',
  `insert into order_history (order_id, from_status, to_status, source)
   select d.order_id, d.from_status, d.to_status, '${IMPORT_SOURCE}'
   from unnest($1::bigint[], $2::smallint[], $3::smallint[]) as d (order_id, from_status, to_status)`,
);

export const insertSteps = (
  tx: Tx,
  steps: readonly { order_id: number; from: Status; to: Status }[],
): Promise<number> =>
  run(tx, INSERT_STEPS, [
    steps.map(({ order_id }) => order_id),
    steps.map(({ from }) => from),
    steps.map(({ to }) => to),
  ]);

const CANCEL_ITEMS = statement(
  'order_import_cancel_items',
  `update order_item i set cancelled_quantity = i.quantity
   from orders o where o.id = i.order_id and o.status = ${CANCELLED} and i.order_id = any($1::bigint[])`,
);

export const cancelItems = (tx: Tx, orderIds: readonly number[]): Promise<number> =>
  run(tx, CANCEL_ITEMS, [orderIds]);
