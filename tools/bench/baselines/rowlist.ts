// rowlist: the usual implementation of the stock list. One query per request; rows are mapped and serialized each time.
import type { FastifyInstance } from 'fastify';
import { channelAvailable, NO_ALLOCATION, reserveRemaining } from '../../../src/core/rules/stock.ts';
import type { Pools } from './pools.ts';

/** One thread maps and serializes; more concurrent queries would only keep more rows in memory. */
const ROWLIST_CONNECTIONS = 2;

const LIST = {
  name: 'rowlist',
  text: `select m.sku, v.code as product_code, p.name as product_name,
                s.quantity, s.unshipped, s.allocated, s.backordered,
                a.allocated_qty, a.reserve_quota, a.backordered_qty
         from mapping m
         join variant v on v.id = m.variant_id
         join product p on p.id = v.product_id
         left join stock s on s.variant_id = m.variant_id
         left join allocation a on a.variant_id = m.variant_id and a.channel_id = m.channel_id
         where m.channel_id = $1
         order by m.sku`,
};

interface Row {
  sku: string;
  product_code: string;
  product_name: string;
  quantity: number | null;
  unshipped: number;
  allocated: number;
  backordered: number;
  allocated_qty: number | null;
  reserve_quota: number;
  backordered_qty: number;
}

export function registerRowlist(app: FastifyInstance, pools: Pools, channelId: number): void {
  app.get('/rowlist/inventory', async (_request, reply) => {
    const { rows } = await pools.of(ROWLIST_CONNECTIONS).query<Row>({ ...LIST, values: [channelId] });
    void reply.header('content-type', 'application/json; charset=utf-8');
    return reply.send(JSON.stringify({ data: rows.map(listed) }));
  });
}

function listed(row: Row): object {
  const { sku, product_code, product_name, allocated_qty, reserve_quota, backordered_qty } = row;
  const quantity = row.quantity ?? 0;
  const stock = { ...row, quantity };
  const allocation =
    allocated_qty === null ? NO_ALLOCATION : { allocated_qty, reserve_quota, backordered_qty };
  return {
    sku,
    product_code,
    product_name,
    quantity,
    allocated: row.allocated ?? 0,
    available: row.quantity === null ? 0 : channelAvailable(stock, allocation),
    reserve_remaining: reserveRemaining(allocation),
  };
}
