// decide() against the naive model: random commands, batch by batch, every outcome and every number.
import { test } from 'node:test';
import { runOnRules } from '../verify/fuzz/gate/rules.ts';
import { assertRuns } from '../verify/fuzz/gate/runs.ts';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 500);

test('decide agrees with the naive model on every outcome and every number, whatever shares a batch', async () => {
  await assertRuns({ name: 'rules', run: runOnRules }, RUNS);
});

test('however much is promised, normal orders never hold more than the stock they were accepted on', async () => {
  await assertRuns({ name: 'rules', run: runOnRules, isOvercommitted: true }, RUNS);
});
