// The conditions of alerts that hold now: one query for each kind of alert.
import { setTimeout as sleep } from 'node:timers/promises';
import type { AlertRule, FoundCondition as Found } from './rules.ts';
import { rows, statement, type Statement, type Tx } from '../../platform/database/database.ts';
import { IS_ARCHIVED } from '../../core/products/store.ts';

const RAW = 's.quantity - s.unshipped - s.allocated - s.backordered';

const LOW_STOCK = statement(
  'alert_low_stock',
  `select 'variant:' || v.code as subject,
     jsonb_build_object('variant_code', v.code, 'common_available', greatest(0, ${RAW}), 'low_stock_at', v.low_stock_at,
       'quantity', s.quantity) as details
   from variant v join product p on p.id = v.product_id join stock s on s.variant_id = v.id
   where v.id > $1::int and v.id <= $2::int and s.variant_id > $1 and s.variant_id <= $2
     and v.low_stock_at is not null and not ${IS_ARCHIVED} and ${RAW} <= v.low_stock_at order by v.id`,
);

// As `overcommitted_by` in the stock list: unshipped orders and pre-allocations beyond the physical stock.
const OVERCOMMITTED = statement(
  'alert_overcommitted',
  `select 'variant:' || v.code as subject,
     jsonb_build_object('variant_code', v.code, 'overcommitted_by', s.unshipped + s.allocated - s.quantity) as details
   from stock s join variant v on v.id = s.variant_id
   where s.variant_id > $1::int and s.variant_id <= $2::int and v.id > $1 and v.id <= $2 and s.unshipped + s.allocated - s.quantity > 0
   order by v.id`,
);

/**
 * Variants per statement, which then takes 2 ms. All 100,000 in one statement took a core for 40 ms, and orders
 * waited.
 */
const VARIANTS_AT_ONCE = 4_096;
const PAUSE_MS = 5;

const LAST_VARIANT = statement('alert_last_variant', 'select coalesce(max(id), 0) as id from variant');

async function ofVariants(tx: Tx, query: Statement, signal?: AbortSignal): Promise<Found[]> {
  const [last] = await rows<{ id: number }>(tx, LAST_VARIANT);
  const found: Found[] = [];
  for (let after = 0; after < (last?.id ?? 0); after += VARIANTS_AT_ONCE) {
    if (after > 0) await sleep(PAUSE_MS, undefined, { signal });
    found.push(...(await rows<Found>(tx, query, [after, after + VARIANTS_AT_ONCE])));
  }
  return found;
}

const UNMAPPED = statement(
  'alert_unmapped_sku',
  `select 'channel:' || a.channel_id || '/sku:' || a.sku as subject,
     jsonb_build_object('channel_id', a.channel_id, 'channel_name', c.name, 'sku', a.sku) as details
   from asked_in_vain a join channel c on c.id = a.channel_id
   where a.lookups + a.orders >= $1 and a.last_at > now() - make_interval(hours => $2) and c.is_active
     and not exists (select from mapping m where m.channel_id = a.channel_id and m.sku = a.sku)
   order by a.channel_id, a.sku`,
);

const CURRENT_RATE = `left join lateral (
     select x.effective_at from exchange_rate x where x.currency_code = c.currency_code and x.effective_at <= now()
     order by x.effective_at desc, x.id desc limit 1
   ) r on true`;
/** Active channels that sell in a currency other than the base. */
const IN_FOREIGN_CURRENCY = `c.is_active and c.currency_code <> 'KRW'`;

const RATE_MISSING = statement(
  'alert_rate_missing',
  `select 'currency:' || c.currency_code as subject,
     jsonb_build_object('currency_code', c.currency_code, 'channel_ids', jsonb_agg(c.id order by c.id)) as details
   from channel c ${CURRENT_RATE} where ${IN_FOREIGN_CURRENCY} and r.effective_at is null
   group by c.currency_code order by c.currency_code`,
);
const RATE_STALE = statement(
  'alert_rate_stale',
  `select 'currency:' || c.currency_code as subject,
     jsonb_build_object('currency_code', c.currency_code, 'effective_at', max(r.effective_at), 'channel_ids', jsonb_agg(c.id order by c.id)) as details
   from channel c ${CURRENT_RATE}
   where ${IN_FOREIGN_CURRENCY} and r.effective_at < now() - make_interval(hours => $1)
   group by c.currency_code order by c.currency_code`,
);

