// Synchronous standbys: an order that only the primary has is never acknowledged, even if a crash has made it visible.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { SERVICE_ROLE } from '../src/platform/embedded-postgres/roles.ts';
import { startEmbedded } from '../src/platform/embedded-postgres/server.ts';
import { migrate } from '../src/platform/database/migrations.ts';
import { copyCluster } from '../verify/kit/cluster.ts';
import { connected, query } from '../verify/kit/connection.ts';
import { databaseOf } from '../verify/kit/database.ts';
import { fixtures, must, orderOf } from '../verify/kit/fixtures.ts';
import { temporaryDirectory } from '../verify/kit/process.ts';
import { startTestService } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';

const directory = await temporaryDirectory();
await copyCluster(directory.path);
const server = await startEmbedded({
  dataDir: directory.path,
  log: { info: () => {}, warn: () => {} },
  settings: { shared_buffers: '16MB' },
});
await migrate(server.ownerUrl, SERVICE_ROLE);
const service = await startTestService({
  database: databaseOf(server),
});
after(async () => {
  await server.stop();
  await directory.remove();
});

const requireStandbys = (names: string): Promise<void> =>
  connected(server.adminUrl, async (client) => {
    await client.query(`alter system set synchronous_standby_names = '${names}'`);
    await client.query('select pg_reload_conf()');
  });
/** The gate's backends whose COMMIT waits for a standby; none while the server recovers from the crash. */
const waitingForStandby = async (): Promise<number[]> => {
  const rows = await query(
    server.adminUrl,
    `select pid from pg_stat_activity where wait_event = 'SyncRep' and application_name = 'sluice-gate'`,
  ).catch(() => []);
  return rows.map(({ pid }) => Number(pid));
};

test('an order is not acknowledged before a standby has it, not even after a crash of the primary', async () => {
  const make = fixtures(service);
  const { channel, variant, sku } = await make.setting(10_000);
  const send = () => {
    const order = orderOf([{ sku, quantity: 4, unit_price: 1 }]);
    const sent = { order, answer: channel.call('POST', '/orders', order), answered: false };
    sent.answer.finally(() => (sent.answered = true)).catch(() => {});
    return sent;
  };
  // The first batch on a connection waits for the standbys before it writes anything.
  await must(send().answer, 201);
  await requireStandbys('nowhere');
  let sent = send();
  let orders = 2;
  let waiting: number[] = [];
  await until(async () => {
    // The server reloads its settings asynchronously; an order before that is answered.
    if (sent.answered) {
      sent = send();
      orders += 1;
    }
    waiting = await waitingForStandby();
    return waiting.length > 0;
  }, 'an order waits for a standby');
  // All backends end, the server recovers, and everything written before is visible.
  process.kill(waiting[0] ?? 0, 'SIGKILL');
  const isSentAgain = async (): Promise<boolean> =>
    (await waitingForStandby()).some((pid) => !waiting.includes(pid));
  await until(async () => sent.answered || (await isSentAgain()), 'the order is sent again');
  assert.equal(sent.answered, false, 'the order was answered while no standby had it');
  const { order } = sent;
  const stored = await query(server.url, 'select from orders where order_number = $1', [order.order_number]);
  assert.equal(stored.length, 1, 'the order is visible');

  await requireStandbys('');
  let answer = await sent.answer;
  // On a slow machine the gate may have timed out meanwhile.
  while (answer.status === 503) answer = await channel.call('POST', '/orders', order);
  assert.ok([200, 201].includes(answer.status), answer.text);
  assert.equal((await make.stock(variant)).unshipped, 4 * orders);
});
