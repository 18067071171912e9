// Search and export over many orders, on a separate server: how fast the index is built, how long searches take, and how
// much memory an export needs. `npm run bench:orders -- --orders 1000000`
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { connect } from '../../verify/kit/connection.ts';
import { ADMIN_TOKEN, openService, TEST_SECRET } from '../../verify/kit/service.ts';
import { startOwnServer } from '../../verify/kit/server.ts';
import { addChannel, fillCatalogue } from './catalogue.ts';

const VARIANTS = 5_000;
const AT_ONCE = 50_000;
const ROUNDS = 5;
const MIB_BYTES = 1024 * 1024;

const { values } = parseArgs({ options: { orders: { type: 'string', default: '1000000' } } });
const ORDERS = Number(values.orders);
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const pick = (list: string): string =>
  `(array['${list.split('').join("','")}'])[1 + floor(random() * ${list.length})::int]`;

/** Two in three are shipped; names, phones and tracking numbers are random. */
async function fill(client: pg.Client, channelId: number): Promise<void> {
  for (let first = 1; first <= ORDERS; first += AT_ONCE) {
    const last = Math.min(ORDERS, first + AT_ONCE - 1);
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
      [first, last, channelId, ORDERS],
    );
    await client.query(
      `insert into order_item (order_id, line, variant_id, sku, quantity, from_allocation, local_unit_price, unit_price,
         product_version_id)
       select n, 0, v.id, 'SKU-' || v.code, 1, 0, 57900, 57900,
         (select max(p.id) from product_version p where p.product_id = v.product_id)
       from generate_series($1::bigint, $2::bigint) n join variant v on v.id = 1 + (n * 7919) % ${VARIANTS}`,
      [first, last],
    );
    await client.query(
      `insert into order_history (order_id, from_status, to_status, source)
       select n, null, case when n % 3 = 0 then 1 else 3 end, 'channel' from generate_series($1::bigint, $2::bigint) n`,
      [first, last],
    );
  }
  await client.query(`select setval('order_id_seq', $1)`, [ORDERS]);
  await client.query('vacuum analyze orders, order_item, order_history');
}

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const started = performance.now();
  const result = await work();
  return { result, ms: performance.now() - started };
}

const server = await startOwnServer({ shared_buffers: '256MB', max_wal_size: '4GB' });
const service = await openService({ database: server.database });
try {
  const client = await connect(server.database.adminUrl);
  const { id } = await addChannel(client, TEST_SECRET, 'A');
  await fillCatalogue(client, id, VARIANTS);
  const filled = await timed(() => fill(client, id));
  say(`${ORDERS} orders written in ${(filled.ms / 1000).toFixed(0)} s`);
  const built = await timed(() => service.service.services.orderIndexer.catchUp());
  say(
    `index built in ${(built.ms / 1000).toFixed(0)} s: ${((ORDERS * 1000) / built.ms).toFixed(0)} orders/s`,
  );
  const { rows } = await client.query(
    `select pg_size_pretty(pg_table_size('order_search')) as heap, pg_size_pretty(pg_indexes_size('order_search')) as indexes`,
  );
  say(`size: ${JSON.stringify(rows[0])}`);
  for (const query of [
    'search=010',
    'search=010-1234',
    'search=01012345678',
    'search=12345678',
    'search=99998888777',
    `search=${encodeURIComponent('민준')}`,
    `search=${encodeURIComponent('김민준')}`,
    'search=SKU-LENS-0001',
    'search=no-such-text-anywhere',
    'search=010&status=1',
    'search=010&status=0',
    `search=${encodeURIComponent('김민준')}&sort=total_amount`,
    'status=1',
    'from=2020-01-01',
  ]) {
    for (const path of ['/orders', '/orders/totals']) {
      if (path.endsWith('totals') && query.includes('sort')) continue;
      let best = Number.POSITIVE_INFINITY;
      let worst = 0;
      let found = '';
      for (let round = 0; round < ROUNDS; round++) {
        const { result, ms } = await timed(() => service.admin('GET', `${path}?${query}`));
        best = Math.min(best, ms);
        worst = Math.max(worst, ms);
        const { data, next_cursor } = result.json;
        found = Array.isArray(data)
          ? `${data.length} rows${next_cursor === null ? '' : ', more'}`
          : JSON.stringify(data ?? result.text);
      }
      say(`${path}?${decodeURIComponent(query)}: ${best.toFixed(0)} to ${worst.toFixed(0)} ms, ${found}`);
    }
  }
  for (const format of ['csv', 'xlsx']) {
    globalThis.gc?.();
    const before = process.memoryUsage.rss();
    let peak = 0;
    let bytes = 0;
    const { ms } = await timed(async () => {
      const answer = await fetch(`${service.origin}/admin/v1/orders/export?format=${format}`, {
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      });
      for await (const chunk of answer.body ?? []) {
        bytes += chunk.length;
        peak = Math.max(peak, process.memoryUsage.rss());
      }
    });
    say(
      `${format}: ${(bytes / MIB_BYTES).toFixed(0)} MiB in ${(ms / 1000).toFixed(0)} s, RSS ${(before / MIB_BYTES).toFixed(0)} MiB before, at most ${(peak / MIB_BYTES).toFixed(0)} MiB`,
    );
  }
  await client.end();
} finally {
  await service.close();
  await server.remove();
}
