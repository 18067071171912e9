// The figures of the overview, and that they are cheap to compute.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type pg from 'pg';
import { pino } from 'pino';
import { readConfig } from '../src/platform/config/config.ts';
import { lastHours } from '../src/platform/values/hours.ts';
import { timestampFormat } from '../src/platform/values/timestamps.ts';
import { Overview } from '../src/features/overview/overview.ts';
import { createService } from '../src/start/service.ts';
import type { Tx } from '../src/platform/database/database.ts';
import { countOrders } from '../src/features/overview/store.ts';
import { untilWaiting } from './kit/adverse.ts';
import { connect } from '../verify/kit/connection.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { desk, fieldsRefused } from './kit/desk.ts';
import { fixtures, must, orderOf, unique, type TestChannel } from '../verify/kit/fixtures.ts';
import { LONG_ONLY } from '../verify/kit/long.ts';
import { call, startTestService, TEST_SECRET } from '../verify/kit/service.ts';
import { eventually } from '../verify/kit/until.ts';

const service = await startTestService();
const make = fixtures(service);
const { admin, token } = desk(service);
const { pool } = service.service.services;
const format = timestampFormat('Asia/Seoul');

/** The figures of an overview with an empty cache. */
const fresh = (hours: number) => new Overview(pool, format).read(hours);
const line = (sku: string, quantity = 1) => ({ sku, quantity, unit_price: 100 });

/** Real orders, created now and moved into the past. */
async function takeOrders({ channel, sku }: { channel: TestChannel; sku: string }, at: Date, count: number) {
  const orders = Array.from({ length: count }, () => orderOf([line(sku)]));
  await Promise.all(orders.map((order) => must(channel.call('POST', '/orders', order), 201)));
  const numbers = orders.map((order) => order.order_number);
  await service.database.tamper('update orders set created_at = $1 where order_number = any($2)', [
    at,
    numbers,
  ]);
}

test('the overview of an empty database has every key, zeros, and no reconcile result', async () => {
  const data = await must(admin('GET', '/overview'), 200);
  assert.equal(data.hours.length, 24);
  assert.deepEqual(
    { ...data, now: null, hours: null, gate: null },
    {
      now: null,
      hours: null,
      orders_per_hour: [],
      channels: [],
      open_orders: [0, 1, 2, 9].map((status) => ({ status, count: 0 })),
      oldest_unpaid: [],
      low_stock: [],
      overcommitted_count: 0,
      refused: [],
      unmapped_count: 0,
      reconcile: null,
      gate: null,
    },
  );
  assert.deepEqual(data.gate, {
    waiting: 0,
    capacity: 1_024,
    batches: 0,
    orders: 0,
    last_batch_size: 0,
    average_batch_ms: 0,
    retries: 0,
  });
});

test('orders are counted per channel and hour of the configured time zone', async () => {
  const [a, b, silent] = [await make.setting(), await make.setting(), await make.setting()];
  const hours = lastHours(new Date(), 5, format);
  const [first, second, , , running] = hours as [Date, Date, Date, Date, Date];
  await takeOrders(a, new Date(first.getTime() - 1), 7); // before the first hour
  await takeOrders(a, first, 2);
  await takeOrders(a, new Date(second.getTime() - 1), 3);
  await takeOrders(a, second, 4);
  await takeOrders(b, running, 5);
  const figures = await fresh(5);
  assert.deepEqual(figures.hours, hours);
  const counts = new Map(figures.orders_per_hour.map((row) => [row.channel_id, row.counts]));
  assert.deepEqual(counts.get(a.channel.id), [5, 4, 0, 0, 0]);
  assert.deepEqual(counts.get(b.channel.id), [0, 0, 0, 0, 5]);
  assert.equal(counts.has(silent.channel.id), false);
  assert.equal((await fresh(6)).orders_per_hour[0]?.counts[0], 7);
  const names = figures.channels.map(({ id }) => id);
  assert.deepEqual([names.includes(a.channel.id), names.includes(silent.channel.id)], [true, true]);
});

