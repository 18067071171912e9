// The gate on a real database against the naive model: random interleaved commands of several channels and of
// administrators. Every visible number is compared after each step.
import { test } from 'node:test';
import { runOnDatabase } from '../verify/fuzz/gate/database.ts';
import { assertRuns, type Level } from '../verify/fuzz/gate/runs.ts';
import { startTestService } from '../verify/kit/service.ts';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 8);

const service = await startTestService();

const run: Level['run'] = (groups) => runOnDatabase(service, groups);

test('the gate agrees with the naive model on every response and every number after each step', async () => {
  await assertRuns({ name: 'gate', run }, RUNS);
});

test('whatever the pre-allocations, the gate accepts no normal orders beyond the physical stock', async () => {
  await assertRuns({ name: 'gate', run, isOvercommitted: true }, Math.ceil(RUNS / 2));
});
