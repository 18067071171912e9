// Orders as the back office reads them. Whatever changes one is the gate's business.
import { STATUSES, type Status } from '../domain/transitions.ts';
import { rows, statement, type Tx } from './database.ts';

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
  cancel_reason: string | null;
  local_currency_code: string;
  local_total_amount: string;
  total_amount: string;
  exchange_rate: string;
  created_at: Date;
}

const COLUMNS = `o.id, o.order_number, o.channel_id, o.status, o.is_backorder, o.recipient_name, o.tracking_number,
  o.courier_code, o.courier_name, o.cancel_reason, o.local_currency_code, o.local_total_amount, o.total_amount,
  o.exchange_rate, o.created_at`;

export interface OrderFilter {
  channel_id: number | null;
  status: Status | null;
  order_number: string | null;
  /** `from` is included, `to` is not */
  from: Date | null;
  to: Date | null;
  beforeId: number | null;
  limit: number;
}

// Three texts, one for each index. With "($1 is null or …)" on an indexed column PostgreSQL settles, after a few
// calls, on one plan for all of them: a number among three million orders then took a second instead of 1 ms.
const FILTERS = `($1::smallint is null or o.status = $1)
  and ($2::timestamptz is null or o.created_at >= $2)
  and ($3::timestamptz is null or o.created_at < $3)
  and o.id < coalesce($4::bigint, 9223372036854775807)
  order by o.id desc limit $5`;
const LIST = statement('order_list', `select ${COLUMNS} from orders o where ${FILTERS}`);
const LIST_OF_CHANNEL = statement(
  'order_list_of_channel',
  `select ${COLUMNS} from orders o where o.channel_id = $6::int and ${FILTERS}`,
);
const LIST_BY_NUMBER = statement(
  'order_list_by_number',
  `select ${COLUMNS} from orders o
   where o.order_number = $6::text and ($7::int is null or o.channel_id = $7) and ${FILTERS}`,
);

/** Newest first. */
export function listOrders(tx: Tx, filter: OrderFilter): Promise<OrderRow[]> {
  const { channel_id, order_number } = filter;
  const values = [filter.status, filter.from, filter.to, filter.beforeId, filter.limit];
  if (order_number !== null) return rows(tx, LIST_BY_NUMBER, [...values, order_number, channel_id]);
  if (channel_id !== null) return rows(tx, LIST_OF_CHANNEL, [...values, channel_id]);
  return rows(tx, LIST, values);
}

interface StoredItem {
  product_code: string;
  product_name: string;
  quantity: number;
  unit_price: string;
  sku: string;
  variant_code: string;
  local_unit_price: string;
  cancelled_quantity: number;
  from_allocation: number;
}

/** `at` is the text that PostgreSQL's JSON has for a timestamp. */
interface StoredStep {
  from: Status | null;
  to: Status;
  source: string;
  at: string;
}

export interface StoredOrder extends OrderRow {
  recipient_phone: string;
  shipping_address: string;
  items: StoredItem[];
  history: StoredStep[];
}

// One statement, so that status, lines and history belong together. Numerics travel as text: a JSON number
// would become a binary float. All steps of one walk bear the same time, so the order of the states decides.
const FIND = statement(
  'order_find',
  `select ${COLUMNS}, o.recipient_phone, o.shipping_address, i.items, h.history
   from orders o
   cross join lateral (
     select coalesce(json_agg(json_build_object(
       'product_code', p.code, 'product_name', p.name, 'quantity', i.quantity, 'unit_price', i.unit_price::text,
       'sku', i.sku, 'variant_code', v.code, 'local_unit_price', i.local_unit_price::text,
       'cancelled_quantity', i.cancelled_quantity, 'from_allocation', i.from_allocation) order by i.line), '[]') as items
     from order_item i
     join variant v on v.id = i.variant_id
     join product p on p.id = v.product_id
     where i.order_id = o.id
   ) i
   cross join lateral (
     select coalesce(json_agg(json_build_object(
       'from', h.from_status, 'to', h.to_status, 'source', h.source, 'at', h.at)
       order by array_position($2::smallint[], h.to_status)), '[]') as history
     from order_history h
     where h.order_id = o.id
   ) h
   where o.id = $1`,
);

export const findOrder = async (tx: Tx, id: number): Promise<StoredOrder | undefined> =>
  (await rows<StoredOrder>(tx, FIND, [id, STATUSES]))[0];
