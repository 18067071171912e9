// PostgreSQL is shut down and restarted under load, for less time than SLUICE_RETRY_TIMEOUT_MS. No request may fail.
// OUTAGE_MS=6000 makes it longer.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../verify/kit/until.ts';
import { query } from '../verify/kit/connection.ts';
import { fixtures, must, orderOf } from '../verify/kit/fixtures.ts';
import { atRate } from '../verify/kit/rate.ts';
import { startOwnServer } from '../verify/kit/server.ts';
import { PATIENT, startTestService, type HttpAnswer } from '../verify/kit/service.ts';

const OUTAGE_MS = Number(process.env['OUTAGE_MS'] ?? 2_500);
const ORDERS_PER_SECOND = 50;

const server = await startOwnServer();
const { database } = server;
// On a loaded machine a restart can take long, and the service must wait longer than the outage.
const service = await startTestService({ database, env: PATIENT });
after(() => server.remove());
const make = fixtures(service);

test('PostgreSQL is restarted under 50 orders/s: every request is answered, none 503', async () => {
  const { channel, variant, sku } = await make.setting(1_000_000);
  const counted = await make.variant(0);
  const { token } = await must(service.admin('POST', '/tokens', { name: 'desk', role: 'operator' }), 201);
  const admin = (method: string, path: string, body?: unknown) => service.admin(method, path, body, token);
  const shipped = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
  await must(channel.call('POST', '/orders', shipped), 201);

  const ending = new AbortController();
  after(() => ending.abort());
  const { signal } = ending;
  const times: number[] = [];
  /** Answered so far, by kind. */
  const answered = new Map<string, number>();
  const timed = async (kind: string, answer: Promise<HttpAnswer>): Promise<number> => {
    const started = performance.now();
    const { status } = await answer;
    times.push(performance.now() - started);
    answered.set(kind, (answered.get(kind) ?? 0) + 1);
    return status;
  };
  const order = () => channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }]));
  const report = { status: 2 };
  const load = {
    orders: atRate(ORDERS_PER_SECOND, signal, () => timed('orders', order())),
    lookups: atRate(20, signal, () => timed('lookups', channel.call('GET', `/inventory/${sku}`))),
    bulk: atRate(5, signal, () => timed('bulk', channel.call('POST', '/inventory/lookup', { skus: [sku] }))),
    lists: atRate(5, signal, () => timed('lists', channel.call('GET', '/inventory'))),
    reports: atRate(10, signal, () =>
      timed('reports', channel.call('POST', `/orders/${shipped.order_number}/status`, report)),
    ),
    // At most as many as may wait, however long the restart takes.
    reads: atRate(4, signal, () => timed('reads', admin('GET', '/channels'))),
    writes: atRate(10, signal, () =>
      timed('writes', admin('POST', `/stock/${counted.code}/adjustments`, { delta: 1, reason: 'found' })),
    ),
  };
  const kinds = Object.keys(load);
  const moreOfAll = async (what: string): Promise<void> => {
    const before = new Map(answered);
    await until(
      () => kinds.every((kind) => (answered.get(kind) ?? 0) > (before.get(kind) ?? 0)),
      `an answer of every kind ${what}`,
    );
  };
  await moreOfAll('before the outage');
  await server.shutDown();
  // The length of the outage is the subject.
  await sleep(OUTAGE_MS);
  await server.startAgain();
  await until(
    () =>
      query(database.url, 'select 1').then(
        () => true,
        () => false,
      ),
    'PostgreSQL accepts connections',
  );
  await moreOfAll('after the outage');
  ending.abort();

  const statuses: Record<string, Record<number, number>> = {};
  for (const [kind, answers] of Object.entries(load)) {
    const counts: Record<number, number> = (statuses[kind] = {});
    for (const status of await answers) counts[status] = (counts[status] ?? 0) + 1;
  }
  const sent = (kind: string) => Object.values(statuses[kind] ?? {}).reduce((sum, n) => sum + n, 0);
  assert.deepEqual(statuses, {
    orders: { 201: sent('orders') },
    lookups: { 200: sent('lookups') },
    bulk: { 200: sent('bulk') },
    lists: { 200: sent('lists') },
    reports: { 200: sent('reports') },
    reads: { 200: sent('reads') },
    writes: { 200: sent('writes') },
  });
  assert.ok(Math.max(...times) > OUTAGE_MS / 2, 'no request was in flight during the outage');
  assert.equal((await make.stock(variant)).unshipped, sent('orders') + 1);
  assert.equal((await make.stock(counted)).quantity, sent('writes'), 'each change is made exactly once');
});
