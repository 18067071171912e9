// rowlock for status reports: one transaction per report, which locks the order and then its stock rows in a fixed order.
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { CANCELLED, pathBetween, SHIPPED, type Status } from '../../../src/core/rules/transitions.ts';
import { timestampFormat } from '../../../src/platform/values/timestamps.ts';
import { OrderAnswer, StatusRequest } from '../../../src/core/channel-api/schemas.ts';
import { inTransaction, type Pools } from './pools.ts';

const LOCK_ORDER = {
  name: 'rowlock_lock_order',
  text: `select id, order_number, status, total_amount, recipient_name, created_at from orders
         where order_number = $1 and channel_id = $2 for update`,
};
const ITEMS = {
  name: 'rowlock_items',
  text: `select i.variant_id, i.quantity, i.unit_price, p.code as product_code, p.name as product_name
         from order_item i
         join variant v on v.id = i.variant_id
         join product p on p.id = v.product_id
         where i.order_id = $1 order by i.line`,
};
const LOCK_STOCK = {
  name: 'rowlock_lock_stock',
  text: `select variant_id, quantity from stock where variant_id = any($1::int[]) order by variant_id for update`,
};
const MOVE_STOCK = {
  name: 'rowlock_move_stock',
  text: `update stock s set quantity = s.quantity + d.physical, unshipped = s.unshipped - d.quantity
         from unnest($1::int[], $2::int[], $3::int[]) as d (variant_id, physical, quantity)
         where s.variant_id = d.variant_id`,
};
const INSERT_LEDGER = {
  name: 'rowlock_insert_ledger',
  text: `insert into stock_movement (variant_id, delta, quantity_after, kind, order_id, actor)
         select d.variant_id, d.delta, d.quantity_after, 'shipment', $4, $5
         from unnest($1::int[], $2::int[], $3::int[]) as d (variant_id, delta, quantity_after)`,
};
const CANCEL_ITEMS = {
  name: 'rowlock_cancel_items',
  text: 'update order_item set cancelled_quantity = quantity where order_id = $1',
};
const UPDATE_ORDER = {
  name: 'rowlock_update_order',
  text: `update orders set status = $2, tracking_number = coalesce($3, tracking_number),
           cancel_reason = coalesce($4, cancel_reason) where id = $1`,
};
const INSERT_HISTORY = {
  name: 'rowlock_insert_steps',
  text: `insert into order_history (order_id, from_status, to_status, source)
         select $1, d.from_status, d.to_status, 'channel'
         from unnest($2::smallint[], $3::smallint[]) as d (from_status, to_status)`,
};

interface OrderRow {
  id: number;
  order_number: string;
  status: Status;
  total_amount: string;
  recipient_name: string;
  created_at: Date;
}

interface ItemRow {
  variant_id: number;
  quantity: number;
  unit_price: string;
  product_code: string;
  product_name: string;
}

type Reported = { order: OrderRow; items: ItemRow[] } | { error: string; status: 404 | 409 };

export function registerRowlockStatus(app: FastifyInstance, pools: Pools, channelId: number): void {
  const format = timestampFormat('Asia/Seoul');

  app.route<{ Params: { size: string; orderNumber: string }; Body: StatusRequest }>({
    method: 'POST',
    url: '/rowlock/:size/orders/:orderNumber/status',
    schema: { body: StatusRequest, response: { 200: OrderAnswer } },
    handler: async ({ params, body }, reply) => {
      const pool = pools.of(Number(params.size));
      const done = await inTransaction(pool, (tx) => report(tx, channelId, params.orderNumber, body));
      if ('error' in done) return reply.code(done.status).send({ error: done.error });
      const { order, items } = done;
      return { data: { ...order, items, created_at: format(order.created_at) } };
    },
  });
}

async function report(
  tx: pg.PoolClient,
  channelId: number,
  orderNumber: string,
  body: StatusRequest,
): Promise<Reported> {
  const [order] = (await tx.query<OrderRow>({ ...LOCK_ORDER, values: [orderNumber, channelId] })).rows;
  if (!order) return { status: 404, error: `Order ${orderNumber} was not found.` };
  const { rows: items } = await tx.query<ItemRow>({ ...ITEMS, values: [order.id] });
  const path = pathBetween(order.status, body.status);
  if (!path) return { status: 409, error: `An order in status ${order.status} cannot move there.` };
  if (body.status === SHIPPED || body.status === CANCELLED) {
    if (!(await moveStock(tx, order, items, body.status, channelId)))
      return { status: 409, error: 'Not enough physical stock to ship.' };
  }
  const values = [order.id, body.status, body.tracking_number ?? null, body.reason ?? null];
  await tx.query({ ...UPDATE_ORDER, values });
  await tx.query({ ...INSERT_HISTORY, values: [order.id, [order.status, ...path.slice(0, -1)], path] });
  return { order: { ...order, status: body.status }, items };
}

/** False: not enough stock to ship. */
async function moveStock(
  tx: pg.PoolClient,
  order: OrderRow,
  items: readonly ItemRow[],
  status: Status,
  channelId: number,
): Promise<boolean> {
  const demands = new Map<number, number>();
  for (const item of items) {
    demands.set(item.variant_id, (demands.get(item.variant_id) ?? 0) + item.quantity);
  }
  const ids = [...demands.keys()];
  const quantities = [...demands.values()];
  const locked = await tx.query<{ variant_id: number; quantity: number }>({ ...LOCK_STOCK, values: [ids] });
  const physical = new Map(locked.rows.map((row) => [row.variant_id, row.quantity]));
  const ships = status === SHIPPED;
  const after = ids.map((id) => (physical.get(id) ?? 0) - (demands.get(id) ?? 0));
  if (ships && after.some((quantity) => quantity < 0)) return false;
  const moved = quantities.map((quantity) => (ships ? -quantity : 0));
  await tx.query({ ...MOVE_STOCK, values: [ids, moved, quantities] });
  if (ships)
    await tx.query({ ...INSERT_LEDGER, values: [ids, moved, after, order.id, `channel:${channelId}`] });
  else await tx.query({ ...CANCEL_ITEMS, values: [order.id] });
  return true;
}
