// Search and export over many orders, on a separate server with its data on disk: how long searches take, and
// how much memory exports need. `npm run bench:orders -- --orders 5000000`.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { count, optionsOf, optionsOrExit, yes, type Option } from '../../verify/kit/command-line.ts';
import { connect } from '../../verify/kit/connection.ts';
import { startService } from '../../verify/kit/process.ts';
import { ADMIN_TOKEN, openService, TEST_SECRET, type TestService } from '../../verify/kit/service.ts';
import { startOwnServer } from '../../verify/kit/server.ts';
import { addChannel, fillCatalogue } from './catalogue.ts';
import { peakMegabytesOf, residentMegabytesOf } from './cpu.ts';
import { fillOrders } from './order-rows.ts';

const VARIANTS = 5_000;
const ROUNDS = 5;
const MIB_BYTES = 1024 * 1024;
/** The interval at which memory is sampled. */
const SAMPLE_MS = 200;
/**
 * Up to this number of orders the service builds the index. Above it the index is created after the table is
 * filled, which is faster.
 */
const BUILT_BY_SERVICE_MAX = 1_000_000;

const HELP = `npm run bench:orders -- [options]

How long searches among many orders take, and how much memory exports need.

  --orders N       number of stored orders (default 1000000)
  --exports N,N    sizes of the exports (default 60000,250000,1000000); '' for none
  --export-only    no searches
  --help`;

const sizes: Option<number[]> = {
  read: (name, text = '60000,250000,1000000') =>
    text
      .split(',')
      .filter(Boolean)
      .map((one) => count(1).read(name, one)),
};
const options = optionsOrExit(
  HELP,
  optionsOf({ orders: count(1_000_000), exports: sizes, export_only: yes }),
);
const ORDERS = options.orders;
const EXPORTS = options.exports.filter((size) => size <= ORDERS);
const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const started = performance.now();
  const result = await work();
  return { result, ms: performance.now() - started };
}

async function buildIndex(client: pg.Client, { service }: TestService): Promise<void> {
  const { rows } = await client.query<{ definition: string }>(
    `select pg_get_indexdef('order_search_by_gram'::regclass) as definition`,
  );
  const isByService = ORDERS <= BUILT_BY_SERVICE_MAX;
  const { ms } = await timed(async () => {
    if (!isByService) await client.query('drop index order_search_by_gram');
    await service.services.orderIndexer.catchUp();
    if (isByService) return;
    await client.query(`set maintenance_work_mem = '1GB'`);
    await client.query(rows[0]?.definition ?? '');
    await client.query('alter index order_search_by_gram alter column 1 set statistics 0');
  });
  await client.query('vacuum analyze order_search');
  say(`index built in ${(ms / 1000).toFixed(0)} s: ${((ORDERS * 1000) / ms).toFixed(0)} orders/s`);
}

/** Parts of a real order from the middle of the table, and texts that match nothing or almost everything. */
async function searchesFor(client: pg.Client): Promise<[string, string][]> {
  const { rows } = await client.query<Record<'number' | 'name' | 'phone' | 'tracking' | 'sku', string>>(
    `select o.order_number as number, o.recipient_name as name, o.recipient_phone as phone, o.tracking_number as tracking,
            i.sku from orders o join order_item i on i.order_id = o.id
     where o.id >= $1 and o.tracking_number is not null order by o.id limit 1`,
    [Math.floor(ORDERS / 2)],
  );
  const [one] = rows;
  if (!one) throw new Error('there are no orders');
  const { number, name, phone, tracking, sku } = one;
  return [
    ['whole order number', number],
    ['end of an order number', number.slice(-8)],
    ['first part of every number', number.slice(0, 5)],
    ['day within the number', number.slice(5, 13)],
    ['recipient', name],
    ['given name, two characters', name.slice(1)],
    ['recipient without orders', '갊갋갌'],
    ['phone, whole', phone],
    ['phone, last four digits', phone.slice(-4)],
    ['phone, first seven digits', phone.slice(0, 8)],
    ['phone, first three digits', '010'],
    ['phone without orders', '010-0000-00000'],
    ['tracking number, whole', tracking],
    ['tracking number, last eight', tracking.slice(-8)],
    ['tracking number, last five', tracking.slice(-5)],
    ['channel SKU, whole', sku],
    ['channel SKU, part of all', 'SKU-LENS'],
    ['variant code, whole', sku.slice(4)],
    ['variant code, end', sku.slice(9)],
    ['no match', 'no-such-text-anywhere'],
    ['no match, digits only', '99998888777'],
    ['all, with one status', '010&status=1'],
    ['all, with a status that no order has', '010&status=0'],
    ['recipient, sorted by amount', `${name}&sort=total_amount`],
  ];
}

