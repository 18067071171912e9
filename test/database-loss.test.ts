// Loss of the database, especially during COMMIT. No outcome is guessed, no change is lost or executed twice.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type pg from 'pg';
import { assertNotNow, untilReady } from './kit/adverse.ts';
import { until } from '../verify/kit/until.ts';
import { query } from '../verify/kit/connection.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { fixtures, must, orderOf } from '../verify/kit/fixtures.ts';
import { startProxy, type Strike } from '../verify/kit/proxy.ts';
import { call, startTestService } from '../verify/kit/service.ts';

const database = await createDatabase();
const proxy = await startProxy(database.url);
const PATIENCE_MS = 4_000;
const service = await startTestService({
  database,
  url: proxy.url,
  env: { SLUICE_RETRY_TIMEOUT_MS: String(PATIENCE_MS) },
});
/** A second process, connected to the database without the proxy. */
const unharmed = await startTestService({ database });
after(() => proxy.close());
const make = fixtures(service);

/** The last log line about refused requests says that the service still refuses them. */
const isRefusing = (): boolean =>
  service.log.findLast(({ msg }) => /requests/.test(msg))?.msg === 'refusing requests with 503';

async function counted(metric: string): Promise<number> {
  const text = await service.service.services.metrics.registry.getSingleMetricAsString(metric);
  return Number(/ ([\d.]+)$/m.exec(text)?.[1]);
}

const inDatabase = <T extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<T[]> =>
  query<T>(database.adminUrl, sql, values);

const AT_COMMIT: Record<'before' | 'after', Strike> = {
  before: { statement: 'commit', message: 'Execute', share: 'none', fault: 'cut' },
  after: { statement: 'commit', message: 'CommandComplete', share: 'none', fault: 'cut' },
};

// The first test: requests that the log left out in an outage are counted up to a second after it, in the next test.
test('database unavailable: 503 with Retry-After and an error body, also from /readyz; later the service recovers by itself', async () => {
  const { channel, sku } = await make.setting(10);
  await untilReady(service.origin);
  await must(channel.call('GET', '/inventory'), 200);
  service.log.length = 0;
  const failuresBefore = await counted('sluice_command_failures_total');
  const outagesBefore = await counted('sluice_database_outages_total');
  const cutAt = Math.floor(Date.now() / 1000);
  const beganOutage = performance.now();
  proxy.cut();
  await until(
    () => service.service.services.directory.known(channel.api_key) === undefined,
    'the outage is noticed',
  );
  assert.equal(
    (await fetch(`${service.origin}/readyz`)).status,
    200,
    'ready at first, because requests wait for the database',
  );
  const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
  const answers = await Promise.all([
    channel.call('POST', '/orders', order),
    channel.call('GET', '/inventory'),
    channel.call('GET', `/inventory/${sku}`),
    service.admin('GET', '/channels'),
    service.admin('GET', '/channels', undefined, 'to-be-looked-up'),
  ]);
  for (const answer of answers) assertNotNow(answer);
  assertNotNow(await call(`${service.origin}/readyz`, 'GET'));
  const started = performance.now();
  const later = [channel.call('POST', '/orders', order), channel.call('GET', `/inventory/${sku}`)];
  for (const answer of await Promise.all([...later, service.admin('GET', '/channels')])) assertNotNow(answer);
  assert.ok(
    performance.now() - started < PATIENCE_MS,
    'after a request has used up its patience, later requests wait less',
  );
  assert.equal((await fetch(`${service.origin}/healthz`)).status, 200);
  const unknown = await Promise.all(
    Array.from({ length: 20 }, () => service.channel(undefined)('GET', '/inventory')),
  );
  assert.deepEqual(new Set(unknown.map(({ status }) => status)), new Set([401]));
  assert.deepEqual(
    service.log.filter(({ msg }) => msg === 'request'),
    [],
    'during an outage no request has a line of its own',
  );
  const seconds = (performance.now() - beganOutage) / 1_000;
  assert.ok(service.log.length <= seconds + 3, `${service.log.length} lines in ${seconds} s`);
  proxy.restore();
  await untilReady(service.origin);
  const again = await channel.call('POST', '/orders', order);
  assert.ok(again.status === 201, again.text);

  const refused = answers.length + later.length + 1;
  await until(() => !isRefusing(), 'the log says that requests are accepted again');
  const lines = (msg: string) => service.log.filter((line) => line.msg === msg);
  const told = lines('refusing requests with 503').reduce((sum, line) => sum + Number(line['refused']), 0);
  assert.equal(told, refused, 'each refusal is counted in exactly one log line');
  assert.equal(lines('accepting requests again')[0]?.['refused_total'], refused);
  await until(
    () =>
      lines('request log: log lines over the limit were omitted').reduce(
        (sum, line) => sum + Number(line['left_out']),
        0,
      ) === unknown.length,
    'the other requests are counted in one line after the outage',
  );
  assert.deepEqual(
    service.log.filter(({ state }) => state !== undefined).map(({ state, msg }) => [state, msg]),
    [
      ['unreachable', 'The database cannot be reached.'],
      ['ready', 'the database is available again'],
    ],
  );
  assert.equal(await counted('sluice_command_failures_total'), failuresBefore + 2, 'both orders');
  assert.equal(await counted('sluice_database_outages_total'), outagesBefore + 1);
  assert.ok((await counted('sluice_database_last_outage_timestamp_seconds')) >= cutAt);
});

