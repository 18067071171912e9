// A database that answers but accepts no writes: read-only, then a standby, then promoted.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertNotNow, untilReady, untilState } from './kit/adverse.ts';
import { until } from '../verify/kit/until.ts';
import { query } from '../verify/kit/connection.ts';
import { fixtures, orderOf } from '../verify/kit/fixtures.ts';
import { startOwnServer } from '../verify/kit/server.ts';
import { startTestService } from '../verify/kit/service.ts';

const server = await startOwnServer();
const { database } = server;
const service = await startTestService({ database, env: { SLUICE_RETRY_TIMEOUT_MS: '3000' } });
after(() => server.remove());
const make = fixtures(service);

async function setReadOnly(value: 'on' | 'off'): Promise<void> {
  // Without this option, the session that resets the setting would be read-only too.
  const url = new URL(database.adminUrl);
  url.searchParams.set('options', '-c default_transaction_read_only=off');
  await query(url.href, `alter system set default_transaction_read_only = ${value}`);
  await query(url.href, 'select pg_reload_conf()');
}

test('read-only database: orders and changes get 503, reads continue, /readyz reports the reason; recovers by itself', async () => {
  const { channel, variant, sku } = await make.setting(100);
  const created = await service.admin('POST', '/tokens', { name: 'reader', role: 'viewer' });
  const signIn = { email: 'nobody@example.com', password: 'not the password' };
  await setReadOnly('on');
  await untilState(service.origin, 'read_only', /The database is read-only/);
  const order = orderOf([{ sku, quantity: 3, unit_price: 1 }]);
  const refused = async (): Promise<number> => {
    const started = performance.now();
    assertNotNow(await channel.call('POST', '/orders', order));
    return performance.now() - started;
  };
  const patience_ms = await refused();
  assert.ok(
    (await refused()) < patience_ms,
    'after a command timed out, the next one does not wait as long again',
  );
  assertNotNow(await service.admin('PUT', `/stock/${variant.code}`, { quantity: 5 }));
  // The last use of a stored token is recorded, and the failures of a sign-in are counted.
  assertNotNow(await service.admin('GET', '/channels', undefined, created.json.data.token));
  assertNotNow(await service.admin('POST', '/session', signIn));
  assert.equal((await service.admin('GET', '/channels')).status, 200);
  assert.equal(await make.available(channel, sku), 100);
  assert.equal((await channel.call('GET', '/inventory')).status, 200);
  await setReadOnly('off');
  await untilReady(service.origin);
  assert.equal((await channel.call('POST', '/orders', order)).status, 201);
  assert.equal((await make.stock(variant)).unshipped, 3);
});

test('after a database crash, older bookmarks get the complete list, because transaction ids may be reused', async () => {
  const { channel, variant } = await make.setting(100);
  const { changes_since } = (await channel.call('GET', '/inventory?limit=5')).json;
  const poll = async () => (await channel.call('GET', `/inventory?changes_since=${changes_since}`)).json;
  assert.equal((await poll()).is_complete, false);
  const [backend] = await query<{ pid: number }>(
    database.adminUrl,
    `select pid from pg_stat_activity where application_name = 'sluice-list'`,
  );
  assert.ok(backend);
  process.kill(backend.pid, 'SIGKILL');
  const eras = () => query(database.adminUrl, 'select from journal_era').catch(() => null);
  await until(async () => (await eras())?.length === 0, 'the server runs again, and a new era can begin');
  await untilReady(service.origin);
  for (const quantity of [101, 102, 103]) await make.setStock(variant, quantity);
  assert.equal((await channel.call('GET', '/inventory?limit=5')).status, 200);
  assert.equal((await poll()).is_complete, true);
});

test('the database returns as a standby: reads get 503 too until it is promoted; acknowledged orders are preserved', async () => {
  const { channel, variant, sku } = await make.setting(100);
  const first = orderOf([{ sku, quantity: 3, unit_price: 1 }]);
  assert.equal((await channel.call('POST', '/orders', first)).status, 201);
  await server.becomeStandby();
  await untilState(service.origin, 'recovery', /The database is in recovery/);
  const order = orderOf([{ sku, quantity: 4, unit_price: 1 }]);
  assertNotNow(await channel.call('POST', '/orders', order));
  // Reads get 503 too, because the data of a standby may be older than earlier responses.
  assertNotNow(await channel.call('GET', `/inventory/${sku}`));
  await query(database.adminUrl, 'select pg_promote()');
  await untilReady(service.origin);
  assert.equal((await channel.call('POST', '/orders', order)).status, 201);
  assert.equal((await channel.call('POST', '/orders', first)).status, 200);
  assert.equal((await make.stock(variant)).unshipped, 7);
});
