// Open backorders, oldest first.
import { STATUSES, isUnshipped, type Status } from '../../core/rules/transitions.ts';
import { rows, statement, type Tx } from '../../platform/database/database.ts';

/** One line of an open backorder; the order's own columns repeat. */
export interface BackorderLine {
  id: number;
  order_number: string;
  channel_id: number;
  channel_name: string;
  status: Status;
  created_at: Date;
  variant_id: number;
  variant_code: string;
  product_name: string;
  sku: string;
  /** Quantity that is not cancelled. */
  remaining: number;
  /** The stock row of the variant. */
  quantity: number;
  unshipped: number;
}

const OPEN = STATUSES.filter(isUnshipped).join(', ');
const LIST = statement(
  'backorder_list',
  `select o.id, o.order_number, o.channel_id, c.name as channel_name, o.status, o.created_at,
          i.variant_id, v.code as variant_code, p.name as product_name, i.sku,
          i.quantity - i.cancelled_quantity as remaining, s.quantity, s.unshipped
   from (select * from orders where is_backorder and status in (${OPEN}) order by id limit $1) o
   join channel c on c.id = o.channel_id
   join order_item i on i.order_id = o.id
   join variant v on v.id = i.variant_id
   join product p on p.id = v.product_id
   join stock s on s.variant_id = i.variant_id
   order by o.id, i.line`,
);

/** The lines of at most `ordersMax` orders. */
export const listBackorderLines = (tx: Tx, ordersMax: number): Promise<BackorderLine[]> =>
  rows(tx, LIST, [ordersMax]);
