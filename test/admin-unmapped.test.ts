// Unmapped SKU requests: counted without delaying the request, written with the next flush, removed once mapped.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { readConfig } from '../src/platform/config/config.ts';
import { timestampFormat } from '../src/platform/values/timestamps.ts';
import { Observations } from '../src/features/observations/observations.ts';
import { createService } from '../src/start/service.ts';
import { createPool } from '../src/platform/database/connections.ts';
import type { Tx } from '../src/platform/database/database.ts';
import { addUnmappedSkus, addRefusals, trimObservations } from '../src/features/observations/store.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { desk, fieldsRefused, ODD_TEXTS, refusal } from './kit/desk.ts';
import { fixtures, must, orderOf, unique } from '../verify/kit/fixtures.ts';
import { startProxy } from '../verify/kit/proxy.ts';
import { ADMIN_TOKEN, call, startTestService, TEST_SECRET } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';

const database = await createDatabase();
const service = await startTestService({ database });
const other = await startTestService({ database });
after(() => database.drop());
const make = fixtures(service);
const { admin, audits, pages, token } = desk(service);
const { pool } = service.service.services;
const format = timestampFormat('Asia/Seoul');

const list = (id: number, query = '') => pages(`/channels/${id}/unmapped${query}`, 500);
const line = (sku: string) => ({ sku, quantity: 1, unit_price: 1 });
const bugs: unknown[] = [];
const newObservations = (tx: Tx) =>
  new Observations(tx, format, { onBug: (error) => bugs.push(error), flush_ms: 3_600_000 });

test('an unmapped SKU of a lookup or an order is listed after the next automatic flush', async () => {
  const channel = await make.channel();
  const started = Date.now();
  assert.equal((await channel.call('GET', '/inventory/nowhere')).status, 404);
  assert.equal((await channel.call('GET', '/inventory/nowhere')).status, 404);
  assert.equal((await channel.call('POST', '/orders', orderOf([line('nowhere')]))).status, 422);
  assert.equal((await channel.call('POST', '/orders', orderOf([line('else')]))).status, 422);
  await until(async () => (await list(channel.id)).length === 2, 'both are listed');
  const rows = await list(channel.id);
  assert.deepEqual(
    rows.map(({ sku, lookups, orders }) => [sku, lookups, orders]),
    [
      ['else', 0, 1],
      ['nowhere', 2, 1],
    ],
    'the latest request comes first',
  );
  for (const { first_at, last_at } of rows) {
    assert.match(first_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+09:00$/);
    assert.ok(Date.parse(first_at) >= started - 1_000 && Date.parse(last_at) <= Date.now());
    assert.ok(Date.parse(first_at) <= Date.parse(last_at));
  }
});

test('SKUs that are mapped, even if sold out, are not listed', async () => {
  const { channel, sku } = await make.setting(0);
  await channel.call('GET', `/inventory/${sku}`);
  await channel.call('POST', '/orders', orderOf([line(sku)]));
  await channel.call('POST', '/orders', { order_number: 7 });
  await service.service.flush();
  assert.deepEqual(await list(channel.id), []);
});

test('a SKU that is mapped by PUT or CSV leaves the list, and housekeeping deletes its entry', async () => {
  const channel = await make.channel();
  const variant = await make.variant(5);
  for (const sku of ['by-put', 'by-csv', 'stays']) await channel.call('GET', `/inventory/${sku}`);
  await service.service.flush();
  assert.equal((await list(channel.id)).length, 3);
  await make.map(channel, variant, 'by-put');
  const csv = `sku,variant_code\nby-csv,${variant.code}\n`;
  await must(admin('POST', `/channels/${channel.id}/mappings/import`, { csv }), 200);
  assert.deepEqual(
    (await list(channel.id)).map(({ sku }) => sku),
    ['stays'],
  );
  await trimObservations(pool);
  for (const sku of ['by-put', 'by-csv']) {
    assert.equal((await admin('DELETE', `/channels/${channel.id}/mappings/${sku}`)).status, 204);
  }
  assert.deepEqual(
    (await list(channel.id)).map(({ sku }) => sku),
    ['stays'],
  );
});

test('a dismissed SKU leaves the list, which is audited, and returns when it is requested again', async () => {
  const channel = await make.channel();
  await channel.call('GET', '/inventory/typo');
  // The count is still in memory: dismissing must delete it too.
  assert.equal((await admin('DELETE', `/channels/${channel.id}/unmapped/typo`)).status, 204);
  await service.service.flush();
  assert.deepEqual(await list(channel.id), []);
  await refusal(admin('DELETE', `/channels/${channel.id}/unmapped/typo`), 404);
  const last = (await audits(`channel:${channel.id}`)).at(-1);
  assert.equal(last?.action, 'unmapped.dismiss');
  assert.equal((last?.before as { sku: string } | null)?.sku, 'typo');
  await channel.call('GET', '/inventory/typo');
  await service.service.flush();
  assert.deepEqual(
    (await list(channel.id)).map(({ sku, lookups }) => [sku, lookups]),
    [['typo', 1]],
  );
});

