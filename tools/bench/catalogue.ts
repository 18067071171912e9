// The benchmark's data, generated in SQL: products, variants, mappings, stock with its ledger, and stored orders. The
// data must reconcile.
import type pg from 'pg';
import { createSealer } from '../../src/platform/secrets/keys.ts';
import { insertChannel } from '../../src/core/channels/store.ts';
import { evenVariants, SKU_SQL, soldOutVariant } from './catalogue-names.ts';

const VARIANTS_PER_PRODUCT = 20;
/** Enough for hours of orders. Hot rows are expensive because of their locks, not their quantity. */
const HOT_QUANTITY = 1_000_000_000;
/** Every tenth SKU has a pre-allocation, so that reads include some. */
const ALLOCATED_QTY = 10;
const STORED_AT_ONCE = 250_000;

export interface BenchChannel {
  id: number;
  key: string;
}

export async function addChannel(client: pg.Client, secret: string, name: string): Promise<BenchChannel> {
  const fields = { name, country_code: 'KR', api_url: null, is_active: true };
  const { channel, api_key } = await insertChannel(client, createSealer(secret), fields);
  return { id: channel.id, key: api_key };
}

export async function fillCatalogue(client: pg.Client, channelId: number, variants: number): Promise<void> {
  const products = Math.ceil(variants / VARIANTS_PER_PRODUCT);
  await client.query('set synchronous_commit = off');
  await client.query(
    `insert into product (id, code, name) overriding system value
     select p, 'LENS-' || lpad(p::text, 6, '0'), '아쿠아 원데이 렌즈 30P · Aqua Daily Lens No. ' || p
     from generate_series(1, $1::int) as p`,
    [products],
  );
  await client.query(
    `insert into variant (id, product_id, code, power) overriding system value
     select v, (v - 1) / $2::int + 1, 'LENS-' || lpad(((v - 1) / $2::int + 1)::text, 6, '0') || '-' || power, power
     from generate_series(1, $1::int) as v,
          lateral (select to_char((v - 1) % $2::int * -0.25, 'FM90.00') as power)`,
    [variants, VARIANTS_PER_PRODUCT],
  );
  await fillStock(client, variants);
  await mapAll(client, channelId, variants);
  await allocateSome(client, channelId, variants);
  for (const table of ['product', 'variant']) {
    await client.query(
      `select setval(pg_get_serial_sequence('${table}', 'id'), (select max(id) from ${table}))`,
    );
  }
  // Do not analyze empty tables; autovacuum does not do it either. Queries would be planned for empty tables
  // until the next autovacuum.
  await client.query('vacuum analyze product, variant, mapping, stock, stock_movement, allocation');
  await client.query('reset synchronous_commit');
}

export async function mapAll(client: pg.Client, channelId: number, variants: number): Promise<void> {
  await client.query(
    `insert into mapping (channel_id, sku, variant_id)
     select $1::int, ${SKU_SQL}, v from generate_series(1, $2::int) as v`,
    [channelId, variants],
  );
}

async function fillStock(client: pg.Client, variants: number): Promise<void> {
  await client.query(
    `insert into stock (variant_id, quantity)
     select v, case when v > $1::int - 2 then $2::int when v = $3::int then 0 else 1000 + v::bigint * 7919 % 9000 end
     from generate_series(1, $1::int) as v`,
    [variants, HOT_QUANTITY, soldOutVariant(variants)],
  );
  await client.query(
    `insert into stock_movement (variant_id, delta, quantity_after, kind, actor)
     select variant_id, quantity, quantity, 'import', 'bench' from stock where quantity > 0 order by variant_id`,
  );
}

async function allocateSome(client: pg.Client, channelId: number, variants: number): Promise<void> {
  await client.query(
    `with granted as (
       insert into allocation (variant_id, channel_id, allocated_qty, reserve_quota)
       select v, $1::int, $3::int, 50 from generate_series(10, $2::int - 3, 10) as v
       returning variant_id, channel_id, allocated_qty
     ), ledger as (
       insert into allocation_movement (channel_id, variant_id, delta, allocated_after, actor)
       select channel_id, variant_id, allocated_qty, allocated_qty, 'bench' from granted
     )
     update stock s set allocated = g.allocated_qty from granted g where s.variant_id = g.variant_id`,
    [channelId, variants, ALLOCATED_QTY],
  );
}

