// The channel API of contract 4, as schemas. Property order is the order of its tables.
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import {
  ORDER_LINES_MAX,
  ORDER_NUMBER_CHARACTERS_MAX,
  RECIPIENT_NAME_CHARACTERS_MAX,
  RECIPIENT_PHONE_CHARACTERS_MAX,
  SHIPPING_ADDRESS_CHARACTERS_MAX,
  TRACKING_NUMBER_CHARACTERS_MAX,
} from '../rules/order-limits.ts';
import type { SignatureFault } from '../rules/signature.ts';
import { STATUSES } from '../rules/transitions.ts';
import {
  IntegerOf,
  nullable,
  OptionalBoolean,
  OptionalText,
  Price,
  Quantity,
  SKU_CHARACTERS_MAX,
  Text,
} from '../../platform/schema/building-blocks.ts';

/** A token lists the transactions that were in progress when it was issued. */
export const TOKEN_CHARACTERS_MAX = 8_000;

const Money = (description: string) => Type.String({ description, examples: ['45000.00'] });

export const InventoryRow = Type.Object(
  {
    sku: Type.String({ description: 'The channel SKU.' }),
    product_code: Type.String({ description: 'The internal variant (SKU-level) code.' }),
    product_name: Type.String(),
    quantity: Type.Integer({ description: 'Physical stock, for reference only.' }),
    allocated: Type.Integer({ description: 'Sum of all pre-allocations, for reference only.' }),
    available: Type.Integer({ description: 'What this channel may sell: the only value to decide on.' }),
    reserve_remaining: Type.Integer({ description: 'Quantity still acceptable for backorders.' }),
  },
  { title: 'InventoryRow' },
);

export const InventoryList = Type.Object(
  { data: Type.Array(InventoryRow, { description: 'By SKU.' }) },
  { title: 'InventoryList' },
);

const WAIT_SECONDS_MAX = 30;
export const Wait = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: WAIT_SECONDS_MAX,
    description:
      'With changes_since: how many seconds to wait for a change. The answer comes as soon as there is one, or without any.',
  }),
);

export const InventoryLookup = Type.Object(
  {
    sku: Type.String(),
    available: Type.Integer(),
    reserve_remaining: Type.Integer(),
  },
  { title: 'InventoryLookup' },
);

export const SkuParams = Type.Object({
  sku: Type.String({ format: 'text', description: 'The channel SKU, percent-encoded.' }),
});

export const OrderRequest = Type.Object(
  {
    order_number: Text(ORDER_NUMBER_CHARACTERS_MAX, {
      description: 'Unique across all orders of all channels.',
    }),
    recipient_name: Text(RECIPIENT_NAME_CHARACTERS_MAX),
    recipient_phone: Text(RECIPIENT_PHONE_CHARACTERS_MAX),
    shipping_address: Text(SHIPPING_ADDRESS_CHARACTERS_MAX),
    tracking_number: OptionalText(TRACKING_NUMBER_CHARACTERS_MAX),
    status: Type.Optional(
      nullable<0 | 1>({ type: 'integer', enum: [0, 1], description: '0 before payment, 1 paid (default).' }),
    ),
    is_backorder: OptionalBoolean({
      description: 'Taken beyond the stock, within the quota. Default false.',
    }),
    items: Type.Array(
      Type.Object(
        {
          sku: Text(SKU_CHARACTERS_MAX, { description: 'The channel SKU.' }),
          quantity: Quantity(1),
          unit_price: Price({
            description: "In the local currency of the channel's country, with at most 30 decimals.",
          }),
        },
        { title: 'OrderLine' },
      ),
      { minItems: 1, maxItems: ORDER_LINES_MAX },
    ),
  },
  { title: 'OrderRequest' },
);
export type OrderRequest = Static<typeof OrderRequest>;

const statusFields = {
  status: IntegerOf(STATUSES, {
    description:
      '0 pre-payment, 1 paid, 2 product preparation, 9 shipping preparation, 3 shipped, 88 cancelled.',
  }),
  tracking_number: OptionalText(TRACKING_NUMBER_CHARACTERS_MAX, {
    description: 'Required when status is 3; with any other status it is not kept.',
  }),
  // No length limit: contract 4.4.4 names none, and a text that is too long for a code is not found.
  courier_code: Type.Optional(
    nullable<string>({
      type: 'string',
      format: 'text',
      description: 'A code of the group DELIVERY_COMPANY; any other leaves only the tracking number.',
    }),
  ),
  reason: OptionalText(255, { description: 'Why the order was cancelled.' }),
};

/** Shipping requires a tracking number. The schema states it, so that it applies to validation and OpenAPI. */
export const StatusRequest = Type.Object(statusFields, {
  title: 'StatusReport',
  if: { type: 'object', properties: { status: { const: 3 } }, required: ['status'] },
  then: {
    required: ['tracking_number'],
    properties: { tracking_number: { type: 'string', minLength: 1, format: 'nonblank' } },
  },
});
export type StatusRequest = Static<typeof StatusRequest>;

export const OrderParams = Type.Object({
  orderNumber: Type.String({ format: 'text', description: 'The number of the order, percent-encoded.' }),
});

const OrderItem = Type.Object(
  {
    product_code: Type.String({
      description: 'The product-level code, not the variant code of the stock list.',
    }),
    product_name: Type.String(),
    quantity: Type.Integer(),
    unit_price: Money('Base-currency unit price, two decimals.'),
  },
  { title: 'OrderItem' },
);

const Order = Type.Object(
  {
    id: Type.Integer(),
    order_number: Type.String(),
    status: Type.Integer(),
    total_amount: Money('Base-currency total, two decimals.'),
    recipient_name: Type.String(),
    items: Type.Array(OrderItem),
    created_at: Type.String({
      description: 'ISO 8601 with offset.',
      examples: ['2026-11-15T09:30:00+09:00'],
    }),
  },
  { title: 'Order' },
);

export const OrderAnswer = Type.Object({ data: Order });
export type OrderAnswer = Static<typeof OrderAnswer>;

export const Unauthorized = Type.Object(
  {
    error: Type.String(),
    code: Type.Optional(
      Type.Unsafe<SignatureFault>({
        type: 'string',
        enum: ['signature_missing', 'signature_invalid', 'signature_expired'],
        description: 'Where it is the signature and not the key; only for channels that sign.',
      }),
    ),
  },
  { $id: 'Unauthorized' },
);

export const RateLimited = Type.Object(
  {
    error: Type.String(),
    code: Type.Unsafe<'rate_limited'>({ type: 'string', enum: ['rate_limited'] }),
  },
  { $id: 'RateLimited' },
);

export const Conflict = Type.Object(
  {
    error: Type.String(),
    code: Type.Unsafe<'invalid_transition' | 'insufficient_stock'>({
      type: 'string',
      enum: ['invalid_transition', 'insufficient_stock'],
      description: 'invalid_transition is final; insufficient_stock can succeed once stock was added.',
    }),
    current_status: Type.Integer(),
    requested_status: Type.Integer(),
  },
  { $id: 'Conflict' },
);
