// `sluice import orders`, and the same for programs.
import type { OfferedImport } from '../../core/imports/offered.ts';
import { OptionalBoolean } from '../../platform/schema/building-blocks.ts';
import { importOrders } from './import.ts';

const UPDATE = OptionalBoolean({
  description:
    'Stored orders follow the file in status, shipment, cancellation and recipient. The file must contain every order that is open here. Stock and pre-allocations do not change.',
});

export const ordersImport: OfferedImport = {
  name: 'orders',
  command: {
    summary: 'import the orders of another service, with their status and time',
    options: (common) => ({
      ...common,
      update: {
        help: 'orders that are stored already follow the file; for a company that went back to the other service for a while',
      },
    }),
    about: [
      'One row for each line of an order; the rows of an order have the same order_number and repeat the fields of the',
      'order or leave them empty. Columns: order_number,status,created_at,recipient_name,recipient_phone,',
      'shipping_address,sku,quantity,local_unit_price and channel_id or channel (its name). Optional: is_backorder,',
      'tracking_number,courier_code,cancel_reason,local_currency_code,exchange_rate,local_total_amount,total_amount,',
      'variant_code,unit_price,from_allocation.',
      'status: 0, 1, 2 and 9 are open and hold stock; 3 and 88 are history, so that a resend or a repeated report is',
      'answered as for any order. Physical stock does not change, and no order is refused for lack of stock.',
      'exchange_rate is required for other currencies than KRW. Amounts that are not given are calculated from it.',
      'variant_code: needed if the SKU is no longer mapped to it. from_allocation: quantity that an open order took from the',
      "channel's pre-allocation; a cancellation gives it back. created_at: ISO 8601 with its offset.",
      'An order that is stored already, equal in everything, is skipped: the command can be repeated. If it differs, both',
      'values are shown. Totals that contradict the lines, equal rows of one order without a total that confirms them, and',
      'lines of 1,000 and more on less than a tenth of it in stock are refused.',
      '--update: status, shipment, cancellation and recipient of a stored order follow the file. The file must contain',
      'every order that is open here. Physical stock and pre-allocations do not change: import their files first.',
    ],
    examples: ['sluice import orders orders.csv --dry-run', 'old-service-export | sluice import orders -'],
  },
  operation: {
    url: '/orders/import',
    tag: 'orders',
    role: 'admin',
    summary: 'Take over orders of another service, all or none',
    columns:
      'order_number,status,created_at,recipient_name,recipient_phone,shipping_address,sku,quantity,local_unit_price and channel_id or channel, one row for each line of an order; see `sluice import orders --help`',
    fields: { update: UPDATE },
  },
  make: (options) => importOrders({ isUpdate: options.flag('update') }),
};