async function search(client: pg.Client, service: TestService): Promise<void> {
  await buildIndex(client, service);
  const { rows } = await client.query(
    `select pg_size_pretty(pg_table_size('order_search')) as heap, pg_size_pretty(pg_indexes_size('order_search')) as indexes,
            pg_size_pretty(pg_database_size(current_database())) as database`,
  );
  say(`size: ${JSON.stringify(rows[0])}`);
  for (const [what, searched] of await searchesFor(client)) {
    const [text = '', ...filters] = searched.split('&');
    const query = [`search=${encodeURIComponent(text)}`, ...filters].join('&');
    for (const path of ['/orders', '/orders/totals']) {
      if (path.endsWith('totals') && query.includes('sort')) continue;
      const times: number[] = [];
      let found = '';
      for (let round = 0; round < ROUNDS; round++) {
        const { result, ms } = await timed(() => service.admin('GET', `${path}?${query}`));
        times.push(ms);
        const { data, next_cursor } = result.json;
        found = Array.isArray(data)
          ? `${data.length} rows${next_cursor === null ? '' : ', more'}`
          : JSON.stringify(data ?? result.json);
      }
      const [first = 0, ...others] = times;
      const range = `${Math.min(...others).toFixed(0)} to ${Math.max(...others).toFixed(0)} ms`;
      say(`${path}, ${what} (${searched}): first ${first.toFixed(0)} ms, then ${range}: ${found}`);
    }
  }
}

/** Samples the resident memory of a separate service while a client reads a whole export. */
async function exportAll(orders: number): Promise<void> {
  for (const format of ['csv', 'xlsx']) {
    const service = await startService(
      {
        DATABASE_URL: server.database.url,
        SLUICE_SECRET: TEST_SECRET,
        SLUICE_ADMIN_TOKEN: ADMIN_TOKEN,
        LOG_LEVEL: 'warn',
      },
      ['bin/serve'],
    );
    try {
      const before = residentMegabytesOf(service.pid) ?? Number.NaN;
      const resident: number[] = [];
      let isDone = false;
      const sampling = (async () => {
        for (; !isDone; await sleep(SAMPLE_MS)) resident.push(residentMegabytesOf(service.pid) ?? Number.NaN);
      })();
      let bytes = 0;
      const { ms } = await timed(async () => {
        const answer = await fetch(`${service.origin}/admin/v1/orders/export?format=${format}`, {
          headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
        });
        if (answer.status !== 200) throw new Error(await answer.text());
        for await (const chunk of answer.body ?? []) bytes += chunk.length;
      });
      isDone = true;
      await sampling;
      const quarter = Math.ceil(resident.length / 4);
      const [first, last] = [resident.slice(0, quarter), resident.slice(-quarter)].map((part) =>
        Math.max(...part).toFixed(0),
      );
      say(
        `${orders} orders as ${format}: ${(bytes / MIB_BYTES).toFixed(0)} MiB in ${(ms / 1000).toFixed(0)} s; resident memory ${before.toFixed(0)} MiB before, at most ${first} MiB in the first quarter, ${last} MiB in the last, ${peakMegabytesOf(service.pid)?.toFixed(0)} MiB overall`,
      );
    } finally {
      await service.stop();
    }
  }
}

const server = await startOwnServer({ shared_buffers: '256MB', max_wal_size: '4GB' });
try {
  const client = await connect(server.database.adminUrl);
  const { id } = await addChannel(client, TEST_SECRET, 'A');
  await fillCatalogue(client, id, VARIANTS);
  const fill = (orders: number) => fillOrders(client, { channelId: id, orders, variants: VARIANTS });
  for (const orders of EXPORTS) {
    await fill(orders);
    await exportAll(orders);
  }
  if (!options.export_only) {
    const { ms } = await timed(() => fill(ORDERS));
    say(`${ORDERS} orders, the last of them written in ${(ms / 1000).toFixed(0)} s`);
    const service = await openService({ database: server.database });
    try {
      await search(client, service);
    } finally {
      await service.close();
    }
  }
  await client.end();
} finally {
  await server.remove();
}
