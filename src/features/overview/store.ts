// Queries of the console's overview.
import { SHIPPED } from '../../core/rules/transitions.ts';
import { rows, statement, type Tx } from '../../platform/database/database.ts';

export interface HourCount {
  /** Index of the hour in the list, from 1. */
  hour: number;
  channel_id: number;
  count: number;
}

const COUNT_ORDERS = statement(
  'overview_count_orders',
  `select width_bucket(created_at, $1::timestamptz[]) as hour, channel_id, count(*) as count
   from orders where created_at >= $2 and created_at < $3
   group by 1, 2`,
);

/** Orders by hour and channel. Each hour ends where the next begins; the last one ends at `end`. */
export const countOrders = (tx: Tx, hours: readonly Date[], end: Date): Promise<HourCount[]> =>
  rows(tx, COUNT_ORDERS, [hours, hours[0], end]);

const COUNT_OPEN = statement(
  'overview_count_open',
  `select status, count(*) as count from orders where status = any($1::smallint[]) and status <> ${SHIPPED}
   group by status`,
);

export const countOpenOrders = (
  tx: Tx,
  statuses: readonly number[],
): Promise<{ status: number; count: number }[]> => rows(tx, COUNT_OPEN, [statuses]);

export interface UnpaidOrder {
  id: number;
  order_number: string;
  channel_id: number;
  channel_name: string;
  created_at: Date;
  total_amount: string;
}

const OLDEST_UNPAID = statement(
  'overview_oldest_unpaid',
  `select o.id, o.order_number, o.channel_id, c.name as channel_name, o.created_at, o.total_amount
   from orders o join channel c on c.id = o.channel_id
   where o.status = 0 order by o.id limit $1`,
);

export const listOldestUnpaid = (tx: Tx, limit: number): Promise<UnpaidOrder[]> =>
  rows(tx, OLDEST_UNPAID, [limit]);

export interface LowStock {
  variant_code: string;
  product_name: string;
  common_available: number;
  quantity: number;
}

// The rows are selected before the joins.
const LOW_STOCK = statement(
  'overview_low_stock',
  `with low as (
     select s.variant_id, s.quantity, greatest(0, s.quantity - s.unshipped - s.allocated - s.backordered)
       as common_available
     from stock s
     where s.quantity - s.unshipped - s.allocated - s.backordered <= $1
       and exists (select from mapping m where m.variant_id = s.variant_id)
     order by common_available, s.variant_id limit $2
   )
   select v.code as variant_code, p.name as product_name, l.common_available, l.quantity
   from low l join variant v on v.id = l.variant_id join product p on p.id = v.product_id
   order by l.common_available, l.variant_id`,
);

/** Items that channels can sell and whose common stock is at most `atMost`, lowest first. */
export const listLowStock = (tx: Tx, atMost: number, limit: number): Promise<LowStock[]> =>
  rows(tx, LOW_STOCK, [atMost, limit]);

const REFUSED = statement(
  'overview_refused',
  `select reason, sum(count)::bigint as count from refusal_count where hour >= $1
   group by reason order by 2 desc, 1`,
);

export const countRefusals = (tx: Tx, from: Date): Promise<{ reason: string; count: number }[]> =>
  rows(tx, REFUSED, [from]);

export interface SetUp {
  mapped: number;
  /** Items with a pre-allocation or a backorder quota. */
  configured: number;
  /** null: no rate is in effect for the channel's currency */
  rate: string | null;
  effective_at: Date | null;
}

const SET_UP = statement(
  'overview_set_up',
  `select (select count(*) from mapping m where m.channel_id = c.id) as mapped,
          (select count(*) from allocation a
           where a.channel_id = c.id and (a.allocated_qty > 0 or a.reserve_quota > 0)) as configured,
          r.rate, r.effective_at
   from channel c
   left join lateral (
     select x.rate, x.effective_at from exchange_rate x
     where x.currency_code = c.currency_code and x.effective_at <= now()
     order by x.effective_at desc, x.id desc limit 1
   ) r on true
   where c.id = $1`,
);

/** The state of a channel's set-up, as far as it is not in the channel's row. */
export const readSetUp = async (tx: Tx, channelId: number): Promise<SetUp | undefined> =>
  (await rows<SetUp>(tx, SET_UP, [channelId]))[0];
