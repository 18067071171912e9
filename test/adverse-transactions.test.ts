// Long transactions: of other clients, which lock rows that orders need or hold an old snapshot, and of the service itself.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { trimJournal } from '../src/core/journal/store.ts';
import { assertNotNow, lockStockOf, openTransaction, untilMeasured } from './kit/adverse.ts';
import { until } from '../verify/kit/until.ts';
import { query } from '../verify/kit/connection.ts';
import { fixtures, must, orderOf } from '../verify/kit/fixtures.ts';
import { onDatabase, spawnService } from '../verify/kit/process.ts';
import { startTestService } from '../verify/kit/service.ts';

const TIMEOUTS = {
  SLUICE_STATEMENT_TIMEOUT_MS: '4000',
  SLUICE_LOCK_TIMEOUT_MS: '2000',
  SLUICE_IDLE_TRANSACTION_TIMEOUT_MS: '1500',
  SLUICE_RETRY_TIMEOUT_MS: '1000',
};
const service = await startTestService({ env: TIMEOUTS });
const { database } = service;
const { pool } = service.service.services;
const make = fixtures(service);

test('another client locks rows: orders that need them get 503, /readyz stays 200, a metric reports it, the log names its process', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const others = await make.setting(10);
  const other = await openTransaction(database.adminUrl, lockStockOf(variant.code));
  const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
  const answers = [channel.call('POST', '/orders', order), make.available(channel, sku)] as const;
  await untilMeasured(service.origin, 'blocked');
  assert.equal((await fetch(`${service.origin}/readyz`)).status, 200);
  assert.equal(await answers[1], 10, 'reads do not wait');
  assertNotNow(await answers[0]);
  assert.equal(
    (await fetch(`${service.origin}/readyz`)).status,
    200,
    '/readyz stays 200 after a lock timeout too',
  );
  const metrics = await (await fetch(`${service.origin}/metrics`)).text();
  assert.match(
    metrics,
    /^sluice_batch_retries_total\{reason="conflict"\} /m,
    'the wait for the lock was not bounded',
  );
  const logged = service.log.find(({ state }) => state === 'blocked');
  assert.deepEqual(logged?.['blockers'], [{ pid: other.pid, application_name: 'somebody else' }]);
  const refused = service.log.filter(({ msg }) => msg === 'refusing requests with 503');
  assert.deepEqual(new Set(refused.map(({ reason }) => reason)), new Set(['DatabaseUnavailable: blocked']));
  await other.end();
  await untilMeasured(service.origin, 'ready');
  assert.equal((await channel.call('POST', '/orders', order)).status, 201);
  assert.equal((await make.stock(variant)).unshipped, 1);
  assert.equal(await make.available(others.channel, others.sku), 10);
});

test('the rows are released while orders wait: each order is accepted once, without an error', async () => {
  const { channel, variant, sku } = await make.setting(100);
  const other = await openTransaction(database.adminUrl, lockStockOf(variant.code));
  const orders = Array.from({ length: 20 }, () =>
    channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }])),
  );
  await until(
    async () => (await query(database.adminUrl, WAITING_GATES)).length > 0,
    'a batch waits for the row',
  );
  await other.end('commit');
  assert.deepEqual(new Set((await Promise.all(orders)).map(({ status }) => status)), new Set([201]));
  assert.equal((await make.stock(variant)).unshipped, 20);
});

test('the end of locked rows is logged, although nothing asks for the state of the database', async () => {
  const { channel, variant, sku } = await make.setting(1);
  const before = service.log.length;
  const states = () => service.log.slice(before).flatMap(({ state }) => state ?? []);
  const other = await openTransaction(database.adminUrl, lockStockOf(variant.code));
  const answer = channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }]));
  await untilMeasured(service.origin, 'blocked');
  assert.equal(states().at(-1), 'blocked');
  await other.end();
  await must(answer, 201, 503);
  await until(() => states().at(-1) === 'ready', 'its end is logged');
});

const WAITING_GATES = `select 1 from pg_stat_activity
  where application_name = 'sluice-gate' and datname = current_database() and wait_event_type = 'Lock'`;

test('a change that commits late appears in the stock list even if the journal was trimmed meanwhile', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const listed = async (): Promise<number> => {
    const answer = await channel.call('GET', '/inventory');
    return answer.json.data.find((row: { sku: string }) => row.sku === sku).quantity as number;
  };
  assert.equal(await listed(), 10);
  const ofVariant = `(select id from variant where code = '${variant.code}')`;
  const late = await openTransaction(
    database.adminUrl,
    `insert into change_journal (variant_ids) values (array[${ofVariant}])`,
    `update stock set quantity = quantity + 7 where variant_id = ${ofVariant}`,
    `insert into stock_movement (variant_id, delta, quantity_after, kind, actor, reason)
     values (${ofVariant}, 7, 17, 'adjustment', 'test', 'late')`,
  );
  // A read-only transaction that keeps an old snapshot open.
  const reader = await openTransaction(
    database.adminUrl,
    'set transaction isolation level repeatable read',
    'select 1 from stock',
  );
  const others = await make.setting(10);
  const order = orderOf([{ sku: others.sku, quantity: 1, unit_price: 1 }]);
  await must(others.channel.call('POST', '/orders', order), 201);
  assert.equal(await listed(), 10);
  assert.ok((await trimJournal(pool, 0)) > 0, 'nothing was trimmed');
  assert.equal(await listed(), 10);
  await late.end('commit');
  // Its journal row is old already when it becomes visible: it is trimmed before any read.
  assert.ok((await trimJournal(pool, 0)) > 0, 'its row was not trimmed');
  assert.equal(await listed(), 17);
  await reader.end();
});

test('a process is suspended in a transaction: the database ends it, others continue, the process recovers when resumed', async () => {
  const env = {
    ...TIMEOUTS,
    ...onDatabase(database.url),
    SLUICE_RETRY_TIMEOUT_MS: '8000',
  };
  const other = await spawnService(env);
  after(() => other.stop());
  assert.equal(await other.ready(), true, other.output());
  const { channel, variant, sku } = await make.setting(1_000);
  // Sends orders until the process is suspended with an open transaction, which is idle between two round trips.
  const send = () =>
    fetch(`${other.origin}/api/v1/orders`, {
      method: 'POST',
      headers: { 'x-api-key': channel.api_key, 'content-type': 'application/json' },
      body: JSON.stringify(orderOf([{ sku, quantity: 1, unit_price: 1 }])),
    }).then(({ status }) => status);
  const statuses: Promise<number>[] = [];
  const IDLE = `select pid from pg_stat_activity where application_name = 'sluice-gate'
    and datname = current_database() and state = 'idle in transaction'`;
  await until(async () => {
    other.child.kill('SIGCONT');
    statuses.push(...Array.from({ length: 4 }, send));
    await Promise.race(statuses.slice(-4));
    statuses.push(...Array.from({ length: 4 }, send));
    await new Promise((resolve) => {
      setTimeout(resolve, Math.random() * 10);
    });
    other.child.kill('SIGSTOP');
    return (await query(database.adminUrl, IDLE)).length > 0;
  }, 'the process is suspended with an open transaction');
  const mine = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
  let answer = await channel.call('POST', '/orders', mine);
  while (answer.status === 503) answer = await channel.call('POST', '/orders', mine);
  assert.equal(answer.status, 201, answer.text);
  other.child.kill('SIGCONT');
  const answered = await Promise.all(statuses);
  assert.deepEqual(new Set(answered), new Set([201]));
  assert.equal((await make.stock(variant)).unshipped, answered.length + 1);
});