test('the list contains only SKUs of one channel; search ignores case; pages have no gaps or repeats', async () => {
  const [channel, stranger] = [await make.channel(), await make.channel()];
  const skus = Array.from({ length: 25 }, (_, n) => `${n % 2 === 0 ? 'Even' : 'odd'}-${n}`);
  // The sequence must be stable whether or not the SKUs share a millisecond.
  for (const sku of skus) service.service.services.hooks.skuUnmapped.call(channel.id, sku);
  service.service.services.hooks.skuUnmapped.call(stranger.id, 'foreign');
  await service.service.flush();
  const whole = (await list(channel.id)).map(({ sku }) => sku as string);
  assert.deepEqual(whole.toSorted(), skus.toSorted());
  for (const limit of [1, 7]) {
    const paged = (await pages(`/channels/${channel.id}/unmapped`, limit)).map(({ sku }) => sku as string);
    assert.deepEqual(paged, whole);
  }
  const even = await list(channel.id, '?search=eVEN');
  assert.equal(even.length, 13);
  assert.deepEqual(await list(channel.id, '?search=%25'), []);
});

test('special characters are preserved; SKUs that are too long are not stored', async () => {
  const channel = await make.channel();
  for (const sku of [...ODD_TEXTS, 'x'.repeat(200), 'y'.repeat(201)]) {
    assert.equal((await channel.call('GET', `/inventory/${encodeURIComponent(sku)}`)).status, 404);
  }
  await service.service.flush();
  const skus = new Set((await pages(`/channels/${channel.id}/unmapped`, 3)).map(({ sku }) => sku as string));
  assert.deepEqual(skus, new Set([...ODD_TEXTS, 'x'.repeat(200)]));
  for (const sku of skus) {
    const path = `/channels/${channel.id}/unmapped/${encodeURIComponent(sku)}`;
    assert.equal((await admin('DELETE', path)).status, 204, sku);
  }
});

test('an invalid cursor, search or SKU is a validation error; an unknown channel is not found', async () => {
  const channel = await make.channel();
  const path = `/channels/${channel.id}/unmapped`;
  for (const key of ['x', '1', ' a', '-1 a', '999999999999999 a', '1 \u{d800}', 5]) {
    const cursor = Buffer.from(JSON.stringify(key)).toString('base64url');
    assert.deepEqual(await fieldsRefused(admin('GET', `${path}?cursor=${cursor}`)), ['cursor'], String(key));
  }
  assert.deepEqual(await fieldsRefused(admin('GET', `${path}?search=%00`)), ['search']);
  assert.deepEqual(await fieldsRefused(admin('DELETE', `${path}/a%00`)), ['sku']);
  for (const id of ['999999', '0', 'abc', '99999999999']) {
    await refusal(admin('GET', `/channels/${id}/unmapped`), 404);
    await refusal(admin('DELETE', `/channels/${id}/unmapped/x`), 404);
  }
});

test('viewers can read, operators can dismiss, and requests without a token are refused', async () => {
  const channel = await make.channel();
  await channel.call('GET', '/inventory/role');
  await service.service.flush();
  const path = `/channels/${channel.id}/unmapped`;
  const viewer = await token('viewer');
  assert.equal((await admin('GET', path, undefined, viewer)).status, 200);
  await refusal(admin('DELETE', `${path}/role`, undefined, viewer), 403);
  assert.equal((await list(channel.id)).length, 1);
  assert.equal((await admin('DELETE', `${path}/role`, undefined, await token('operator'))).status, 204);
  assert.equal((await call(`${service.origin}/admin/v1${path}`, 'GET')).status, 401);
});

test('two processes count the same SKUs and refusals concurrently: the sums are right, without deadlocks', async () => {
  const channels = [await make.channel(), await make.channel()];
  const [a, b] = [newObservations(pool), newObservations(other.service.services.pool)];
  const skus = Array.from({ length: 300 }, (_, n) => `S${n}`);
  for (let round = 0; round < 10; round++) {
    for (const sku of skus) for (const { id } of channels) a.unmappedSku(id, sku, 'lookups');
    for (const sku of skus.toReversed())
      for (const { id } of channels.toReversed()) b.unmappedSku(id, sku, 'orders');
    for (const { id } of channels) for (const one of [a, b]) one.refused(id, 'sku_unmapped');
    await Promise.all([a.flush(), b.flush(), trimObservations(pool)]);
  }
  await Promise.all([a.close(), b.close()]);
  assert.deepEqual(bugs, []);
  for (const { id } of channels) {
    const rows = await list(id);
    assert.equal(rows.length, 300);
    assert.ok(rows.every(({ lookups, orders }) => lookups === 10 && orders === 10));
    const sql = 'select sum(count)::int as n from refusal_count where channel_id = $1';
    assert.equal((await pool.query<{ n: number }>(sql, [id])).rows[0]?.n, 20);
  }
});

