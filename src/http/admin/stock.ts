// Physical stock: reads, counts and adjustments.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../json-schema.ts';
import { REASON_CHARACTERS_MAX } from '../../domain/text-limits.ts';
import { adjustQuantity, setQuantity } from '../../backoffice/stock.ts';
import {
  channelAvailable,
  commonAvailable,
  INT32_MAX,
  overcommittedBy,
  reserveRemaining,
  type Stock,
} from '../../domain/stock.ts';
import { reading } from '../../store/transactions.ts';
import { readNames } from '../../store/audit.ts';
import { findVariant } from '../../store/products.ts';
import {
  listMovements,
  listStock,
  readStockLevel,
  type StockLevel,
  type StockLine,
} from '../../store/stock.ts';
import { nullable, OptionalInteger, OptionalText, Quantity, Text } from '../schema.ts';
import type { Services } from '../services.ts';
import { CountedAt, readCountedAt } from './counted-at.ts';
import { limitOf, ListOf, numberAfter, page, pageQuery, textAfter, type PageQuery } from './page.ts';
import { Refusal, refusalOf } from './refusal.ts';
import {
  ArchivedQuery,
  Attributes,
  COMMON_ANSWERS,
  DataOf,
  LowStockAt,
  PathText,
  RefusalBody,
  SearchQuery,
  security,
  Timestamp,
} from './schemas.ts';
import { change } from './writing.ts';

const INT32_MIN = -INT32_MAX - 1;

const QuantityRequest = Type.Object({
  quantity: Quantity(0, { description: 'Physical stock as counted.' }),
  reason: OptionalText(REASON_CHARACTERS_MAX),
  expected_quantity: OptionalInteger({
    minimum: 0,
    maximum: INT32_MAX,
    description: 'The quantity you expect; 409 if it has changed.',
  }),
  counted_at: CountedAt(
    'When it was counted, ISO 8601 with offset; default now. Shipments, returns and adjustments since then are added to the count. 409 if the variant was counted later.',
  ),
});
const AdjustmentRequest = Type.Object({
  delta: Type.Integer({
    minimum: INT32_MIN,
    maximum: INT32_MAX,
    description: 'Added to the physical stock; not 0.',
  }),
  reason: Text(REASON_CHARACTERS_MAX),
});

export const Overcommitted = Type.Integer({
  description:
    'By how much unshipped normal orders and pre-allocations exceed the physical stock, 0 if they fit. Channels are never offered more than the physical stock.',
});

/** The numbers of contract 2.3.1, as in every list of stock. */
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
const StockItem = Type.Object({ ...item, ...stockNumbers }, { title: 'StockItem' });
const StockDetail = Type.Object(
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
const MovementItem = Type.Object(
  {
    id: Type.Integer(),
    delta: Type.Integer(),
    quantity_after: Type.Integer(),
    kind: Type.String({ description: 'set, adjustment, shipment, import or return.' }),
    order_id: nullable<number>({ type: 'integer' }),
    order_number: nullable<string>({ type: 'string' }),
    actor: Type.String(),
    actor_name: nullable<string>({ type: 'string', description: 'Of an account or a channel; null: none.' }),
    reason: nullable<string>({ type: 'string' }),
    at: Timestamp,
  },
  { title: 'StockMovement' },
);

export const VariantParams = Type.Object({ variant_code: PathText('The variant code.') });
export type VariantParams = Static<typeof VariantParams>;
const StockQuery = Type.Object({
  ...pageQuery,
  search: SearchQuery,
  below: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: INT32_MAX,
      description: 'Only items with common_available below this.',
    }),
  ),
  low: Type.Optional(
    Type.Boolean({ description: 'true: only items with common_available at low_stock_at or below.' }),
  ),
  overcommitted: Type.Optional(
    Type.Boolean({ description: 'true: only items with overcommitted_by above 0.' }),
  ),
  archived: ArchivedQuery,
});
const tags = ['stock'];
const role = 'operator';
const DETAIL_ANSWERS = { 200: DataOf(StockDetail), 404: RefusalBody, ...COMMON_ANSWERS };

export function registerStock(app: FastifyInstance, services: Services): void {
  registerList(app, services);
  registerDetail(app, services);
  registerSet(app, services);
  registerAdjust(app, services);
  registerMovements(app, services);
}

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

