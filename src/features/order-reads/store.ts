// Orders as their channel reads them back: the fields of contract 2.4.
import type { OrderView } from '../../core/rules/commands.ts';
import { rows, statement, unnested, type Tx } from '../../platform/database/database.ts';
import { JOIN_NAMES } from '../../core/products/store.ts';

// Finds orders by number, which is unique across all channels, then keeps only those of the requesting channel.
const FIND_OWN = statement(
  'channel_orders_find',
  `select c.position, o.id, o.order_number, o.status, o.total_amount, o.recipient_name, o.created_at, i.items
   from (${unnested(1, 'int text')}, generate_subscripts($1::int[], 1)) as c (channel_id, order_number, position)
   join orders o on o.order_number = c.order_number and o.channel_id = c.channel_id
   cross join lateral (
     select json_agg(json_build_object('product_code', n.code, 'product_name', n.name, 'quantity', i.quantity,
       'unit_price', i.unit_price::text) order by i.line) as items
     from order_item i
     join variant v on v.id = i.variant_id
     ${JOIN_NAMES}
     where i.order_id = o.id
   ) i`,
);

interface OwnNumber {
  channel_id: number;
  order_number: string;
}

/** `position` counts from 1. Unknown orders are left out. */
export const findOwnOrders = (
  tx: Tx,
  asked: readonly OwnNumber[],
): Promise<(OrderView & { position: number })[]> =>
  rows(tx, FIND_OWN, [
    asked.map(({ channel_id }) => channel_id),
    asked.map(({ order_number }) => order_number),
  ]);
