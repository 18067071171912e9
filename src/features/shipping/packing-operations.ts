// For the warehouse: the goods of several orders for picking and packing, and the orders that can share a parcel.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { STATUSES } from '../../core/rules/transitions.ts';
import { listOrdersById } from '../../core/orders/list-store.ts';
import { listParcels, readPackedOrders, readPicks, type PackedOrder } from './store.ts';
import { reading } from '../../platform/database/transactions.ts';
import { IntegerOf, nullable } from '../../platform/schema/building-blocks.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { OrderListItem, presentOrder } from '../../core/orders/fields.ts';
import { ListOf, numberAfter, pageQuery, readPage } from '../../platform/admin-api/page.ts';
import { Refusal, refusalOf } from '../../platform/admin-api/refusal.ts';
import {
  COMMON_ANSWERS,
  DataOf,
  RefusalBody,
  security,
  Timestamp,
} from '../../platform/admin-api/schemas.ts';

const PACKED_ORDERS_MAX = 200;
const tags = ['orders'];
const role = 'operator';

const goods = {
  variant_code: Type.String(),
  product_code: Type.String(),
  product_name: Type.String(),
  power: nullable<string>({ type: 'string' }),
  barcode: nullable<string>({ type: 'string' }),
  attributes: Type.Record(Type.String(), Type.String(), { description: 'Such as size and colour.' }),
  quantity: Type.Integer({ description: 'Without what was cancelled.' }),
};
const Packing = Type.Object({
  orders: Type.Array(
    Type.Object({
      id: Type.Integer(),
      order_number: Type.String(),
      channel_name: Type.String(),
      status: IntegerOf(STATUSES),
      is_backorder: Type.Boolean(),
      recipient_name: Type.String(),
      recipient_phone: Type.String(),
      shipping_address: Type.String(),
      created_at: Timestamp,
      erased_at: nullable<string>({ type: 'string' }),
      items: Type.Array(Type.Object({ sku: Type.String(), ...goods })),
    }),
    { description: 'In the order of `ids`.' },
  ),
  picks: Type.Array(
    Type.Object({
      ...goods,
      orders: Type.Integer({ description: 'How many of the orders need it.' }),
      physical_stock: nullable<number>({
        type: 'integer',
        description: 'In the warehouse now; null: no stock record.',
      }),
    }),
    { description: 'The goods of all unshipped orders, summed by variant.' },
  ),
});
const PackingQuery = Type.Object({
  ids: Type.String({
    description: `Order ids with commas, at most ${PACKED_ORDERS_MAX}.`,
    examples: ['7,8'],
  }),
});

const ParcelQuery = Type.Object({
  ...pageQuery,
  order_id: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Only the parcel of this order.',
    }),
  ),
  order_ids: Type.Optional(
    Type.String({
      description: `Only the parcels of these orders: at most ${PACKED_ORDERS_MAX} ids, with commas.`,
    }),
  ),
});
const ParcelItem = Type.Object({
  count: Type.Integer({ description: 'Orders of the recipient that wait for shipment.' }),
  orders: Type.Array(OrderListItem, { description: 'Newest first; of a very large number the oldest 200.' }),
});

export function registerPacking(app: FastifyInstance, services: BackOffice): void {
  registerGoods(app, services);
  registerParcels(app, services);
}

function registerGoods(app: FastifyInstance, services: BackOffice): void {
  const { formatTimestamp } = services;
  app.route<{ Querystring: Static<typeof PackingQuery> }>({
    method: 'GET',
    url: '/orders/packing',
    config: { role },
    schema: {
      summary: 'The goods of several orders: what to fetch, and what goes into each parcel',
      tags,
      security,
      querystring: PackingQuery,
      response: { 200: DataOf(Packing), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async ({ query }) => {
      const ids = idsOf(query.ids, 'ids');
      const [orders, picks] = await reading(services.pool, async (tx) => [
        await readPackedOrders(tx, ids),
        await readPicks(tx, ids),
      ]);
      const found = new Set(orders.map(({ id }) => id));
      const missing = ids.find((id) => !found.has(id));
      if (missing !== undefined) throw refusalOf({ kind: 'order_unknown', order: missing });
      const present = (row: PackedOrder) => ({
        ...row,
        created_at: formatTimestamp(row.created_at),
        erased_at: row.erased_at && formatTimestamp(row.erased_at),
      });
      return { data: { orders: orders.map(present), picks } };
    },
  });
}

function registerParcels(app: FastifyInstance, services: BackOffice): void {
  const { formatTimestamp } = services;
  app.route<{ Querystring: Static<typeof ParcelQuery> }>({
    method: 'GET',
    url: '/orders/parcels',
    config: { role },
    schema: {
      summary: 'Paid, unshipped orders with the same recipient, phone and address, which can share a parcel',
      tags,
      security,
      querystring: ParcelQuery,
      response: { 200: ListOf(ParcelItem), ...COMMON_ANSWERS },
    },
    handler: async ({ query }) => {
      const { order_id, order_ids } = query;
      const wanted = [...(order_id === undefined ? [] : [order_id]), ...idsOf(order_ids, 'order_ids')];
      const isAll = order_id === undefined && order_ids === undefined;
      const filter = { order_ids: isAll ? null : wanted, afterId: numberAfter(query) };
      return readPage(services.pool, query, {
        read: async (tx, limit) => {
          const found = await listParcels(tx, { ...filter, limit });
          const ids = found.flatMap((parcel) => parcel.ids);
          const orders = new Map((await listOrdersById(tx, ids)).map((order) => [order.id, order]));
          return found.map((parcel) => ({ ...parcel, orders }));
        },
        key: ({ first_id }) => first_id,
        present: ({ count, ids, orders }) => ({
          count,
          orders: ids.toReversed().flatMap((id) => {
            const order = orders.get(id);
            return order ? [presentOrder(order, formatTimestamp)] : [];
          }),
        }),
      });
    },
  });
}

/** Removes duplicates. */
function idsOf(text: string | undefined, field: string): number[] {
  if (text === undefined) return [];
  const ids = [
    ...new Set(text.split(',').map((id) => (/^[1-9]\d{0,15}$/.test(id) ? Number(id) : Number.NaN))),
  ];
  if (!ids.every(Number.isSafeInteger))
    throw Refusal.invalid(field, { kind: 'wrong_format', format: 'list of order ids' });
  if (ids.length > PACKED_ORDERS_MAX)
    throw Refusal.invalid(field, { kind: 'too_many', elements_max: PACKED_ORDERS_MAX });
  return ids;
}
