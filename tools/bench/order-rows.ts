// Writes many orders directly to the database, bypassing the gate, to measure code that reads them.
import type pg from 'pg';

const AT_ONCE = 50_000;

const pick = (list: string): string =>
  `(array['${list.split('').join("','")}'])[1 + floor(random() * ${list.length})::int]`;

/**
 * Adds orders until there are `orders`. Two in three are shipped orders imported from another service, so the
 * counters reconcile without ledger entries for their shipments. Names, phones and tracking numbers are random.
 */
export async function fillOrders(
  client: pg.Client,
  { channelId, orders, variants }: { channelId: number; orders: number; variants: number },
): Promise<void> {
  const { rows } = await client.query<{ last: string }>('select coalesce(max(id), 0) as last from orders');
  for (let first = Number(rows[0]?.last) + 1; first <= orders; first += AT_ONCE) {
    const last = Math.min(orders, first + AT_ONCE - 1);
    await client.query(
      `insert into orders (id, channel_id, order_number, status, is_backorder, recipient_name, recipient_phone,
         shipping_address, tracking_number, local_currency_code, local_total_amount, total_amount, exchange_rate, created_at)
       select n, $3, 'SHOP-' || to_char(now() - interval '1 second' * ($4 - n), 'YYYYMMDD') || '-' || lpad(n::text, 8, '0'),
         case when n % 3 = 0 then 1 else 3 end, false,
         ${pick('김이박최정강조윤장임한오')} || ${pick('민서도예시하주지수영철정')} || ${pick('준윤우원호은아현수진희영')},
         '010-' || lpad(floor(random() * 10000)::text, 4, '0') || '-' || lpad(floor(random() * 10000)::text, 4, '0'),
         '서울특별시 강남구 테헤란로 152, 7층 (역삼동) 06236',
         case when n % 3 = 0 then null else lpad(floor(random() * 1e12)::bigint::text, 12, '0') end,
         'KRW', 57900, 57900, 1, now() - interval '1 second' * ($4 - n)
       from generate_series($1::bigint, $2::bigint) n`,
      [first, last, channelId, orders],
    );
    await client.query(
      `insert into order_item (order_id, line, variant_id, sku, quantity, from_allocation, local_unit_price, unit_price,
         product_version_id)
       select n, 0, v.id, 'SKU-' || v.code, 1, 0, 57900, 57900,
         (select max(p.id) from product_version p where p.product_id = v.product_id)
       from generate_series($1::bigint, $2::bigint) n join variant v on v.id = 1 + (n * 7919) % ${variants}`,
      [first, last],
    );
    await client.query(
      `insert into order_history (order_id, from_status, to_status, source)
       select n, null, case when n % 3 = 0 then 1 else 3 end, case when n % 3 = 0 then 'channel' else 'import' end
       from generate_series($1::bigint, $2::bigint) n`,
      [first, last],
    );
    await client.query(
      `update stock s set unshipped = s.unshipped + d.n
       from (select i.variant_id, count(*) as n from orders o join order_item i on i.order_id = o.id
             where o.id between $1 and $2 and o.status = 1 group by i.variant_id) d
       where s.variant_id = d.variant_id`,
      [first, last],
    );
  }
  await client.query(`select setval('order_id_seq', $1)`, [orders]);
  await client.query('vacuum analyze orders, order_item, order_history, stock');
}
