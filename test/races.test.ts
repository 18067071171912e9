// Concurrent HTTP requests to two services on one database, which behave like two processes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../verify/kit/connection.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { fixtures, must, orderOf, type TestChannel } from '../verify/kit/fixtures.ts';
import { PATIENT, startTestService, type HttpAnswer } from '../verify/kit/service.ts';
import * as races from './kit/races.ts';
import { lockStockOf, openTransaction, untilWaiting } from './kit/adverse.ts';

const { count, times } = races;

const database = await createDatabase();
const first = await startTestService({ database, env: PATIENT });
const second = await startTestService({ database, env: PATIENT });
const make = fixtures(first);

/** The same channel, through the two services alternately. */
const through = (channel: TestChannel, turn: number) =>
  (turn % 2 === 0 ? first : second).channel(channel.api_key);

const racing: races.Racing = {
  make,
  through,
  admin: (method, path, body) => first.admin(method, path, body),
};

test('120 concurrent orders of 1 for the last 50 units: exactly 50 are accepted', () =>
  races.lastUnits(racing));

test('concurrent orders of mixed size never oversell, and no order that fits is refused', () =>
  races.mixedSizes(racing));

test('the same order sent 60 times at once gets 201 once and 200 59 times, and exists once', () =>
  races.sameOrder(racing));

test('one order number from two channels at once: one gets 201, the other 500, and other orders are not affected', () =>
  races.oneNumber(racing));

test('concurrent orders for the same items in opposite sequence cause no deadlock, not even one that is retried', async () => {
  const channel = await make.channel();
  const variants = await times(12, () => make.variant(1_000_000));
  const skus = await times(12, (index) => make.map(channel, variants[index] ?? { code: '', product: '' }));
  const answers: HttpAnswer[] = [];
  // One order through each service, while another transaction holds the row in the middle: each service locks rows until
  // it reaches that row. If both lock in the same sequence, one waits for the other. In different sequences each would
  // hold rows that the other needs.
  for (let round = 0; round < 6; round++) {
    const other = await openTransaction(database.url, lockStockOf(variants[6]?.code ?? ''));
    const pair = times(2, (turn) => {
      const sequence = turn === 0 ? skus : skus.toReversed();
      const items = sequence.map((sku) => ({ sku, quantity: 1, unit_price: 1 }));
      return through(channel, turn)('POST', '/orders', orderOf(items));
    });
    await untilWaiting(database.url, 2);
    await other.end();
    answers.push(...(await pair));
  }
  assert.deepEqual(count(answers), { 201: 12 });
  for (const { service } of [first, second]) {
    const retries = await service.services.metrics.registry.getSingleMetricAsString(
      'sluice_batch_retries_total',
    );
    assert.doesNotMatch(retries, /conflict/);
  }
});

test('a report that waits for another transaction sees all of the changed stock rows', async () => {
  const channel = await make.channel();
  const variants = await times(6, () => make.variant(10));
  const skus = await Promise.all(variants.map((variant) => make.map(channel, variant)));
  const order = orderOf(skus.map((sku) => ({ sku, quantity: 1, unit_price: 1 })));
  await must(channel.call('POST', '/orders', order), 201);
  const client = await connect(database.url);
  // With statistics, PostgreSQL plans small tables differently.
  await client.query('analyze');
  await client.query('begin');
  const codes = variants.map(({ code }) => code);
  await client.query(
    `update stock set unshipped = unshipped where variant_id in (select id from variant where code = any($1))`,
    [codes],
  );
  const report = second.channel(channel.api_key)('POST', `/orders/${order.order_number}/status`, {
    status: 88,
  });
  await untilWaiting(database.url, 1);
  await client.query('commit');
  await client.end();
  await must(report, 200);
  for (const variant of variants) assert.equal((await make.stock(variant)).unshipped, 0);
});

test('concurrent shipments, cancellations and stock adjustments: each order is either shipped or cancelled, and stock is deducted once', () =>
  races.oneFate(racing));

test('an order that another process stores between the locks and the reads of a batch is locked before it is shipped', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const held = await make.setting(10);
  const order = orderOf([{ sku, quantity: 4, unit_price: 1 }]);
  const other = await openTransaction(database.url, lockStockOf(held.variant.code));
  // One batch: the report finds no order to lock, then the intake waits for the held row.
  const report = first.channel(channel.api_key)('POST', `/orders/${order.order_number}/status`, {
    status: 3,
    tracking_number: 'T',
  });
  const intake = first.channel(held.channel.api_key)(
    'POST',
    '/orders',
    orderOf([{ sku: held.sku, quantity: 1, unit_price: 1 }]),
  );
  await untilWaiting(database.url, 1);
  await must(second.channel(channel.api_key)('POST', '/orders', order), 201);
  await other.end();
  assert.equal((await intake).status, 201);
  const { status, text } = await report;
  assert.ok(status === 404 || status === 200, text);
  const stock = await make.stock(variant);
  assert.deepEqual([stock.quantity, stock.unshipped], status === 200 ? [6, 0] : [10, 4]);
});

test('concurrent backorders never exceed the quota', () => races.backorders(racing));

test('two identical concurrent reports both get 200, and the second changes nothing', () =>
  races.identicalReports(racing));

test('two different concurrent reports on one order: the second is decided on the status that the first has left', () =>
  races.differentReports(racing));