test('a completed hour is counted once; the current hour, and the previous one within its grace period, at every read', async () => {
  const { channel, sku } = await make.setting();
  const asked: Date[][] = [];
  let now = new Date('2030-01-01T10:30:00Z');
  const watched: Tx = {
    query: async (config) => {
      if (config.name === 'database_now') return { rows: [{ now }] } as unknown as pg.QueryResult;
      if (config.name === 'overview_count_orders') asked.push((config.values as [Date[]])[0]);
      return pool.query(config);
    },
  };
  const overview = new Overview(watched, timestampFormat('UTC'));
  const at = (text: string) => new Date(`2030-01-01T${text}:00Z`);
  await takeOrders({ channel, sku }, at('08:10'), 2);
  const counts = async (hours: number) =>
    (await overview.read(hours)).orders_per_hour.find((row) => row.channel_id === channel.id)?.counts;

  assert.deepEqual(await counts(4), [0, 2, 0, 0]);
  assert.deepEqual(asked.splice(0), [[at('07:00'), at('08:00'), at('09:00'), at('10:00')]]);
  await takeOrders({ channel, sku }, at('10:40'), 3);
  now = new Date('2030-01-01T10:59:00Z');
  assert.deepEqual(await counts(3), [2, 0, 3]);
  assert.deepEqual(asked.splice(0), [[at('10:00')]]);
  // A longer period reads only the hours that are not cached, before and after.
  assert.deepEqual(await counts(5), [0, 0, 2, 0, 3]);
  assert.deepEqual(asked.splice(0), [[at('06:00')], [at('10:00')]]);
  // Half a minute past the hour, an order with an earlier time may still be uncommitted.
  now = new Date('2030-01-01T11:00:30Z');
  await counts(2);
  assert.deepEqual(asked.splice(0), [[at('10:00'), at('11:00')]]);
  await takeOrders({ channel, sku }, at('10:59'), 1);
  now = new Date('2030-01-01T11:01:00Z');
  assert.deepEqual(await counts(6), [0, 0, 2, 0, 4, 0]);
  assert.deepEqual(asked.splice(0), [[at('10:00'), at('11:00')]]);
  now = new Date('2030-01-01T11:02:00Z');
  await counts(1);
  assert.deepEqual(asked.splice(0), [[at('11:00')]]);
});

test('open orders are counted by status, and the oldest unpaid ones come first', async () => {
  const before = new Map((await fresh(1)).open_orders.map(({ status, count }) => [status, count]));
  const { channel, sku } = await make.setting(100);
  const unpaid: string[] = [];
  for (let n = 0; n < 12; n++) {
    const order = orderOf([line(sku)], { status: 0 });
    await must(channel.call('POST', '/orders', order), 201);
    unpaid.push(order.order_number);
  }
  const report = async (number: string, status: number, fields: object = {}) =>
    must(channel.call('POST', `/orders/${number}/status`, { status, ...fields }), 200);
  await report(unpaid[0] as string, 1);
  await report(unpaid[1] as string, 2);
  await report(unpaid[2] as string, 9);
  await report(unpaid[3] as string, 3, { tracking_number: 'T' });
  await report(unpaid[4] as string, 88);
  const { open_orders, oldest_unpaid } = await fresh(1);
  assert.deepEqual(
    open_orders.map(({ status, count }) => [status, count - (before.get(status) ?? 0)]),
    [
      [0, 7],
      [1, 1],
      [2, 1],
      [9, 1],
    ],
  );
  assert.deepEqual(
    oldest_unpaid.map((order) => order.order_number),
    unpaid.slice(5),
  );
  assert.deepEqual(Object.keys(oldest_unpaid[0] ?? {}).toSorted(), [
    'channel_id',
    'channel_name',
    'created_at',
    'id',
    'order_number',
    'total_amount',
  ]);
  assert.equal(oldest_unpaid[0]?.total_amount, '100.00');
});

test('low stock: at most ten mapped variants with a common stock of ten or less, lowest first', async () => {
  const channel = await make.channel();
  const unsold = await make.variant(0);
  const item = async (quantity: number) => {
    const variant = await make.variant(quantity);
    await make.map(channel, variant);
    await make.map(channel, variant); // a second SKU must not list the variant twice
    return variant;
  };
  const [eleven, ten, two] = [await item(11), await item(10), await item(2)];
  const drained = await item(50);
  await make.allocate(channel, drained, 49);
  const low = (await fresh(1)).low_stock.map((row) => [row.variant_code, row.common_available, row.quantity]);
  assert.deepEqual(
    low.filter(([code]) =>
      [unsold.code, eleven.code, ten.code, two.code, drained.code].includes(String(code)),
    ),
    [
      [drained.code, 1, 50],
      [two.code, 2, 2],
      [ten.code, 10, 10],
    ],
  );
  for (let n = 0; n < 10; n++) await item(0);
  const { low_stock } = await fresh(1);
  assert.deepEqual(
    low_stock.map((row) => row.common_available),
    Array.from({ length: 10 }, () => 0),
  );
});

