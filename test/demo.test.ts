import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import { test } from 'node:test';
import { resetData } from '../tools/demo/reset.ts';
import { copyCluster } from '../verify/kit/cluster.ts';
import { spawnService, temporaryDirectory, type ServiceProcess } from '../verify/kit/process.ts';
import { sluice } from './cli-run.ts';
import { ADMIN_TOKEN } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';

const COMMAND = ['npm', 'run', '--silent', 'demo'];

async function untilSelling(demo: ServiceProcess): Promise<void> {
  assert.equal(await demo.ready(), true, demo.output());
  await demo.printed('orders: accepted');
}

const ordersOf = async (demo: ServiceProcess) =>
  (await demo.admin('GET', '/orders?limit=500')).json.data as {
    status: number;
    local_currency_code: string;
    order_number: string;
  }[];

/** More customers than those of the opening, who come at once. */
const OPENING = 100;
const isLater = ({ order_number }: { order_number: string }): boolean =>
  Number(order_number.split('-').at(-1)) > OPENING;

test('npm run demo: orders in every state, product information, a clean stop, and the next start continues', async () => {
  const directory = await temporaryDirectory();
  await copyCluster(directory.path);
  const env = { SLUICE_DATA_DIR: directory.path, SLUICE_ADMIN_TOKEN: ADMIN_TOKEN };
  let demo = await spawnService(env, COMMAND);
  try {
    await untilSelling(demo);
    const seen = new Set<number | string>();
    // Collected over time: on a slow machine they may not all exist at the same moment.
    await until(async () => {
      for (const { status, local_currency_code } of await ordersOf(demo))
        seen.add(status).add(local_currency_code);
      return [1, 3, 88, 'KRW', 'JPY', 'USD'].every((one) => seen.has(one));
    }, 'orders in every state and currency');
    await until(async () => (await ordersOf(demo)).some(isLater), 'an order of a customer after the opening');
    const { length } = await ordersOf(demo);

    const [shop] = (await demo.admin('GET', '/channels')).json.data as { id: number }[];
    const pull = (path: string, usercode: string) =>
      demo.admin('POST', `/channels/${shop?.id}/product-info${path}`, { usercode });
    assert.equal((await pull('', 'TWIN1M')).json.data.errors.length, 1);
    assert.equal((await pull('/apply', 'LUNA1M')).status, 200);

    assert.match(demo.output(), /e-mail +admin@localhost\n +password +\S+/);
    assert.equal((await demo.admin('GET', '/reconcile')).json.data.ok, true);
    assert.match(demo.output(), /violations 0/);
    demo.signal('SIGINT');
    assert.deepEqual(await demo.ended, { code: 0, signal: null }, demo.output());
    await assert.rejects(fetch(`${demo.origin}/readyz`), 'the service of the demo still runs');

    demo = await spawnService(env, COMMAND);
    await untilSelling(demo);
    assert.ok((await ordersOf(demo)).length > length);
    await assert.rejects(resetData(directory.path), /a database server runs on it/);
    await demo.stop();
    assert.deepEqual(await demo.ended, { code: 0, signal: null }, demo.output());
    await resetData(directory.path);
    await assert.rejects(access(directory.path));
  } finally {
    await demo.stop();
    await directory.remove();
  }
});

test('npm run demo refuses a database that is not its own', async () => {
  for (const name of ['DATABASE_URL', 'DATABASE_URL_FILE']) {
    const { code, stderr } = await sluice([], {
      command: COMMAND,
      env: { [name]: '/run/secrets/production' },
    });
    assert.equal(code, 2);
    assert.match(stderr, new RegExp(`^The demo has a database of its own.* unset ${name}\\.\n$`));
  }
});
