// Physical stock: reads, counts and adjustments.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { REASON_CHARACTERS_MAX } from '../../platform/values/text-limits.ts';
import { adjustQuantity, setQuantity } from './changes.ts';
import { INT32_MAX } from '../../platform/values/int32.ts';
import { reading } from '../../platform/database/transactions.ts';
import { listStock, readStockLevel } from './store.ts';
import { OptionalInteger, OptionalText, Quantity, Text } from '../../platform/schema/building-blocks.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { CountedAt, readCountedAt } from './counted-at.ts';
import { ListOf, pageQuery, readPage, textAfter } from '../../platform/admin-api/page.ts';
import { Refusal, refusalOf } from '../../platform/admin-api/refusal.ts';
import {
  ArchivedQuery,
  COMMON_ANSWERS,
  DataOf,
  RefusalBody,
  SearchQuery,
  security,
} from '../../platform/admin-api/schemas.ts';
import { detailOf, item, itemOf, StockDetail, stockNumbers, stockNumbersOf, VariantParams } from './item.ts';
import { change } from '../../platform/accounts/change.ts';

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

const StockItem = Type.Object({ ...item, ...stockNumbers }, { title: 'StockItem' });
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

export function registerStock(app: FastifyInstance, services: BackOffice): void {
  registerList(app, services);
  registerDetail(app, services);
  registerSet(app, services);
  registerAdjust(app, services);
}

function registerList(app: FastifyInstance, services: BackOffice): void {
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
      const { search = null, below = null, low = false, overcommitted = false, archived = false } = query;
      const narrowed = { below, low, overcommitted };
      const filter = { after: textAfter(query), search, ...narrowed, archived };
      return readPage(services.pool, query, {
        read: (tx, limit) => listStock(tx, { ...filter, limit }),
        key: (row) => row.variant_code,
        present: (row) => ({ ...itemOf(row), ...stockNumbersOf(row) }),
      });
    },
  });
}

function registerDetail(app: FastifyInstance, services: BackOffice): void {
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

function registerSet(app: FastifyInstance, services: BackOffice): void {
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
      const counted_at = await readCountedAt(services.pool, request.body.counted_at ?? null);
      const wanted = { variant_code, quantity, reason, expected_quantity, counted_at };
      const { level } = await change(services, request, (tx, by) => setQuantity(tx, by, wanted));
      return { data: detailOf(level) };
    },
  });
}

function registerAdjust(app: FastifyInstance, services: BackOffice): void {
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
