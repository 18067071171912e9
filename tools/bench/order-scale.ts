// Search and export over many orders, on a server of its own: how fast the index is built, how long searches take, and how
// much memory an export needs. `npm run bench:orders -- --orders 1000000`; `--export-only` leaves out index and searches.
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type pg from 'pg';
import { connect } from '../../verify/kit/connection.ts';
import { ADMIN_TOKEN, openService, TEST_SECRET } from '../../verify/kit/service.ts';
import { startOwnServer } from '../../verify/kit/server.ts';
import { addChannel, fillCatalogue } from './catalogue.ts';
import { fillOrders } from './order-rows.ts';

const VARIANTS = 5_000;
const ROUNDS = 5;
const MIB_BYTES = 1024 * 1024;
/** Of the file, between two looks at the memory. */
const PART_BYTES = 4 * MIB_BYTES;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
/** RSS follows how much is allocated a second: V8 enlarges its young generation for it. This is what is kept. */
function liveBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '1000000' },
    'export-only': { type: 'boolean', default: false },
  },
});
const ORDERS = Number(values.orders);
const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const started = performance.now();
  const result = await work();
  return { result, ms: performance.now() - started };
}

async function search(client: pg.Client): Promise<void> {
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
}

const server = await startOwnServer({ shared_buffers: '256MB', max_wal_size: '4GB' });
const service = await openService({ database: server.database });
try {
  const client = await connect(server.database.adminUrl);
  const { id } = await addChannel(client, TEST_SECRET, 'A');
  await fillCatalogue(client, id, VARIANTS);
  const filled = await timed(() => fillOrders(client, { channelId: id, orders: ORDERS, variants: VARIANTS }));
  say(`${ORDERS} orders written in ${(filled.ms / 1000).toFixed(0)} s`);
  if (!values['export-only']) await search(client);
  for (const format of ['csv', 'xlsx']) {
    const before = liveBytes();
    let live = 0;
    let peak = 0;
    let bytes = 0;
    let parts = 0;
    const { ms } = await timed(async () => {
      const answer = await fetch(`${service.origin}/admin/v1/orders/export?format=${format}`, {
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      });
      for await (const chunk of answer.body ?? []) {
        bytes += chunk.length;
        peak = Math.max(peak, process.memoryUsage.rss());
        if (bytes < parts * PART_BYTES) continue;
        parts += 1;
        live = Math.max(live, liveBytes());
      }
    });
    say(
      `${format}: ${(bytes / MIB_BYTES).toFixed(0)} MiB in ${(ms / 1000).toFixed(0)} s; in use, without garbage: ${(before / MIB_BYTES).toFixed(0)} MiB before, at most ${(live / MIB_BYTES).toFixed(0)} MiB; RSS at most ${(peak / MIB_BYTES).toFixed(0)} MiB`,
    );
  }
  await client.end();
} finally {
  await service.close();
  await server.remove();
}
