// decide() against the naive model: random commands in batches, every outcome and every number compared.
import { test } from 'node:test';
import { runOnRules } from '../verify/fuzz/gate/rules.ts';
import { assertRuns } from '../verify/fuzz/gate/runs.ts';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 500);

test('decide agrees with the naive model on every outcome and every number, for any composition of a batch', async () => {
  await assertRuns({ name: 'rules', run: runOnRules }, RUNS);
});

test('whatever the pre-allocations, normal orders never exceed the physical stock at their acceptance', async () => {
  await assertRuns({ name: 'rules', run: runOnRules, isOvercommitted: true }, RUNS);
});
