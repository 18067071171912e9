// The lines of orders, for the export.
import { rows, statement, type Tx } from '../../platform/database/database.ts';
import { JOIN_NAMES } from '../../core/products/store.ts';

export interface ExportedLine {
  order_id: number;
  recipient_phone: string;
  shipping_address: string;
  line: number;
  product_code: string;
  product_name: string;
  sku: string;
  variant_code: string;
  quantity: number;
  cancelled_quantity: number;
  unit_price: string;
  local_unit_price: string;
}

const LINES = statement(
  'order_export_lines',
  `select o.id as order_id, o.recipient_phone, o.shipping_address, i.line, n.code as product_code, n.name as product_name,
          i.sku, v.code as variant_code, i.quantity, i.cancelled_quantity, i.unit_price,
          trim_scale(i.local_unit_price)::text as local_unit_price
   from unnest($1::bigint[]) as d (order_id)
   join orders o on o.id = d.order_id
   join order_item i on i.order_id = d.order_id
   join variant v on v.id = i.variant_id
   ${JOIN_NAMES}
   order by i.order_id, i.line`,
);

export const readLines = (tx: Tx, orderIds: readonly number[]): Promise<ExportedLine[]> =>
  rows(tx, LINES, [orderIds]);
