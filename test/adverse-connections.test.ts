// The database accepts no more connections: while the service runs, and when it starts.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertNotNow, untilReady, untilState } from './kit/adverse.ts';
import { until } from '../verify/kit/until.ts';
import { query } from '../verify/kit/connection.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { fixtures, orderOf } from '../verify/kit/fixtures.ts';
import { onDatabase, spawnService } from '../verify/kit/process.ts';
import { startTestService } from '../verify/kit/service.ts';

const database = await createDatabase();
after(() => database.drop());
const service = await startTestService({ database, env: { SLUICE_RETRY_TIMEOUT_MS: '1000' } });
const make = fixtures(service);
const name = new URL(database.url).pathname.slice(1);

/** Applies to all roles except the superuser; -1: no limit. */
const limitConnections = (count: number) =>
  query(database.adminUrl, `alter database ${name} connection limit ${count}`);

/** Terminates connections and waits until they have ended, because until then they count against the limit. */
async function endConnections(of: string): Promise<void> {
  const where = `datname = current_database() and application_name like '${of}'`;
  await query(database.adminUrl, `select pg_terminate_backend(pid) from pg_stat_activity where ${where}`);
  await until(
    async () =>
      (await query(database.adminUrl, `select 1 from pg_stat_activity where ${where}`)).length === 0,
    `no connection of ${of} is left`,
  );
}

test('no connections available: 503 and the reason in /readyz; recovers by itself, without lost or duplicate orders', async () => {
  const { channel, variant, sku } = await make.setting(100);
  await limitConnections(0);
  await endConnections('sluice%');
  const order = orderOf([{ sku, quantity: 3, unit_price: 1 }]);
  const answers = [
    channel.call('POST', '/orders', order),
    channel.call('GET', '/inventory'),
    channel.call('GET', `/inventory/${sku}`),
    service.admin('GET', '/channels'),
  ];
  await untilState(service.origin, 'connections', /accepts no more connections/);
  for (const answer of await Promise.all(answers)) assertNotNow(answer);
  await limitConnections(-1);
  await untilReady(service.origin);
  assert.equal((await channel.call('POST', '/orders', order)).status, 201);
  assert.equal((await make.stock(variant)).unshipped, 3);
});

test('no new connections available: open ones keep working, requests that need a new one get 503, /readyz reports it', async () => {
  const { channel, sku } = await make.setting(100);
  assert.equal(await make.available(channel, sku), 100);
  await limitConnections(0);
  await endConnections('sluice');
  const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
  assert.equal((await channel.call('POST', '/orders', order)).status, 201);
  assertNotNow(await service.admin('GET', '/channels'));
  await untilState(service.origin, 'connections', /accepts no more connections/);
  await limitConnections(-1);
  await untilReady(service.origin);
  assert.equal((await service.admin('GET', '/channels')).status, 200);
});

test('start without enough connections: one clear message and exit code 1, with a limit of 0 and of 1', async () => {
  const empty = await createDatabase();
  const db = new URL(empty.url).pathname.slice(1);
  const start = async (): Promise<string> => {
    const process = await spawnService(onDatabase(empty.url));
    assert.equal(await process.ready(), false, 'the service started');
    assert.equal((await process.ended).code, 1);
    return process.output();
  };
  await query(empty.adminUrl, `alter database ${db} connection limit 0`);
  assert.match(await start(), /^Sluice cannot start\. .*too many connections/m);
  // One connection is enough to inspect and migrate; then the listening connection uses it.
  await query(empty.adminUrl, `alter database ${db} connection limit 1`);
  const text = await start();
  assert.match(text, /^Sluice cannot start\. The database accepts no more connections\.$/m);
  await empty.drop();
});
