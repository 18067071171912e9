// A server in recovery answers, but the service does not use it until it is promoted.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createPool } from '../src/platform/database/connections.ts';
import { InRecovery } from '../src/platform/database/failures.ts';
import { SERVICE_ROLE } from '../src/platform/embedded-postgres/roles.ts';
import { startEmbedded } from '../src/platform/embedded-postgres/server.ts';
import { migrate } from '../src/platform/database/migrations.ts';
import { PipelinedConnection } from '../src/platform/database/pipelined-connection.ts';
import { copyCluster } from '../verify/kit/cluster.ts';
import { query } from '../verify/kit/connection.ts';
import { databaseOf } from '../verify/kit/database.ts';
import { fixtures, must, orderOf } from '../verify/kit/fixtures.ts';
import { temporaryDirectory } from '../verify/kit/process.ts';
import { startTestService } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';

const directory = await temporaryDirectory();
await copyCluster(directory.path);
const startServer = () =>
  startEmbedded({
    dataDir: directory.path,
    log: { info: () => {}, warn: () => {} },
    settings: { shared_buffers: '16MB' },
  });
const primary = await startServer();
await migrate(primary.ownerUrl, SERVICE_ROLE);
await primary.stop();
await writeFile(join(directory.path, 'postgres', 'standby.signal'), '');
const standby = await startServer();
const service = await startTestService({
  database: databaseOf(standby),
  env: { SLUICE_RETRY_TIMEOUT_MS: '500' },
});
after(async () => {
  await standby.stop();
  await directory.remove();
});

test('every kind of connection refuses a standby immediately; after its promotion the service works without a restart', async () => {
  const session = new PipelinedConnection(standby.url, 'sluice-test');
  await assert.rejects(session.get(), InRecovery);
  const pool = createPool(standby.url);
  await assert.rejects(pool.query('select 1'), InRecovery);
  assert.equal(pool.totalCount, 0);
  await pool.end();

  const readiness = await fetch(`${service.origin}/readyz`);
  assert.equal(readiness.status, 503);
  assert.deepEqual(await readiness.json(), { error: 'The database is in recovery.' });
  assert.equal((await service.admin('GET', '/channels')).status, 503);

  await query(standby.adminUrl, 'select pg_promote()');
  await until(async () => (await fetch(`${service.origin}/readyz`)).status === 200, 'the service is ready');
  await session.get();
  await session.close();
  const { channel, sku } = await fixtures(service).setting(5);
  await must(channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }])), 201);
});
