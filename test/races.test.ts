// Concurrent HTTP requests to two services on one database, like two processes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '../verify/kit/connection.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { fixtures, must, orderOf, unique, type TestChannel } from '../verify/kit/fixtures.ts';
import { PATIENT, startTestService, type HttpAnswer } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';

const database = await createDatabase();
const first = await startTestService({ database, env: PATIENT });
const second = await startTestService({ database, env: PATIENT });
const make = fixtures(first);

/** The same channel, through either service in turn. */
const through = (channel: TestChannel, turn: number) =>
  (turn % 2 === 0 ? first : second).channel(channel.api_key);

const count = (answers: readonly HttpAnswer[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

const times = <T>(n: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: n }, (_, index) => work(index)));

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

test('120 orders of 1 for the last 50 units at once: exactly 50 are taken', async () => {
  const { channel, variant, sku } = await make.setting(50);
  const answers = await times(120, (turn) =>
    through(channel, turn)('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }])),
  );
  assert.deepEqual(count(answers), { 201: 50, 422: 70 });
  assert.equal((await make.stock(variant)).unshipped, 50);
  assert.equal(await make.available(channel, sku), 0);
});

test('orders of mixed size never oversell, and none is refused that would have fitted', async () => {
  const { channel, variant, sku } = await make.setting(37);
  const sizes = Array.from({ length: 60 }, (_, index) => 1 + (index % 5));
  const answers = await times(60, (turn) =>
    through(channel, turn)('POST', '/orders', orderOf([{ sku, quantity: sizes[turn] ?? 1, unit_price: 1 }])),
  );
  const taken = sizes
    .filter((_, index) => answers[index]?.status === 201)
    .reduce((sum, size) => sum + size, 0);
  assert.equal((await make.stock(variant)).unshipped, taken);
  const left = 37 - taken;
  assert.ok(left >= 0, `oversold by ${-left}`);
  const smallestRefused = Math.min(...sizes.filter((_, index) => answers[index]?.status === 422));
  assert.ok(left < smallestRefused, `${left} left, yet ${smallestRefused} was refused`);
});

test('the same order sent 60 times at once is one 201 and 59 times 200, one order', async () => {
  const { channel, variant, sku } = await make.setting();
  const order = orderOf([{ sku, quantity: 2, unit_price: 1 }]);
  const answers = await times(60, (turn) => through(channel, turn)('POST', '/orders', order));
  assert.deepEqual(count(answers), { 200: 59, 201: 1 });
  assert.equal(new Set(answers.map((answer) => answer.text)).size, 1);
  assert.equal((await make.stock(variant)).unshipped, 2);
});

test('one number from two channels at once: one 201, the other 500, neighbours untouched', async () => {
  const a = await make.setting(1_000);
  const b = await make.setting(1_000);
  for (let round = 0; round < 10; round++) {
    const number = unique('BOTH');
    const clash = times(2, (turn) => {
      const { channel, sku } = turn === 0 ? a : b;
      const order = orderOf([{ sku, quantity: 1, unit_price: 1 }], { order_number: number });
      return through(channel, turn + round)('POST', '/orders', order);
    });
    const neighbours = times(20, (turn) => {
      const { channel, sku } = turn % 3 === 0 ? a : b;
      return through(channel, turn)('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }]));
    });
    assert.deepEqual(count(await clash), { 201: 1, 500: 1 });
    assert.deepEqual(count(await neighbours), { 201: 20 });
  }
});

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

test('ship against cancel, ship against ship, administrators in between: one fate each, stock deducted once', async () => {
  const { channel, variant, sku } = await make.setting(1_000);
  await make.allocate(channel, variant, 300, 0);
  const orders = await times(40, async (turn) => {
    const order = orderOf([
      { sku, quantity: 3, unit_price: 1 },
      { sku, quantity: 1, unit_price: 1 },
    ]);
    await must(through(channel, turn)('POST', '/orders', order), 201);
    return order.order_number;
  });
  const report = (number: string, turn: number, body: object) =>
    through(channel, turn)('POST', `/orders/${number}/status`, body);
  const shipping = { status: 3, tracking_number: 'T1' };
  const rounds = await times(40, (index) => {
    const number = orders[index] ?? '';
    return Promise.all([
      report(number, 0, shipping),
      report(number, 1, shipping),
      report(number, index, index % 2 === 0 ? { status: 88 } : shipping),
      first.admin('POST', `/stock/${variant.code}/adjustments`, { delta: 1, reason: 'found' }),
    ]);
  });
  let shipped = 0;
  for (const [index, answers] of rounds.entries()) {
    const reports = answers.slice(0, 3);
    assert.ok(
      reports.every(({ status, json }) => status === 200 || json.code === 'invalid_transition'),
      JSON.stringify(reports.map(({ status, json }) => [status, json])),
    );
    const final = await must(
      through(channel, index)(
        'POST',
        '/orders',
        orderOf([{ sku, quantity: 1, unit_price: 1 }], { order_number: orders[index] }),
      ),
      200,
    );
    assert.ok(final.status === 3 || final.status === 88);
    if (final.status === 3) shipped += 1;
    const won = reports.filter(({ status }) => status === 200).map(({ json }) => json.data.status);
    assert.ok(won.length > 0 && won.every((status) => status === final.status));
  }
  const stock = await make.stock(variant);
  assert.equal(stock.quantity, 1_000 + 40 - 4 * shipped);
  assert.equal(stock.unshipped, 0);
  const ledger = await must(first.admin('GET', `/stock/${variant.code}/movements?limit=500`), 200);
  assert.equal(ledger.filter((move: { kind: string }) => move.kind === 'shipment').length, shipped);
});

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

test('backorders at once never exceed the quota', async () => {
  const { channel, variant, sku } = await make.setting(0);
  await make.allocate(channel, variant, 0, 25);
  const answers = await times(60, (turn) =>
    through(channel, turn)(
      'POST',
      '/orders',
      orderOf([{ sku, quantity: 1, unit_price: 1 }], { is_backorder: true }),
    ),
  );
  assert.deepEqual(count(answers), { 201: 25, 422: 35 });
});

test('two identical reports at once both get 200; the loser changes nothing', async () => {
  const { channel, sku } = await make.setting();
  const order = orderOf([{ sku, quantity: 1, unit_price: 1 }], { status: 0 });
  const { id } = await must(channel.call('POST', '/orders', order), 201);
  const answers = await times(20, (turn) =>
    through(channel, turn)('POST', `/orders/${order.order_number}/status`, { status: 2 }),
  );
  assert.deepEqual(count(answers), { 200: 20 });
  const stored = await must(first.admin('GET', `/orders/${id}`), 200);
  assert.deepEqual(
    stored.history.map((step: { to: number }) => step.to),
    [0, 1, 2],
  );
});
