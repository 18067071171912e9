// The fields of an order in the list, the order's page and the export, and the personal data that a role may see.
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { maskAddress, maskName, maskNumber, maskText } from '../rules/personal-data.ts';
import type { FormatTimestamp } from '../../platform/values/timestamps.ts';
import { trackingLink } from '../rules/tracking-link.ts';
import { STATUSES } from '../rules/transitions.ts';
import type { ListedOrder } from './list-store.ts';
import type { OrderRow, StoredOrder } from './store.ts';
import { IntegerOf, nullable } from '../../platform/schema/building-blocks.ts';
import type { Operator } from '../../platform/accounts/auth.ts';
import { Timestamp } from '../../platform/admin-api/schemas.ts';

const optionalText = nullable<string>({ type: 'string' });
export const Amount = Type.String({ examples: ['45000.00'] });

export const orderFields = {
  id: Type.Integer(),
  order_number: Type.String(),
  channel_id: Type.Integer(),
  status: IntegerOf(STATUSES),
  is_backorder: Type.Boolean(),
  total_amount: Amount,
  local_currency_code: Type.String({ examples: ['JPY'] }),
  local_total_amount: Type.String({ description: 'In the local currency, exactly.' }),
  exchange_rate: Type.String({ description: 'KRW for one unit, at intake.' }),
  recipient_name: Type.String(),
  tracking_number: optionalText,
  courier_code: optionalText,
  courier_name: optionalText,
  tracking_link: nullable<string>({
    type: 'string',
    description:
      "The parcel on the courier's site; null: no tracking number, or the courier has no tracking URL.",
  }),
  cancel_reason: optionalText,
  created_at: Timestamp,
  erased_at: nullable<string>({
    type: 'string',
    description:
      'When name, phone, address, tracking number and cancellation reason were erased; null: not erased.',
  }),
};

export const OrderLineDetail = Type.Object(
  {
    line: Type.Integer({ description: 'The number of the line, for returns.' }),
    product_code: Type.String(),
    product_name: Type.String(),
    quantity: Type.Integer(),
    unit_price: Amount,
    sku: Type.String({ description: 'The channel SKU as ordered.' }),
    variant_code: Type.String({ description: 'The internal SKU the order was accepted for.' }),
    local_unit_price: Type.String({ description: 'Exactly as received.' }),
    line_total: Type.String({ description: 'local_line_total × exchange_rate, rounded.' }),
    local_line_total: Type.String({ description: 'local_unit_price × quantity, exactly.' }),
    cancelled_quantity: Type.Integer(),
    returned_quantity: Type.Integer({ description: 'Shipped, and back in physical stock since.' }),
    from_allocation: Type.Integer({ description: "Drawn from the channel's pre-allocation." }),
  },
  { title: 'OrderLineDetail' },
);

export const timesOf = ({ created_at, erased_at }: OrderRow, format: FormatTimestamp) => ({
  created_at: format(created_at),
  erased_at: erased_at && format(erased_at),
});

export const OrderListItem = Type.Object(
  {
    ...orderFields,
    channel_name: Type.String(),
    item_count: Type.Integer({ description: 'Number of lines.' }),
  },
  { title: 'ListedOrder' },
);

export const linkOf = ({ courier_tracking_url, tracking_number }: OrderRow): string | null =>
  trackingLink(courier_tracking_url, tracking_number);

export const presentOrder = (row: ListedOrder, format: FormatTimestamp): Static<typeof OrderListItem> => ({
  ...row,
  ...timesOf(row, format),
  tracking_link: linkOf(row),
});

/** Viewers see it masked, in the console and with a token. */
export const seesPersonalData = ({ role }: Operator): boolean => role !== 'viewer';

/** In an erased order there is nothing left to mask. */
export const maskOrder = <Row extends OrderRow>(row: Row): Row =>
  row.erased_at
    ? row
    : {
        ...row,
        recipient_name: maskName(row.recipient_name),
        tracking_number: row.tracking_number && maskNumber(row.tracking_number),
        courier_tracking_url: null,
        cancel_reason: row.cancel_reason && maskText(row.cancel_reason),
      };

interface Contact {
  recipient_phone: string;
  shipping_address: string;
}

export const maskContact = <Row extends OrderRow & Contact>(row: Row): Row =>
  row.erased_at
    ? row
    : {
        ...maskOrder(row),
        recipient_phone: maskNumber(row.recipient_phone),
        shipping_address: maskAddress(row.shipping_address),
      };

export const maskWhole = (row: StoredOrder): StoredOrder =>
  row.erased_at
    ? row
    : { ...maskContact(row), notes: row.notes.map((note) => ({ ...note, text: maskText(note.text) })) };
