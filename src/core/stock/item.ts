// The fields of a stock item, as in every list of stock.
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import {
  channelAvailable,
  commonAvailable,
  overcommittedBy,
  reserveRemaining,
  type Stock,
} from '../rules/stock.ts';
import type { StockLevel, StockLine } from './store.ts';
import { nullable } from '../../platform/schema/building-blocks.ts';
import { PathText } from '../../platform/admin-api/schemas.ts';
import { Attributes, LowStockAt } from '../products/fields.ts';

export const VariantParams = Type.Object({ variant_code: PathText('The variant code.') });
export type VariantParams = Static<typeof VariantParams>;
export const Overcommitted = Type.Integer({
  description:
    'By how much unshipped normal orders and pre-allocations exceed the physical stock, 0 if they fit. Channels are never offered more than the physical stock.',
});

/** The numbers of contract 2.3.1. */
export const stockNumbers = {
  quantity: Type.Integer({ description: 'Physical stock.' }),
  unshipped: Type.Integer({ description: 'Quantity of unshipped normal orders.' }),
  allocated: Type.Integer({ description: 'Sum of all pre-allocations.' }),
  backordered: Type.Integer({ description: 'Sum of all accepted backorders.' }),
  common_available: Type.Integer({ description: 'Available to every channel, at least 0.' }),
  overcommitted_by: Overcommitted,
};
const variantFacts = {
  power: nullable<string>({ type: 'string' }),
  barcode: nullable<string>({ type: 'string' }),
  attributes: Attributes,
  low_stock_at: LowStockAt,
  archived: Type.Boolean({ description: 'The variant itself, or its product.' }),
};
/** The fields of the item in a row. */
export const item = {
  variant_code: Type.String(),
  product_code: Type.String(),
  product_name: Type.String(),
  ...variantFacts,
};
export const StockDetail = Type.Object(
  {
    variant_code: Type.String(),
    ...stockNumbers,
    channels: Type.Array(
      Type.Object({
        channel_id: Type.Integer(),
        name: Type.String(),
        allocated_qty: Type.Integer(),
        reserve_quota: Type.Integer(),
        backordered_qty: Type.Integer(),
        available: Type.Integer(),
        reserve_remaining: Type.Integer(),
      }),
      { description: 'Channels that map the variant or have an allocation of it.' },
    ),
    product_code: Type.String(),
    product_name: Type.String(),
    ...variantFacts,
    skus: Type.Array(Type.Object({ channel_id: Type.Integer(), sku: Type.String() }), {
      description: 'The channel SKUs mapped to it.',
    }),
  },
  { title: 'StockDetail' },
);
const factsOf = (line: StockLine) => ({
  power: line.power,
  barcode: line.barcode,
  attributes: line.attributes,
  low_stock_at: line.low_stock_at,
  archived: line.is_archived,
});

export const itemOf = (line: StockLine) => ({
  variant_code: line.variant_code,
  product_code: line.product_code,
  product_name: line.product_name,
  ...factsOf(line),
});

export const stockNumbersOf = (stock: Stock) => ({
  quantity: stock.quantity,
  unshipped: stock.unshipped,
  allocated: stock.allocated,
  backordered: stock.backordered,
  common_available: commonAvailable(stock),
  overcommitted_by: overcommittedBy(stock),
});

export const detailOf = (level: StockLevel): Static<typeof StockDetail> => ({
  variant_code: level.variant_code,
  ...stockNumbersOf(level),
  channels: level.channels.map((channel) => ({
    channel_id: channel.channel_id,
    name: channel.name,
    allocated_qty: channel.allocated_qty,
    reserve_quota: channel.reserve_quota,
    backordered_qty: channel.backordered_qty,
    available: channelAvailable(level, channel),
    reserve_remaining: reserveRemaining(channel),
  })),
  product_code: level.product_code,
  product_name: level.product_name,
  ...factsOf(level),
  skus: level.skus,
});
