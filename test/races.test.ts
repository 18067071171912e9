// Concurrent HTTP requests to two services on one database, like two processes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../verify/kit/connection.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { fixtures, must, orderOf, type TestChannel } from '../verify/kit/fixtures.ts';
import { PATIENT, startTestService, type HttpAnswer } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';
import * as races from './kit/races.ts';

const { count, times } = races;

const database = await createDatabase();
const first = await startTestService({ database, env: PATIENT });
const second = await startTestService({ database, env: PATIENT });
const make = fixtures(first);

/** The same channel, through either service in turn. */
const through = (channel: TestChannel, turn: number) =>
  (turn % 2 === 0 ? first : second).channel(channel.api_key);

const racing: races.Racing = {
  make,
  through,
  admin: (method, path, body) => first.admin(method, path, body),
};

/** Locks one stock row, as a slow administrator would; resolves to a function that releases it. */
async function holdStock(code: string): Promise<() => Promise<void>> {
  const client = await connect(database.url);
  await client.query('begin');
  await client.query(
    'select from stock where variant_id = (select id from variant where code = $1) for update',
    [code],
  );
  return async () => {
    await client.query('rollback');
    await client.end();
  };
}

const waitingForLocks = async (): Promise<number> => {
  const { rows } = await first.service.services.pool.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows.length;
};

test('120 orders of 1 for the last 50 units at once: exactly 50 are taken', () => races.lastUnits(racing));

test('orders of mixed size never oversell, and none is refused that would have fitted', () =>
  races.mixedSizes(racing));

test('the same order sent 60 times at once is one 201 and 59 times 200, one order', () =>
  races.sameOrder(racing));

test('one number from two channels at once: one 201, the other 500, neighbours untouched', () =>
  races.oneNumber(racing));

test('orders over the same items in opposite sequence: no deadlock reaches a client, none even happens', async () => {
  const channel = await make.channel();
  const variants = await times(12, () => make.variant(1_000_000));
  const skus = await times(12, (index) => make.map(channel, variants[index] ?? { code: '', product: '' }));
  const answers: HttpAnswer[] = [];
  // One through each service, while the row in the middle is held: each collects locks from its end and waits.
  // Taken in one order the second waits for the first; taken in two, they would hold what the other needs.
  for (let round = 0; round < 6; round++) {
    const release = await holdStock(variants[6]?.code ?? '');
    const pair = times(2, (turn) => {
      const sequence = turn === 0 ? skus : skus.toReversed();
      const items = sequence.map((sku) => ({ sku, quantity: 1, unit_price: 1 }));
      return through(channel, turn)('POST', '/orders', orderOf(items));
    });
    await until(async () => (await waitingForLocks()) === 2);
    await release();
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

test('a report behind a change of its stock rows by somebody else sees all of them, changed', async () => {
  const channel = await make.channel();
  const variants = await times(6, () => make.variant(10));
  const skus = await Promise.all(variants.map((variant) => make.map(channel, variant)));
  const order = orderOf(skus.map((sku) => ({ sku, quantity: 1, unit_price: 1 })));
  await must(channel.call('POST', '/orders', order), 201);
  const client = await connect(database.url);
  // Small tables are planned in another way as soon as somebody has counted them.
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
  await until(async () => (await waitingForLocks()) > 0);
  await client.query('commit');
  await client.end();
  await must(report, 200);
  for (const variant of variants) assert.equal((await make.stock(variant)).unshipped, 0);
});

test('ship against cancel, ship against ship, administrators in between: one fate each, stock deducted once', () =>
  races.oneFate(racing));

test('an order that another process takes between the locks and the reads of a batch is locked before it is shipped', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const held = await make.setting(10);
  const order = orderOf([{ sku, quantity: 4, unit_price: 1 }]);
  const release = await holdStock(held.variant.code);
  // One batch: the report finds no order to lock, then the intake waits for the row we hold.
  const report = first.channel(channel.api_key)('POST', `/orders/${order.order_number}/status`, {
    status: 3,
    tracking_number: 'T',
  });
  const intake = first.channel(held.channel.api_key)(
    'POST',
    '/orders',
    orderOf([{ sku: held.sku, quantity: 1, unit_price: 1 }]),
  );
  await until(async () => (await waitingForLocks()) === 1);
  await must(second.channel(channel.api_key)('POST', '/orders', order), 201);
  await release();
  assert.equal((await intake).status, 201);
  const { status, text } = await report;
  assert.ok(status === 404 || status === 200, text);
  const stock = await make.stock(variant);
  assert.deepEqual([stock.quantity, stock.unshipped], status === 200 ? [6, 0] : [10, 4]);
});

test('backorders at once never exceed the quota', () => races.backorders(racing));

test('two identical reports at once both get 200; the loser changes nothing', () =>
  races.identicalReports(racing));
