// Concurrent clients at two services over one database: for each SKU, all their responses fit one order of events. The
// long form is `npm run fuzz:history`.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newSeed } from '../verify/kit/command-line.ts';
import { findViolation, HistoryTally } from '../verify/fuzz/history/judge.ts';
import { createPool } from '../src/platform/database/connections.ts';
import { reconcile } from '../src/core/reconcile/store.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { onDatabase, spawnService } from '../verify/kit/process.ts';

const ROUNDS = 8;
const CLIENTS = 6;

const database = await createDatabase();
const env = {
  ...onDatabase(database.url),
  SLUICE_JOBS: '0',
};
// A service with one process, and a service with two workers.
const services = await Promise.all([spawnService(env), spawnService({ ...env, SLUICE_WORKERS: '2' })]);
after(async () => {
  await Promise.all(services.map((service) => service.stop()));
  await database.drop();
});

test('orders, resends, reports, expiries, lookups and lists at several processes and workers are linearizable for every SKU', async () => {
  for (const service of services) assert.ok(await service.ready(), service.output());
  const seed = newSeed();
  const progress = new HistoryTally();
  const origins = services.map(({ origin }) => origin);
  const plan = { origins, database, seed, clients: CLIENTS };
  const violation = await findViolation(plan, progress, () => progress.rounds < ROUNDS);
  assert.equal(violation, null, `seed ${seed}: ${violation}`);
  const pool = createPool(database.url);
  const { drift } = await reconcile(pool);
  await pool.end();
  assert.deepEqual(drift, []);
});