test('refused orders are counted by reason within the requested hours', async () => {
  const { channel, variant, sku } = await make.setting(1);
  const bare = await make.map(channel, await make.variant(null));
  await make.allocate(channel, variant, 0, 2);
  const order = (items: unknown, fields: object = {}) =>
    channel.call('POST', '/orders', { ...orderOf([]), items, ...fields });
  const taken = orderOf([line(sku)]);
  await must(channel.call('POST', '/orders', taken), 201);
  await must(channel.call('POST', '/orders', taken), 200);
  const other = await make.channel();
  await make.map(other, await make.variant(1), sku);
  const statuses = [
    await order([line(sku, 5)]),
    await order([line(sku, 6)]),
    await order([line('nowhere')]),
    await order([line(bare)]),
    await order([line(sku, 3)], { is_backorder: true }),
    await order([]),
    await order('rubbish'),
    await channel.call('POST', '/orders', '{broken'),
    await other.call('POST', '/orders', taken),
  ].map(({ status }) => status);
  assert.deepEqual(statuses, [422, 422, 422, 422, 422, 422, 422, 422, 500]);
  await call(`${service.origin}/api/v1/orders`, 'POST', '{broken', { 'x-api-key': 'nobody' });
  await channel.call('POST', `/orders/${taken.order_number}/status`, { status: 0 });
  await pool.query(
    `insert into refusal_count values (now() - interval '26 hours', $1, 'quota_insufficient', 1000)`,
    [channel.id],
  );
  await service.service.flush();
  assert.deepEqual((await fresh(24)).refused, [
    { reason: 'invalid', count: 3 },
    { reason: 'stock_insufficient', count: 2 },
    { reason: 'order_number_taken', count: 1 },
    { reason: 'quota_insufficient', count: 1 },
    { reason: 'sku_unmapped', count: 1 },
    { reason: 'stock_missing', count: 1 },
  ]);
  assert.deepEqual((await fresh(48)).refused[0], { reason: 'quota_insufficient', count: 1_001 });
  assert.ok((await fresh(24)).unmapped_count >= 1);
});

test('the overview over HTTP: figures are cached for two seconds, gate and last reconcile are current', async () => {
  const { channel, sku } = await make.setting(10);
  const [one, two] = await Promise.all([
    must(admin('GET', '/overview?hours=9'), 200),
    must(admin('GET', '/overview?hours=9'), 200),
  ]);
  assert.equal(one.now, two.now);
  assert.equal(one.hours.length, 9);
  assert.match(one.now, /\+09:00$/);
  assert.equal(one.hours.at(-1).slice(0, 13), one.now.slice(0, 13));
  await must(admin('GET', '/reconcile'), 200);
  let earlier = one;
  let later = two;
  // On a slow machine the two seconds may pass before the second read.
  for (let orders = 1; orders === 1 || later.now !== earlier.now; orders++) {
    earlier = await must(admin('GET', '/overview?hours=9'), 200);
    await must(channel.call('POST', '/orders', orderOf([line(sku)])), 201);
    later = await must(admin('GET', '/overview?hours=9'), 200);
    assert.equal(later.gate.orders, one.gate.orders + orders);
    assert.equal(later.gate.batches, one.gate.batches + orders);
  }
  assert.deepEqual(later.orders_per_hour, earlier.orders_per_hour, 'still cached');
  assert.equal(later.gate.last_batch_size, 1);
  assert.ok(later.gate.average_batch_ms > 0 && later.gate.average_batch_ms < 5_000);
  assert.deepEqual([later.reconcile.ok, later.reconcile.drift_count], [true, 0]);
  assert.ok(later.reconcile.checked > 0);
  assert.match(later.reconcile.checked_at, /\+09:00$/);
  const taken = later.gate.orders - one.gate.orders;
  const last = await eventually(async () => {
    const now = await must(admin('GET', '/overview?hours=9'), 200);
    assert.notEqual(now.now, later.now);
    return now;
  });
  const mine = last.orders_per_hour.find((row: { channel_id: number }) => row.channel_id === channel.id);
  assert.equal(
    mine.counts.reduce((sum: number, count: number) => sum + count),
    taken,
  );
});

test('a failed read is not cached: the next request reads again', async () => {
  let away = true;
  const flaky: Tx = {
    query: (config) => (away ? Promise.reject(new Error('connection lost')) : pool.query(config)),
  };
  const overview = new Overview(flaky, format);
  await assert.rejects(overview.read(1), { name: 'DatabaseUnavailable' });
  away = false;
  assert.equal((await overview.read(1)).hours.length, 1);
});

