// Which failed test files `npm test` runs a second time, alone: tools/scripts/test-again.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chooseAgain, dependsOnTime } from '../tools/scripts/test-again.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SUITE = [
  'test/races.test.ts',
  'test/stop.test.ts',
  'test/workers.test.ts',
  'test/demo.test.ts',
  'test/oidc.test.ts',
  'test/domain/money.test.ts',
];

const choose = (...names: string[]) => chooseAgain(names, SUITE, ROOT);

test('up to four failed files that use servers or processes are run again', () => {
  assert.deepEqual(choose('test/stop.test.ts'), { files: ['test/stop.test.ts'] });
  assert.deepEqual(choose('test/stop.test.ts', 'test/stop.test.ts', 'test/races.test.ts'), {
    files: ['test/stop.test.ts', 'test/races.test.ts'],
  });
  assert.deepEqual(choose(...SUITE.slice(0, 4)), { files: SUITE.slice(0, 4) });
});

test('nothing is run again if more than four files, files of another kind or unknown files failed', () => {
  assert.deepEqual(choose(...SUITE.slice(0, 5)).files, []);
  assert.deepEqual(choose('test/stop.test.ts', 'test/domain/money.test.ts').files, []);
  assert.deepEqual(choose('test/stop.test.ts', 'worker-1.mjs').files, []);
  assert.deepEqual(choose('test/stop.test.ts', 'Error: stray').files, []);
  assert.deepEqual(choose().files, []);
  assert.deepEqual(chooseAgain(['test/stop.test.ts'], ['test/stop.test.ts'], ROOT).files, []);
});

test('a test file that depends on time is recognized by the helpers that it imports', () => {
  const timed = ['stop', 'races', 'cli-user', 'console-stock', 'database', 'embedded', 'gzip'];
  for (const name of timed) assert.equal(dependsOnTime(`test/${name}.test.ts`, ROOT), true, name);
  const timeless = ['domain/money', 'decide', 'architecture', 'set-product', 'glossary'];
  for (const name of timeless) assert.equal(dependsOnTime(`test/${name}.test.ts`, ROOT), false, name);
});