// A channel that has never sent a request is still being set up.
const CHANNEL_SILENT = statement(
  'alert_channel_silent',
  `select 'channel:' || c.id as subject,
     jsonb_build_object('channel_id', c.id, 'channel_name', c.name, 'last_request_at', l.at) as details
   from channel c, greatest(c.key_last_used_at, c.previous_key_last_used_at) as l (at)
   where c.is_active and l.at < now() - make_interval(hours => $1) order by c.id`,
);

const PREPAYMENT_OLD = statement(
  'alert_prepayment_old',
  `select 'channel:' || o.channel_id as subject,
     jsonb_build_object('channel_id', o.channel_id, 'channel_name', min(c.name), 'count', count(*), 'oldest_at', min(o.created_at)) as details
   from orders o join channel c on c.id = o.channel_id
   where o.status = 0 and o.created_at < now() - make_interval(hours => $1)
   group by o.channel_id order by o.channel_id`,
);

// All of the stock counts from ALL_UNPAID_MIN pieces on: of a small one an ordinary unpaid order can hold all.
const ALL_UNPAID_MIN = 10;
const ALL_UNPAID = statement(
  'alert_all_held_unpaid',
  `select 'channel:' || h.channel_id || '/unpaid:' || v.code as subject,
     jsonb_build_object('channel_id', h.channel_id, 'channel_name', c.name, 'variant_code', v.code, 'quantity', s.quantity,
       'unpaid', h.unpaid) as details
   from (
     select o.channel_id, i.variant_id, sum(i.quantity - i.cancelled_quantity) as unpaid
     from orders o join order_item i on i.order_id = o.id
     where o.status = 0 and not o.is_backorder
     group by o.channel_id, i.variant_id
   ) h
   join stock s on s.variant_id = h.variant_id
   join variant v on v.id = h.variant_id
   join channel c on c.id = h.channel_id
   where h.unpaid > s.quantity or (h.unpaid = s.quantity and s.quantity >= ${ALL_UNPAID_MIN})
   order by h.channel_id, h.variant_id`,
);

// With a quota the operator has agreed to the backorders.
const BACKORDERED_WITHOUT_QUOTA = statement(
  'alert_backordered_without_quota',
  `select 'channel:' || a.channel_id || '/backorders:' || v.code as subject,
     jsonb_build_object('channel_id', a.channel_id, 'channel_name', c.name, 'variant_code', v.code, 'quantity', s.quantity,
       'backordered', a.backordered_qty) as details
   from stock s
   join allocation a on a.variant_id = s.variant_id
   join variant v on v.id = s.variant_id
   join channel c on c.id = a.channel_id
   where s.variant_id > $1::int and s.variant_id <= $2::int and s.backordered > s.quantity
     and a.reserve_quota = 0 and a.backordered_qty > s.quantity
   order by s.variant_id, a.channel_id`,
);

type Reading = (
  tx: Tx,
  rule: AlertRule,
  context: { readonly signal?: AbortSignal | undefined },
) => Promise<Found[]>;

export const CONDITIONS = {
  low_stock: (tx, _rule, { signal }) => ofVariants(tx, LOW_STOCK, signal),
  overcommitted: (tx, _rule, { signal }) => ofVariants(tx, OVERCOMMITTED, signal),
  unmapped_sku: (tx, { settings }) => rows(tx, UNMAPPED, [settings['requests'], settings['hours']]),
  rate_missing: (tx) => rows(tx, RATE_MISSING),
  rate_stale: (tx, { settings }) => rows(tx, RATE_STALE, [settings['hours']]),
  channel_silent: (tx, { settings }) => rows(tx, CHANNEL_SILENT, [settings['hours']]),
  prepayment_old: (tx, { settings }) => rows(tx, PREPAYMENT_OLD, [settings['hours']]),
  channel_exceeds_stock: async (tx, _rule, { signal }) => [
    ...(await rows<Found>(tx, ALL_UNPAID)),
    ...(await ofVariants(tx, BACKORDERED_WITHOUT_QUOTA, signal)),
  ],
} satisfies Record<string, Reading>;