test('concurrent writes of the same rows in opposite order never deadlock', async () => {
  const { id } = await make.channel();
  const at = new Date();
  const asked = Array.from({ length: 900 }, (_, n) => {
    const sku = `S${String(n).padStart(4, '0')}`;
    return { channel_id: id, sku, lookups: 1, orders: 0, first_at: at, last_at: at };
  });
  const refusals = Array.from({ length: 900 }, (_, n) => ({
    hour: new Date(Date.UTC(2030, 0, 1, n)),
    channel_id: id,
    reason: 'invalid',
    count: 1,
  }));
  const there = other.service.services.pool;
  for (let round = 0; round < 20; round++) {
    await Promise.all([addUnmappedSkus(pool, asked), addUnmappedSkus(there, asked.toReversed())]);
    await Promise.all([addRefusals(pool, refusals), addRefusals(there, refusals.toReversed())]);
  }
  assert.ok((await list(id)).every(({ lookups }) => lookups === 40));
});

test('a service writes its counts when it stops, and its successor adds to them', async () => {
  const channel = await make.channel();
  for (let start = 1; start <= 2; start++) {
    const env = { PORT: '0', SLUICE_ADMIN_TOKEN: ADMIN_TOKEN };
    const reborn = await createService(
      readConfig(env, '.'),
      { url: database.url, secret: TEST_SECRET },
      pino({ level: 'silent' }),
    );
    const origin = await reborn.listen();
    const headers = { 'x-api-key': channel.api_key };
    assert.equal((await call(`${origin}/api/v1/inventory/lost`, 'GET', undefined, headers)).status, 404);
    assert.equal(
      (await call(`${origin}/api/v1/orders`, 'POST', orderOf([line('lost')]), headers)).status,
      422,
    );
    await reborn.stop();
    assert.deepEqual(
      (await list(channel.id)).map(({ sku, lookups, orders }) => [sku, lookups, orders]),
      [['lost', start, start]],
    );
  }
});

test('while the database is unavailable, counts are kept up to a limit and written after recovery', async (t) => {
  const channel = await make.channel();
  const proxy = await startProxy(database.url);
  const away = createPool(proxy.url, 1);
  t.after(async () => {
    await away.end();
    await proxy.close();
  });
  const observed = newObservations(away);
  observed.unmappedSku(channel.id, 'patient', 'lookups');
  proxy.cut();
  await observed.flush();
  observed.unmappedSku(channel.id, 'patient', 'lookups');
  observed.refused(channel.id, 'stock_insufficient');
  for (let n = 0; n < 5_000; n++) observed.unmappedSku(channel.id, `flood-${n}`, 'lookups');
  await observed.flush();
  assert.deepEqual(await list(channel.id), []);
  proxy.restore();
  await observed.close();
  const rows = await pages(`/channels/${channel.id}/unmapped`, 500);
  assert.equal(rows.length, 1_000);
  assert.equal(rows.find(({ sku }) => sku === 'patient')?.lookups, 2);
  const sql = 'select reason, count from refusal_count where channel_id = $1';
  assert.deepEqual((await pool.query(sql, [channel.id])).rows, [{ reason: 'stock_insufficient', count: 1 }]);
});

test('housekeeping keeps the latest 1,000 SKUs of a channel, and refusal counts for 30 days', async () => {
  const [channel, quiet] = [await make.channel(), await make.channel()];
  const insert = `insert into asked_in_vain select $1, 'S' || n, 1, 0, now(), now() - make_interval(secs => n)
    from generate_series(1, $2::int) n`;
  await pool.query(insert, [channel.id, 1_200]);
  await pool.query(insert, [quiet.id, 10]);
  await pool.query(
    `insert into refusal_count select date_trunc('hour', now()) - make_interval(days => d), $1, 'sku_unmapped', 1
     from unnest('{0, 29, 31}'::int[]) d`,
    [channel.id],
  );
  await trimObservations(pool);
  const rows = await list(channel.id);
  assert.equal(rows.length, 1_000);
  assert.deepEqual([rows[0].sku, rows.at(-1).sku], ['S1', 'S1000'], 'the oldest were deleted');
  assert.equal((await list(quiet.id)).length, 10);
  const kept = await pool.query('select count(*)::int as n from refusal_count where channel_id = $1', [
    channel.id,
  ]);
  assert.equal(kept.rows[0].n, 2);
});

test('a value that the database refuses is reported once and does not block later writes', async () => {
  const channel = await make.channel();
  const observed = newObservations(pool);
  observed.unmappedSku(channel.id, 'bad\0', 'lookups');
  await observed.flush();
  assert.equal(bugs.length, 1);
  const sku = unique('S');
  observed.unmappedSku(channel.id, sku, 'lookups');
  await observed.close();
  assert.deepEqual(
    (await list(channel.id)).map((row) => row.sku as string),
    [sku],
  );
});