export interface StoredOrders {
  channelId: number;
  variants: number;
  prefix: string;
  count: number;
}

/** Paid orders of two lines over evenly chosen SKUs, numbered `prefix-00000000` onwards. */
export async function storeOrders(
  client: pg.Client,
  orders: StoredOrders,
  stored: (count: number) => void = () => {},
): Promise<void> {
  let firstId: number | null = null;
  for (let first = 0; first < orders.count; first += STORED_AT_ONCE) {
    const count = Math.min(STORED_AT_ONCE, orders.count - first);
    const id = await insertOrders(client, { ...orders, count }, first);
    firstId ??= id;
    stored(first + count);
  }
  if (firstId !== null) await holdStock(client, firstId);
}

/** Returns the id of the first order. */
async function insertOrders(
  client: pg.Client,
  { channelId, variants, prefix, count }: StoredOrders,
  first: number,
): Promise<number> {
  await client.query('begin');
  await client.query('set local synchronous_commit = off');
  const { rows } = await client.query<{ id: string }>(
    `select setval('order_id_seq', nextval('order_id_seq') + $1::bigint) - $1::bigint as id`,
    [count],
  );
  const [{ id: base } = { id: '0' }] = rows;
  const even = evenVariants(variants);
  await client.query(
    `insert into orders (id, channel_id, order_number, status, is_backorder, recipient_name, recipient_phone,
       shipping_address, local_currency_code, local_total_amount, total_amount, exchange_rate)
     select $1::bigint + n, $2::int, $3::text || '-' || lpad(($4::bigint + n)::text, 8, '0'), 1, false, '김민수',
       '010-2345-6789', '서울특별시 강남구 테헤란로 152, 7층 (역삼동) 06236', 'KRW', 57900, 57900, 1
     from generate_series(0, $5::int - 1) as n`,
    [base, channelId, prefix, first, count],
  );
  // The two SKUs of an order are half the catalogue apart, so they always differ.
  await client.query(
    `insert into order_item (order_id, line, variant_id, sku, quantity, from_allocation, local_unit_price, unit_price,
       product_version_id)
     select $1::bigint + n, line, v, ${SKU_SQL}, 1, 0, price, price, p.version_id
     from generate_series(0, $2::int - 1) as n,
          lateral (values (0, 0, 12900), (1, $3::int / 2, 45000)) as l (line, shift, price),
          lateral (select (1 + (($4::bigint + n) * 7919 + shift) % $3::int)::int as v),
          lateral (select max(version.id) as version_id
                   from variant join product_version version using (product_id) where variant.id = v) as p`,
    [base, count, even, first],
  );
  await client.query(
    `insert into order_history (order_id, from_status, to_status, source)
     select $1::bigint + n, null, 1, 'channel' from generate_series(0, $2::int - 1) as n`,
    [base, count],
  );
  await client.query('commit');
  return Number(base);
}

/** Holds the stock of the orders from this id: one unit per line. */
async function holdStock(client: pg.Client, firstId: number): Promise<void> {
  await client.query(
    `update stock s set unshipped = s.unshipped + d.n
     from (select variant_id, count(*) as n from order_item where order_id >= $1 group by variant_id) d
     where s.variant_id = d.variant_id`,
    [firstId],
  );
}

/**
 * Announces a change of all stock in the change journal: `storeOrders` bypasses it, so the stock lists that
 * processes have cached are stale. Only for several workers, whose lists would differ. A single process keeps
 * its list, so that reading it again is not measured.
 */
export const announceStock = async (client: pg.Client): Promise<void> =>
  void (await client.query(
    'insert into change_journal (variant_ids) select array_agg(variant_id order by variant_id) from stock',
  ));

/** Autovacuum does this about once a minute; afterwards, prepared statements are planned again. */
export const analyzeOrders = async (client: pg.Client): Promise<void> =>
  void (await client.query('vacuum analyze orders, order_item, order_history, stock, stock_movement'));