const detailOf = (level: StockLevel): Static<typeof StockDetail> => ({
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

function registerList(app: FastifyInstance, services: Services): void {
  app.route<{ Querystring: Static<typeof StockQuery> }>({
    method: 'GET',
    url: '/stock',
    schema: {
      summary: 'Stock rows with every term of the formula, by variant code',
      description:
        'A variant that never had stock has no row. An archived one is listed with `archived=true`, and while it has stock.',
      tags,
      security,
      querystring: StockQuery,
      response: { 200: ListOf(StockItem), ...COMMON_ANSWERS },
    },
    handler: async ({ query }) => {
      const limit = limitOf(query);
      const { search = null, below = null, low = false, overcommitted = false, archived = false } = query;
      const narrowed = { below, low, overcommitted };
      const filter = { after: textAfter(query), search, ...narrowed, archived, limit: limit + 1 };
      const found = await reading(services.pool, (tx) => listStock(tx, filter));
      return page(
        found,
        limit,
        (row) => row.variant_code,
        (row) => ({ ...itemOf(row), ...stockNumbersOf(row) }),
      );
    },
  });
}

function registerDetail(app: FastifyInstance, services: Services): void {
  app.route<{ Params: VariantParams }>({
    method: 'GET',
    url: '/stock/:variant_code',
    schema: {
      summary: 'The stock of one variant, and what each channel may sell of it',
      tags,
      security,
      params: VariantParams,
      response: DETAIL_ANSWERS,
    },
    handler: async ({ params: { variant_code } }) => {
      const level = await reading(services.pool, (tx) => readStockLevel(tx, variant_code));
      if (!level) throw refusalOf({ kind: 'stock_unknown', variant_code });
      return { data: detailOf(level) };
    },
  });
}

function registerSet(app: FastifyInstance, services: Services): void {
  app.route<{ Params: VariantParams; Body: Static<typeof QuantityRequest> }>({
    method: 'PUT',
    url: '/stock/:variant_code',
    config: { role },
    schema: {
      summary: 'Set the physical stock; creates a missing stock row',
      tags,
      security,
      params: VariantParams,
      body: QuantityRequest,
      response: { ...DETAIL_ANSWERS, 409: RefusalBody },
    },
    handler: async (request) => {
      const { variant_code } = request.params;
      const { quantity, reason = null, expected_quantity = null } = request.body;
      const counted_at = readCountedAt(request.body.counted_at ?? null);
      const wanted = { variant_code, quantity, reason, expected_quantity, counted_at };
      const { level } = await change(services, request, (tx, by) => setQuantity(tx, by, wanted));
      return { data: detailOf(level) };
    },
  });
}

function registerAdjust(app: FastifyInstance, services: Services): void {
  app.route<{ Params: VariantParams; Body: Static<typeof AdjustmentRequest> }>({
    method: 'POST',
    url: '/stock/:variant_code/adjustments',
    config: { role },
    schema: {
      summary: 'Add to the physical stock, or take from it',
      tags,
      security,
      params: VariantParams,
      body: AdjustmentRequest,
      response: DETAIL_ANSWERS,
    },
    handler: async (request) => {
      const { delta, reason } = request.body;
      if (delta === 0) throw Refusal.invalid('delta', { kind: 'zero' });
      const wanted = { variant_code: request.params.variant_code, delta, reason };
      const { level } = await change(services, request, (tx, by) => adjustQuantity(tx, by, wanted));
      return { data: detailOf(level) };
    },
  });
}

function registerMovements(app: FastifyInstance, services: Services): void {
  app.route<{ Params: VariantParams; Querystring: PageQuery }>({
    method: 'GET',
    url: '/stock/:variant_code/movements',
    schema: {
      summary: 'The ledger of the physical stock, newest first',
      tags,
      security,
      params: VariantParams,
      querystring: Type.Object(pageQuery),
      response: { 200: ListOf(MovementItem), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async ({ params: { variant_code }, query }) => {
      const limit = limitOf(query);
      const { found, names } = await reading(services.pool, async (tx) => {
        const variant = await findVariant(tx, variant_code);
        if (!variant) throw refusalOf({ kind: 'variant_unknown', variant_code });
        const movements = await listMovements(tx, variant.id, numberAfter(query), limit + 1);
        return {
          found: movements,
          names: await readNames(
            tx,
            movements.map(({ actor }) => actor),
          ),
        };
      });
      return page(
        found,
        limit,
        (row) => row.id,
        ({ at, ...row }) => ({
          ...row,
          actor_name: names.get(row.actor) ?? null,
          at: services.formatTimestamp(at),
        }),
      );
    },
  });
}
