// The gate on a real database against the naive model: random interleaved commands of several channels,
// administrators in between, every visible number compared after each step.
import { test } from 'node:test';
import { reconciled, runOnDatabase } from '../fuzz/gate/database.ts';
import { assertRuns } from '../fuzz/gate/runs.ts';
import type { Group } from '../fuzz/gate/steps.ts';
import { startTestService } from './kit/service.ts';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 8);

const service = await startTestService();

test('the gate agrees with the naive model on every answer and every number, step by step', async () => {
  const run = async (groups: readonly Group[]) => {
    await runOnDatabase(service, groups);
    await reconciled(service);
  };
  await assertRuns({ name: 'gate', run }, RUNS);
});