for (const when of ['before', 'after'] as const) {
  test(`the connection breaks ${when} the COMMIT of a shipment: stock is deducted once, each status step is recorded once`, async () => {
    const { channel, variant, sku } = await make.setting(10);
    const order = orderOf([{ sku, quantity: 4, unit_price: 1 }]);
    const { id } = await must(channel.call('POST', '/orders', order), 201);
    const struck = proxy.strike({ ...AT_COMMIT[when], connection: 'sluice-gate' });
    const report = channel.call('POST', `/orders/${order.order_number}/status`, {
      status: 3,
      tracking_number: 'T',
    });
    const [answer] = await Promise.all([report, struck]);
    assert.equal(answer.status, 200, answer.text);
    assert.equal((await make.stock(variant)).quantity, 6);
    const { history } = await must(service.admin('GET', `/orders/${id}`), 200);
    assert.deepEqual(
      history.map((step: { to: number }) => step.to),
      [1, 2, 3],
    );
  });
}

test('COMMIT of an adjustment gets no response: its outcome is looked up, and the change is made exactly once', async () => {
  const { variant } = await make.setting(10);
  for (const [index, when] of (['before', 'after'] as const).entries()) {
    const [answer] = await Promise.all([
      service.admin('POST', `/stock/${variant.code}/adjustments`, { delta: 5, reason: 'found' }),
      proxy.strike({ ...AT_COMMIT[when], connection: 'sluice' }),
    ]);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json.data.quantity, 15 + 5 * index);
    assert.equal((await make.stock(variant)).quantity, 15 + 5 * index);
  }
});

test('COMMIT of an adjustment gets no response and the database stays unavailable: 503 says that the outcome is unknown', async () => {
  const { variant } = await make.setting(10);
  const change = { delta: 5, reason: 'found' };
  for (let attempt = 1; ; attempt++) {
    const struck = proxy.strike({ ...AT_COMMIT.after, connection: 'sluice' }).then(async () => {
      proxy.cut();
      const sql = 'select quantity from stock s join variant v on v.id = s.variant_id where v.code = $1';
      return (await inDatabase<{ quantity: number }>(sql, [variant.code]))[0]?.quantity;
    });
    const [answer, committed] = await Promise.all([
      service.admin('POST', `/stock/${variant.code}/adjustments`, change),
      struck,
    ]);
    proxy.restore();
    assert.equal(answer.status, 503, answer.text);
    await until(async () => (await service.admin('GET', '/channels')).status === 200, 'the database is back');
    const { quantity } = await make.stock(variant);
    const isUnknown = /it is unknown whether the change was stored\. Check before/.test(answer.json.error);
    if (committed === 15 || quantity === 15) {
      assert.deepEqual([quantity, isUnknown], [15, true], answer.text);
      return;
    }
    // The proxy struck another COMMIT, such as that of the search index. That of the change did not arrive.
    assert.equal(quantity, 10, answer.text);
    assert.ok(attempt < 10, answer.text);
  }
});

test('the connection breaks while a batch reads: the batch runs again', async () => {
  const { channel, sku } = await make.setting(10);
  const struck = proxy.strike({
    statement: 'gate_lock_stock_of_skus',
    message: 'Bind',
    share: 'none',
    fault: 'cut',
  });
  const [answer] = await Promise.all([
    channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }])),
    struck,
  ]);
  assert.equal(answer.status, 201);
});

test('all backends are killed repeatedly under load: after resends each order is stored exactly once', async () => {
  const { channel, variant, sku } = await make.setting(100_000);
  let killing = true;
  after(() => void (killing = false));
  const killer = (async () => {
    while (killing) {
      await inDatabase(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name like 'sluice%'`,
      );
      await new Promise((resolve) => {
        setTimeout(resolve, 60);
      });
    }
  })();
  const answers = await Promise.all(
    Array.from({ length: 300 }, async (_, index) => {
      await new Promise((resolve) => {
        setTimeout(resolve, index * 4);
      });
      const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
      let answer = await channel.call('POST', '/orders', order);
      // 503: the outcome is unknown to the client; a resend settles it.
      while (answer.status === 503) answer = await channel.call('POST', '/orders', order);
      return answer;
    }),
  );
  killing = false;
  await killer;
  assert.ok(answers.every(({ status }) => status === 201 || status === 200));
  const [stored] = await inDatabase<{ n: number }>(
    `select count(*)::int as n from orders o join order_item i on i.order_id = o.id
     join variant v on v.id = i.variant_id where v.code = $1`,
    [variant.code],
  );
  assert.equal(stored?.n, 300);
  assert.equal((await make.stock(variant)).unshipped, 300);
});

test('a key is revoked while a process cannot reach the database: the requests that waited there are refused', async () => {
  const { channel, sku } = await make.setting(10);
  assert.equal(await make.available(channel, sku), 10);
  proxy.cut();
  await until(
    () => service.service.services.directory.known(channel.api_key) === undefined,
    'the outage is noticed',
  );
  const waiting = [
    channel.call('GET', `/inventory/${sku}`),
    channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }])),
  ];
  await must(unharmed.admin('POST', `/channels/${channel.id}/rotate-key`), 200);
  proxy.restore();
  for (const answer of await Promise.all(waiting)) assert.equal(answer.status, 401, answer.text);
});
