// A database that goes away, in the middle of COMMIT above all. Nothing is guessed, lost or done twice.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type pg from 'pg';
import { until } from './kit/adverse.ts';
import { query } from './kit/connection.ts';
import { createDatabase } from './kit/database.ts';
import { fixtures, must, orderOf } from './kit/fixtures.ts';
import { startProxy, type Strike } from './kit/proxy.ts';
import { startTestService } from './kit/service.ts';

const database = await createDatabase();
const proxy = await startProxy(database.url);
const service = await startTestService({ database, url: proxy.url });
after(() => proxy.close());
const make = fixtures(service);

const inDatabase = <T extends pg.QueryResultRow>(sql: string, values?: unknown[]): Promise<T[]> =>
  query<T>(database.adminUrl, sql, values);

const AT_COMMIT: Record<'before' | 'after', Strike> = {
  before: { statement: 'commit', message: 'Execute', share: 'none', fault: 'cut' },
  after: { statement: 'commit', message: 'ReadyForQuery', share: 'none', fault: 'cut' },
};

for (const when of ['before', 'after'] as const) {
  test(`the connection breaks ${when} COMMIT of a shipment reached the server: stock is deducted once, the walk recorded once`, async () => {
    const { channel, variant, sku } = await make.setting(10);
    const order = orderOf([{ sku, quantity: 4, unit_price: 1 }]);
    const { id } = await must(channel.call('POST', '/orders', order), 201);
    const struck = proxy.strike(AT_COMMIT[when]);
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

test('COMMIT of a change by hand gets no answer: 200 if it is stored, 503 if it is not, and never both', async () => {
  const { variant } = await make.setting(10);
  const adjust = (delta: number) =>
    service.admin('POST', `/stock/${variant.code}/adjustments`, { delta, reason: 'found' });
  const at = (when: 'before' | 'after') => proxy.strike({ ...AT_COMMIT[when], connection: 'sluice' });
  const [lost] = await Promise.all([adjust(5), at('before')]);
  assert.equal(lost.status, 503, lost.text);
  assert.match(lost.json.error, /Please send it again/);
  assert.equal((await make.stock(variant)).quantity, 10);
  const [stored] = await Promise.all([adjust(5), at('after')]);
  assert.equal(stored.status, 200, stored.text);
  assert.equal(stored.json.data.quantity, 15);
  assert.equal((await make.stock(variant)).quantity, 15);
});

test('and when nobody can tell, because the database stays away: 503 that says so', async () => {
  const { variant } = await make.setting(10);
  const struck = proxy.strike({ ...AT_COMMIT.after, connection: 'sluice' }).then(() => proxy.cut());
  const change = { delta: 5, reason: 'found' };
  const [answer] = await Promise.all([
    service.admin('POST', `/stock/${variant.code}/adjustments`, change),
    struck,
  ]);
  proxy.restore();
  assert.equal(answer.status, 503, answer.text);
  assert.match(answer.json.error, /may have been stored or not\. Look before/);
  await until(async () => (await service.admin('GET', '/channels')).status === 200, 'the database is back');
  assert.equal((await make.stock(variant)).quantity, 15);
});

test('the connection breaks while the batch reads: it simply runs again', async () => {
  const { channel, sku } = await make.setting(10);
  const struck = proxy.strike({
    statement: 'gate_lock_stock',
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

test('every backend is killed under load: each order is answered, and is there exactly if it was taken', async () => {
  const { channel, variant, sku } = await make.setting(100_000);
  let killing = true;
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
      // 503: unknown to the client; sending it again settles it.
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

test('while the database is away: 503 with Retry-After in the error shape, /readyz too, back by itself', async () => {
  const { channel, sku } = await make.setting(10);
  proxy.cut();
  const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
  const answers = await Promise.all([
    channel.call('POST', '/orders', order),
    channel.call('GET', '/inventory'),
    channel.call('GET', `/inventory/${sku}`),
    service.admin('GET', '/channels'),
    fetch(`${service.origin}/readyz`).then(async (r) => ({
      status: r.status,
      json: await r.json(),
      headers: r.headers,
    })),
  ]);
  for (const answer of answers) {
    assert.equal(answer.status, 503);
    assert.deepEqual(Object.keys(answer.json as object), ['error']);
    assert.ok(Number(answer.headers.get('retry-after')) >= 1);
  }
  assert.equal((await fetch(`${service.origin}/healthz`)).status, 200);
  proxy.restore();
  const again = await channel.call('POST', '/orders', order);
  assert.ok(again.status === 201, again.text);
  assert.equal((await fetch(`${service.origin}/readyz`)).status, 200);
});
