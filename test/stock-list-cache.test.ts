// GET /inventory is as fresh as the database at the moment of the request, also after changes by other processes and after
// late commits.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Inventory } from '../src/core/inventory/inventory.ts';
import { readsOn } from '../src/core/inventory/channel-reads.ts';
import { StockListCache } from '../src/core/inventory/stock-list-cache.ts';
import type { Tx } from '../src/platform/database/database.ts';
import { appendJournal, trimJournal } from '../src/core/journal/store.ts';
import { PipelinedConnection } from '../src/platform/database/pipelined-connection.ts';
import { connect } from '../verify/kit/connection.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { fixtures, must, orderOf, unique, type TestChannel } from '../verify/kit/fixtures.ts';
import { plainRequest } from '../verify/kit/plain-request.ts';
import { startTestService, type TestService } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';

const database = await createDatabase();
const first = await startTestService({ database });
const second = await startTestService({ database });
const make = fixtures(first);

const client = await connect(database.adminUrl);
after(() => client.end());

const listOf = async (service: TestService, channel: TestChannel) =>
  (await service.channel(channel.api_key)('GET', '/inventory')).json.data as Record<string, unknown>[];

/** Changes physical stock as the back office does, inside a transaction of the test. */
async function addStock(code: string, n: number): Promise<void> {
  await client.query(
    `with changed as (
       update stock s set quantity = quantity + $2 from variant v where v.id = s.variant_id and v.code = $1
       returning s.variant_id, s.quantity)
     insert into stock_movement (variant_id, delta, quantity_after, kind, actor)
     select variant_id, $2, quantity, 'adjustment', 'test' from changed`,
    [code, n],
  );
  const { rows } = await client.query<{ id: number }>('select id from variant where code = $1', [code]);
  await appendJournal(client, { variant_ids: [rows[0]?.id ?? 0] });
}

test('a change by another process is in the next answer', async () => {
  const { channel, variant, sku } = await make.setting(10);
  assert.equal((await listOf(first, channel))[0]?.['available'], 10);
  for (let n = 1; n <= 5; n++) {
    const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
    await must(second.channel(channel.api_key)('POST', '/orders', order), 201);
    assert.equal((await listOf(first, channel))[0]?.['available'], 10 - n);
  }
  await make.allocate(channel, variant, 3, 9);
  const [row] = await listOf(second, channel);
  assert.deepEqual([row?.['allocated'], row?.['available'], row?.['reserve_remaining']], [3, 5, 9]);
});

test('a transaction held open across polls appears in the first poll after its commit', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const other = await make.variant(5);
  const otherSku = await make.map(channel, other);
  await listOf(first, channel);
  await client.query('begin');
  await addStock(variant.code, 7);
  // Later transactions commit while ours, which has a lower id, is still open.
  for (let n = 1; n <= 3; n++) {
    await make.setStock(other, 5 + n);
    const rows = await listOf(first, channel);
    assert.equal(rows.find((row) => row['sku'] === sku)?.['quantity'], 10);
    assert.equal(rows.find((row) => row['sku'] === otherSku)?.['quantity'], 5 + n);
  }
  await client.query('commit');
  assert.equal((await listOf(first, channel)).find((row) => row['sku'] === sku)?.['quantity'], 17);
});

test('a late commit whose journal row is trimmed before it was read is not missed', async () => {
  const { channel, variant } = await make.setting(10);
  await listOf(first, channel);
  await client.query('begin');
  await addStock(variant.code, 1);
  await listOf(first, channel);
  await client.query('commit');
  await trimJournal(client, 0);
  assert.equal((await listOf(first, channel))[0]?.['quantity'], 11);
});

