import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spawnService, temporaryDirectory } from './kit/process.ts';
import { ADMIN_TOKEN } from './kit/service.ts';

test('npm run demo: seeds, sends traffic that is taken, and stops with its database when told to', async () => {
  const directory = await temporaryDirectory();
  const env = { SLUICE_DATA_DIR: directory.path, SLUICE_ADMIN_TOKEN: ADMIN_TOKEN };
  const demo = await spawnService(env, ['npm', 'run', '--silent', 'demo']);
  try {
    assert.equal(await demo.ready(), true, demo.output());
    await demo.printed('orders: taken');
    const orders = (await demo.admin('GET', '/orders')).json.data as { local_currency_code: string }[];
    assert.ok(orders.length > 0);
    assert.equal((await demo.admin('GET', '/reconcile')).json.data.ok, true);
  } finally {
    await demo.stop();
    await directory.remove();
  }
  assert.deepEqual(await demo.ended, { code: 0, signal: null }, demo.output());
});
