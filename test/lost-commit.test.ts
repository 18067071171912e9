// Every way a connection can fail at COMMIT, in both directions: the order is accepted once, answered with 201, and the
// answer matches the stored order. One service per fault, in parallel, because the service waits for a silent
// connection until its timeout.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createDatabase } from '../verify/kit/database.ts';
import { fixtures, orderOf } from '../verify/kit/fixtures.ts';
import { PROXY_FAULTS, startProxy, type ProxyFault, type Share } from '../verify/kit/proxy.ts';
import { startTestService } from '../verify/kit/service.ts';
import type { MessageName } from '../verify/kit/postgres-protocol.ts';

/** The service waits for an answer of the database 2 s longer than the statement timeout. */
const TIMEOUTS = {
  SLUICE_STATEMENT_TIMEOUT_MS: '500',
  SLUICE_LOCK_TIMEOUT_MS: '5000',
  SLUICE_IDLE_TRANSACTION_TIMEOUT_MS: '5000',
};

interface Point {
  message: MessageName;
  share: Share;
  /** Whether silent faults (stall, late) are tried here: each of them takes seconds. */
  silent: boolean;
}

const POINTS: readonly Point[] = [
  { message: 'Bind', share: 'none', silent: false },
  { message: 'Execute', share: 'none', silent: true },
  { message: 'Execute', share: 'half', silent: false },
  { message: 'Execute', share: 'all', silent: true },
  { message: 'Sync', share: 'none', silent: false },
  { message: 'Sync', share: 'all', silent: false },
  { message: 'BindComplete', share: 'none', silent: false },
  { message: 'CommandComplete', share: 'none', silent: true },
  { message: 'CommandComplete', share: 'half', silent: false },
  { message: 'ReadyForQuery', share: 'none', silent: false },
  { message: 'ReadyForQuery', share: 'half', silent: false },
];

async function start(fault: ProxyFault) {
  const database = await createDatabase();
  const proxy = await startProxy(database.url);
  const service = await startTestService({ database, url: proxy.url, env: TIMEOUTS });
  after(async () => {
    await proxy.close();
    await database.drop();
  });
  return { fault, proxy, make: fixtures(service) };
}

const FAULT_NAMES = Object.keys(PROXY_FAULTS) as ProxyFault[];
const services = await Promise.all(FAULT_NAMES.map(start));

test('however the connection fails at COMMIT, the order is accepted once and answered with 201', async () => {
  await Promise.all(
    services.map(async ({ fault, proxy, make }) => {
      const { channel, variant, sku } = await make.setting(1_000);
      let taken = 0;
      for (const { message, share, silent } of POINTS) {
        if (!silent && (fault === 'stall' || fault === 'late')) continue;
        const where = `${fault} at ${message}, ${share} of it forwarded`;
        const order = orderOf([{ sku, quantity: 3, unit_price: 1 }]);
        const struck = proxy.strike({
          connection: 'sluice-gate',
          statement: 'commit',
          message,
          share,
          fault,
        });
        const [answer] = await Promise.all([channel.call('POST', '/orders', order), struck]);
        taken += 3;
        assert.equal(answer.status, 201, `${where}: ${answer.text}`);
        assert.equal((await make.stock(variant)).unshipped, taken, where);
        const resent = await channel.call('POST', '/orders', order);
        assert.equal(resent.status, 200, where);
        assert.deepEqual(resent.json, answer.json, where);
      }
    }),
  );
});