test('after a reconnect, which may lead to another server, all cached data is discarded', async () => {
  const { channel, variant } = await make.setting(10);
  await listOf(first, channel);
  await make.setStock(variant, 17);
  // As if the new server had assigned a transaction id that the old server had used already. The last snapshot contains
  // this id, so the change would never be read.
  await client.query('delete from change_journal');
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'sluice-lookup'`,
  );
  assert.equal((await listOf(first, channel))[0]?.['quantity'], 17);
});

test('created, changed and removed mappings and renamed products appear immediately in every process', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const other = await make.variant(99);
  for (const service of [first, second]) assert.equal((await listOf(service, channel)).length, 1);
  const alias = await make.map(channel, variant, unique('ALIAS'));
  for (const service of [first, second]) assert.equal((await listOf(service, channel)).length, 2);
  await make.map(channel, other, alias);
  for (const service of [first, second]) {
    assert.equal((await listOf(service, channel)).find((row) => row['sku'] === alias)?.['quantity'], 99);
  }
  await must(
    first.admin('PATCH', `/products/${variant.product}`, { name: 'Renamed "product" \\ 한글' }),
    200,
  );
  for (const service of [first, second]) {
    const row = (await listOf(service, channel)).find((one) => one['sku'] === sku);
    assert.equal(row?.['product_name'], 'Renamed "product" \\ 한글');
  }
  await must(first.admin('DELETE', `/channels/${channel.id}/mappings/${alias}`), 204);
  for (const service of [first, second]) assert.equal((await listOf(service, channel)).length, 1);
});

test('orders and the back office record whether only quantities changed, and a list shows both kinds of change at once', async () => {
  const { channel, variant, sku } = await make.setting(10);
  await listOf(first, channel);
  const kinds: Record<string, unknown> = {};
  const record = async (name: string, work: Promise<unknown>): Promise<void> => {
    await work;
    const { rows } = await client.query<{ only_quantities: boolean }>(
      `select only_quantities from change_journal where variant_ids <> '{}' order by xid desc limit 1`,
    );
    kinds[name] = rows[0]?.only_quantities;
  };
  const stock = `/stock/${encodeURIComponent(variant.code)}`;
  const csv = `variant_code,quantity\n${variant.code},20\n`;
  const change = (path: string, body: object) => must(first.admin('POST', path, body), 200);
  await record('set', make.setStock(variant, 12));
  await record('rename', must(first.admin('PATCH', `/products/${variant.product}`, { name: 'New' }), 200));
  await record('adjust', change(`${stock}/adjustments`, { delta: 1, reason: 'test' }));
  await record('import', change('/stock/import', { csv, mode: 'set', reason: 'test' }));
  await record('allocate', make.allocate(channel, variant, 3, 9));
  const order = orderOf([{ sku, quantity: 2, unit_price: 1 }]);
  await record('order', must(channel.call('POST', '/orders', order), 201));
  const quantities = ['set', 'adjust', 'import', 'allocate', 'order'].map((name) => [name, true]);
  assert.deepEqual(kinds, { ...Object.fromEntries(quantities), rename: false });
  const [row] = await listOf(first, channel);
  assert.equal(row?.['product_name'], 'New');
  assert.deepEqual([row?.['quantity'], row?.['available'], row?.['reserve_remaining']], [20, 18, 9]);
});

test('ETag: 304 without a change, the same tag in every process, another tag after a change', async () => {
  const { channel, sku } = await make.setting(10);
  const get = (service: TestService, headers: Record<string, string> = {}) =>
    service.channel(channel.api_key)('GET', '/inventory', undefined, headers);
  const etag = (await get(first)).headers.get('etag') ?? '';
  assert.equal((await get(second)).headers.get('etag'), etag);
  for (const sent of [etag, `"x", ${etag}`, etag.replace('W/', ''), '*']) {
    const unchanged = await get(second, { 'if-none-match': sent });
    assert.equal(unchanged.status, 304, sent);
    assert.equal(unchanged.text, '');
    assert.ok(unchanged.headers.get('x-request-id'));
  }
  await must(channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }])), 201);
  const changed = await get(first, { 'if-none-match': etag });
  assert.equal(changed.status, 200);
  assert.equal(changed.json.data[0].available, 9);
  assert.notEqual(changed.headers.get('etag'), etag);
});

/** Does not use fetch, which decompresses automatically. */
const rawGet = (channel: TestChannel, headers: Record<string, string>) =>
  plainRequest(`${first.origin}/api/v1/inventory`, {
    headers: { 'x-api-key': channel.api_key, ...headers },
  });

test('compressed on request: the content is the same, also for many pages and after a change', async () => {
  const channel = await make.channel();
  const product = unique('P');
  const codes = Array.from({ length: 700 }, (_, n) => `${product}-${n}`);
  await must(
    first.admin('POST', '/products', {
      code: product,
      name: '콘택트 렌즈',
      variants: codes.map((code) => ({ code })),
    }),
    201,
  );
  const mappings = codes.map((code) => ({ sku: `S-${code}`, variant_code: code }));
  await must(first.admin('PUT', `/channels/${channel.id}/mappings`, { mappings }), 200);
  for (const quantity of [3, 4]) {
    await must(first.admin('PUT', `/stock/${codes[300]}`, { quantity }), 200);
    const plain = await rawGet(channel, {});
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(Number(plain.headers['content-length']), plain.body.length);
    const packed = await rawGet(channel, { 'accept-encoding': 'br;q=1, gzip;q=0.8' });
    assert.equal(packed.headers['content-encoding'], 'gzip');
    assert.ok(packed.body.length < plain.body.length / 3);
    assert.deepEqual(gunzipSync(packed.body), plain.body);
    const refused = await rawGet(channel, { 'accept-encoding': 'gzip;q=0, identity' });
    assert.deepEqual(refused.body, plain.body);
    const { data } = JSON.parse(plain.body.toString('utf8')) as { data: { quantity: number }[] };
    assert.equal(data.length, 700);
    assert.equal(
      data.reduce((sum, row) => sum + row.quantity, 0),
      quantity,
    );
  }
});

test('an Accept-Encoding of 15,000 blanks takes no noticeable CPU time', async () => {
  const channel = await make.channel();
  const before = process.cpuUsage();
  const answer = await rawGet(channel, { 'accept-encoding': `gzip${' '.repeat(15_000)}x` });
  const { user, system } = process.cpuUsage(before);
  assert.equal(answer.headers['content-encoding'], undefined);
  const ms = (user + system) / 1_000;
  assert.ok(ms < 100, `${Math.round(ms)} ms`);
});

test('lists over the byte budget are evicted, and read again on the next request', async () => {
  const sessions = [
    new PipelinedConnection(database.url, 'sluice-test'),
    new PipelinedConnection(database.url, 'sluice-test'),
  ] as const;
  const reads = { short: readsOn(sessions[0]), long: readsOn(sessions[1]) };
  const inventory = new Inventory(reads, new StockListCache(reads.short, reads.long, 1));
  const channels = await Promise.all([make.setting(1), make.setting(2), make.setting(3)]);
  for (let round = 0; round < 2; round++) {
    for (const [index, { channel, variant }] of channels.entries()) {
      await make.setStock(variant, 10 * round + index);
      const { pages } = await inventory.list(channel.id);
      assert.equal(JSON.parse(Buffer.concat([...pages]).toString('utf8')).quantity, 10 * round + index);
    }
  }
  await Promise.all(sessions.map((session) => session.close()));
});

test('a change that commits during the first read of a channel is not lost', async () => {
  const { channel, variant } = await make.setting(10);
  const { pool } = first.service.services;
  const slow = Promise.withResolvers<void>();
  const listRead = Promise.withResolvers<void>();
  const readWhole = async <T>(query: (tx: Tx) => Promise<T>): Promise<T> => {
    const result = await query(pool);
    listRead.resolve();
    await slow.promise;
    return result;
  };
  let reads = 0;
  const read = async <T>(query: (tx: Tx) => Promise<T>): Promise<T> => {
    const result = await query(pool);
    reads += 1;
    return result;
  };
  const cache = new StockListCache(read, readWhole);
  const early = cache.list(channel.id);
  await listRead.promise;
  await make.setStock(variant, 77);
  const before = reads;
  const late = cache.list(channel.id);
  await until(() => reads > before, 'the second request has read the change');
  slow.resolve();
  await early;
  for (const { pages } of [await late, await cache.list(channel.id)]) {
    assert.equal(JSON.parse(Buffer.concat([...pages]).toString('utf8')).quantity, 77);
  }
});

test('changes between requests are only recorded; each list is refreshed at its next request, even after a failure', async () => {
  const { pool } = first.service.services;
  let reads = 0;
  let failing = 0;
  const read = async <T>(query: (tx: Tx) => Promise<T>): Promise<T> => {
    reads += 1;
    if (failing === reads) throw new Error('the database is away');
    return query(pool);
  };
  const cache = new StockListCache(read, (query) => query(pool));
  const readsOf = async (work: () => Promise<unknown>): Promise<number> => {
    reads = 0;
    await work();
    return reads;
  };
  const quantityOf = async ({ channel }: { channel: { id: number } }): Promise<number> => {
    const { pages, release } = await cache.list(channel.id);
    const { quantity } = JSON.parse(Buffer.concat([...pages]).toString('utf8')) as { quantity: number };
    release();
    return quantity;
  };
  assert.equal(await readsOf(() => cache.keepUp()), 0, 'without lists nothing is read');
  const settings = [await make.setting(1), await make.setting(2)] as const;
  for (const setting of settings) await quantityOf(setting);
  for (const [index, { variant }] of settings.entries()) await make.setStock(variant, 10 + index);
  assert.equal(await readsOf(() => cache.keepUp()), 1, 'only the journal is read');
  const [one, other] = settings;
  assert.equal(
    await readsOf(async () => assert.equal(await quantityOf(one), 10)),
    2,
    'journal and rows are read',
  );
  assert.equal(
    await readsOf(async () => assert.equal(await quantityOf(one), 10)),
    1,
    'the list is up to date',
  );
  failing = 2;
  await assert.rejects(
    readsOf(() => quantityOf(other)),
    /away/,
  );
  failing = 0;
  assert.equal(await readsOf(async () => assert.equal(await quantityOf(other), 11)), 2);
});

test('a list with too many changes is read again completely, and one with slightly fewer is updated in parts', async () => {
  const { pool } = first.service.services;
  const { channel, variant } = await make.setting(5);
  let whole = 0;
  let reads = 0;
  const cache = new StockListCache(
    (query) => {
      reads += 1;
      return query(pool);
    },
    (query) => {
      whole += 1;
      return query(pool);
    },
  );
  const quantity = async (): Promise<number> => {
    const { pages, release } = await cache.list(channel.id);
    const row = JSON.parse(Buffer.concat([...pages]).toString('utf8')) as { quantity: number };
    release();
    return row.quantity;
  };
  assert.equal(await quantity(), 5);
  assert.equal(whole, 1);
  const others = (count: number): number[] => Array.from({ length: count }, (_, index) => 1_000_000 + index);
  for (const [count, isReadAnew] of [
    [32_000, false],
    [33_000, true],
  ] as const) {
    await make.setStock(variant, count);
    await appendJournal(pool, { variant_ids: others(count) });
    [whole, reads] = [0, 0];
    assert.equal(await quantity(), count);
    assert.equal(whole, isReadAnew ? 1 : 0);
    if (!isReadAnew) assert.ok(reads > 5, `${reads} reads`);
  }
});

test('polls during changes of orders and mappings never show an older state than before', async () => {
  const { channel, variant, sku } = await make.setting(100_000);
  let seen = 100_000;
  let running = true;
  const poller = (async () => {
    while (running) {
      const available = (await listOf(first, channel)).find((row) => row['sku'] === sku)?.[
        'available'
      ] as number;
      assert.ok(available <= seen, `went back from ${seen} to ${available}`);
      seen = available;
    }
  })();
  for (let n = 0; n < 40; n++) {
    await must(
      second.channel(channel.api_key)('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }])),
      201,
    );
    if (n % 10 === 5) await make.map(channel, variant);
  }
  running = false;
  await poller;
  assert.equal((await listOf(first, channel)).find((row) => row['sku'] === sku)?.['available'], 100_000 - 40);
});