test('hours is 1 to 168; viewers can read the overview, requests without a token are refused', async () => {
  for (const hours of ['0', '169', '-1', '1.5', 'x', '', '1e9', '%00'])
    assert.deepEqual(await fieldsRefused(admin('GET', `/overview?hours=${hours}`)), ['hours'], hours);
  const viewer = await token('viewer');
  const week = await admin('GET', '/overview?hours=168', undefined, viewer);
  assert.equal(week.json.data.hours.length, 168);
  assert.equal((await call(`${service.origin}/admin/v1/overview`, 'GET')).status, 401);
});

test('stopping the service does not wait for a reconcile run', async (t) => {
  const database = await createDatabase();
  const blocker = await connect(database.adminUrl);
  t.after(async () => {
    await blocker.end();
    await database.drop();
  });
  const reborn = await createService(
    readConfig({ PORT: '0' }, '.'),
    { url: database.url, secret: TEST_SECRET },
    pino({ level: 'silent' }),
  );
  await blocker.query('begin');
  await blocker.query('lock table orders in access exclusive mode');
  const running = reborn.services.reconciler.run().catch((error: unknown) => error);
  await untilWaiting(database.adminUrl, 1);
  const started = performance.now();
  await reborn.stop();
  assert.ok(performance.now() - started < 20_000);
  assert.ok((await running) instanceof Error);
  assert.equal(reborn.services.reconciler.last, null);
});

test(
  'with many orders, the orders of an hour are found by the BRIN index on their time',
  LONG_ONLY,
  async (t) => {
    const database = await createDatabase();
    const client = await connect(database.adminUrl);
    t.after(async () => {
      await client.end();
      await database.drop();
    });
    // 200,000 orders over forty days, inserted in order of their times.
    await client.query(
      `insert into orders (id, channel_id, order_number, status, is_backorder, recipient_name, recipient_phone,
       shipping_address, local_currency_code, local_total_amount, total_amount, exchange_rate, created_at)
     select n, 1 + n % 5, 'N' || n, 3, false, 'Kim Minji', '010-1234-5678', '12 Teheran-ro, Gangnam-gu, Seoul',
       'KRW', 1, 1, 1, now() - make_interval(secs => (200000 - n) * 17.28)
     from generate_series(1, 200000) n`,
    );
    await client.query('analyze orders');
    const end = new Date();
    const hours = lastHours(end, 2, format);
    const plan = await explain(client, (tx) => countOrders(tx, hours, end));
    assert.match(plan, /Bitmap Index Scan on orders_by_time/);
  },
);

/** The query plan of the only statement that `work` runs. */
async function explain(client: pg.Client, work: (tx: Tx) => Promise<unknown>): Promise<string> {
  let plan = '';
  await work({
    query: async ({ text, values }) => {
      const result = await client.query(`explain ${text}`, values as unknown[]);
      plan = result.rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n');
      return { ...result, rows: [] };
    },
  });
  return plan;
}

test('orders that are imported into past hours are counted by every process, also by those that counted these hours before', async () => {
  const setting = await make.setting(50);
  const { id } = setting.channel;
  const processes = [new Overview(pool, format), new Overview(pool, format)];
  const counted = async (overview: Overview): Promise<number> => {
    const { orders_per_hour } = await overview.read(24);
    const own = orders_per_hour.find(({ channel_id }) => channel_id === id);
    return own?.counts.reduce((sum, n) => sum + n, 0) ?? 0;
  };
  for (const overview of processes) assert.equal(await counted(overview), 0);
  const header =
    'channel_id,order_number,status,created_at,recipient_name,recipient_phone,shipping_address,sku,quantity,local_unit_price';
  const row = (hours: number, status: number): string => {
    const at = new Date(Date.now() - hours * 3_600_000).toISOString();
    return `${id},${unique('LATE')},${status},${at},Kim,010,Seoul,${setting.sku},1,1`;
  };
  let expected = 0;
  // Shipped orders hold no stock: nothing else in the journal tells of them.
  for (const rows of [
    [row(5, 3), row(9, 88)],
    [row(5, 3), row(3, 1)],
  ]) {
    await must(admin('POST', '/orders/import', { csv: [header, ...rows].join('\n') }), 200);
    expected += 2;
    for (const overview of processes)
      await eventually(async () => assert.equal(await counted(overview), expected));
  }
});
