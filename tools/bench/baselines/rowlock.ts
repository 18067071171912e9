// rowlock: the usual implementation of order intake. One transaction per order on a pool, prepared statements, stock rows
// locked in a fixed order, the same checks, tables and indexes. It has less work than the service: no change journal, no
// exchange rate, and a resent number simply fails.
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import {
  convertedAmount,
  decimal,
  formatDecimal,
  ONE,
  plus,
  timesInteger,
  ZERO,
} from '../../../src/platform/values/money.ts';
import { numberText } from '../../../src/platform/schema/json-body.ts';
import {
  channelAvailable,
  NO_ALLOCATION,
  type Allocation,
  type Stock,
} from '../../../src/core/rules/stock.ts';
import { timestampFormat } from '../../../src/platform/values/timestamps.ts';
import { OrderAnswer, OrderRequest } from '../../../src/core/channel-api/schemas.ts';
import { inTransaction, type Pools } from './pools.ts';

const STATUS_PAID = 1;

const LOCK = {
  name: 'rowlock_lock',
  text: `select m.sku, m.variant_id, p.code as product_code, p.name as product_name,
                s.quantity, s.unshipped, s.allocated, s.backordered
         from mapping m
         join stock s on s.variant_id = m.variant_id
         join variant v on v.id = m.variant_id
         join product p on p.id = v.product_id
         where m.channel_id = $1 and m.sku = any($2::text[])
         order by m.variant_id
         for update of s`,
};
const ALLOCATIONS = {
  name: 'rowlock_allocations',
  text: `select variant_id, allocated_qty, reserve_quota, backordered_qty from allocation
         where channel_id = $1 and variant_id = any($2::int[])`,
};
const INSERT_ORDER = {
  name: 'rowlock_insert_order',
  text: `insert into orders (id, channel_id, order_number, status, is_backorder, recipient_name, recipient_phone,
           shipping_address, tracking_number, local_currency_code, local_total_amount, total_amount, exchange_rate)
         values (nextval('order_id_seq'), $1, $2, $3, false, $4, $5, $6, $7, 'KRW', $8, $9, 1)
         returning id, created_at`,
};
const INSERT_ITEMS = {
  name: 'rowlock_insert_items',
  text: `insert into order_item (order_id, line, variant_id, sku, quantity, from_allocation, local_unit_price, unit_price)
         select $1, * from unnest($2::smallint[], $3::int[], $4::text[], $5::int[], $6::int[], $7::numeric[], $8::numeric[])`,
};
const INSERT_HISTORY = {
  name: 'rowlock_insert_history',
  text: `insert into order_history (order_id, from_status, to_status, source) values ($1, null, $2, 'channel')`,
};
const UPDATE_STOCK = {
  name: 'rowlock_update_stock',
  text: `update stock s set unshipped = s.unshipped + d.quantity
         from unnest($1::int[], $2::int[]) as d (variant_id, quantity) where s.variant_id = d.variant_id`,
};

type Locked = Stock & { sku: string; variant_id: number; product_code: string; product_name: string };

export function registerRowlock(app: FastifyInstance, pools: Pools, channelId: number): void {
  const format = timestampFormat('Asia/Seoul');

  app.route<{ Params: { size: string }; Body: OrderRequest }>({
    method: 'POST',
    url: '/rowlock/:size/orders',
    schema: { body: OrderRequest, response: { 201: OrderAnswer } },
    handler: async (request, reply) => {
      const pool = pools.of(Number(request.params.size));
      const taken = await inTransaction(pool, (tx) => takeOrder(tx, channelId, request.body));
      if ('error' in taken) return reply.code(422).send(taken);
      return reply.code(201).send({ data: { ...taken, created_at: format(taken.created_at) } });
    },
  });
}

interface Taken {
  id: number;
  order_number: string;
  status: number;
  total_amount: string;
  recipient_name: string;
  items: { product_code: string; product_name: string; quantity: number; unit_price: string }[];
  created_at: Date;
}

async function takeOrder(
  tx: pg.PoolClient,
  channelId: number,
  body: OrderRequest,
): Promise<Taken | { error: string }> {
  const skus = body.items.map(({ sku }) => sku);
  const locked = (await tx.query<Locked>({ ...LOCK, values: [channelId, skus] })).rows;
  const bySku = new Map(locked.map((row) => [row.sku, row]));
  const demands = new Map<Locked, number>();
  for (const { sku, quantity } of body.items) {
    const row = bySku.get(sku);
    if (!row) return { error: `SKU ${sku} is not mapped to a product.` };
    demands.set(row, (demands.get(row) ?? 0) + quantity);
  }
  const short = await findShortage(tx, channelId, demands);
  if (short) return { error: `Not enough stock for SKU ${short.sku}.` };
  return writeOrder(tx, channelId, body, bySku, demands);
}

async function findShortage(
  tx: pg.PoolClient,
  channelId: number,
  demands: ReadonlyMap<Locked, number>,
): Promise<Locked | null> {
  const variantIds = [...demands.keys()].map((row) => row.variant_id);
  const found = await tx.query<Allocation & { variant_id: number }>({
    ...ALLOCATIONS,
    values: [channelId, variantIds],
  });
  const allocations = new Map(found.rows.map((row) => [row.variant_id, row]));
  for (const [row, quantity] of demands) {
    if (quantity > channelAvailable(row, allocations.get(row.variant_id) ?? NO_ALLOCATION)) return row;
  }
  return null;
}

async function writeOrder(
  tx: pg.PoolClient,
  channelId: number,
  body: OrderRequest,
  bySku: ReadonlyMap<string, Locked>,
  demands: ReadonlyMap<Locked, number>,
): Promise<Taken> {
  const lines = body.items.map((item) => ({
    ...item,
    row: bySku.get(item.sku) as Locked,
    price: decimal(numberText(item.unit_price)),
  }));
  const total = lines.reduce((sum, line) => plus(sum, timesInteger(line.price, line.quantity)), ZERO);
  const status = body.status ?? STATUS_PAID;
  const total_amount = convertedAmount(total, ONE);
  const inserted = await tx.query<{ id: number; created_at: Date }>({
    ...INSERT_ORDER,
    values: [
      channelId,
      body.order_number,
      status,
      body.recipient_name,
      body.recipient_phone,
      body.shipping_address,
      body.tracking_number ?? null,
      formatDecimal(total),
      total_amount,
    ],
  });
  const [order] = inserted.rows;
  if (!order) throw new RangeError('the order was not inserted');
  const unitPrices = lines.map((line) => convertedAmount(line.price, ONE));
  await tx.query({
    ...INSERT_ITEMS,
    values: [
      order.id,
      lines.map((_line, index) => index),
      lines.map((line) => line.row.variant_id),
      lines.map((line) => line.sku),
      lines.map((line) => line.quantity),
      lines.map(() => 0), // stock never runs out here, so nothing is drawn from a pre-allocation
      lines.map((line) => formatDecimal(line.price)),
      unitPrices,
    ],
  });
  await tx.query({ ...INSERT_HISTORY, values: [order.id, status] });
  const variantIds = [...demands.keys()].map((row) => row.variant_id);
  await tx.query({ ...UPDATE_STOCK, values: [variantIds, [...demands.values()]] });
  return {
    id: order.id,
    order_number: body.order_number,
    status,
    total_amount,
    recipient_name: body.recipient_name,
    items: lines.map(({ row, quantity }, index) => ({
      product_code: row.product_code,
      product_name: row.product_name,
      quantity,
      unit_price: unitPrices[index] ?? '',
    })),
    created_at: order.created_at,
  };
}
