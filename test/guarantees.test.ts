// Every test that docs/guarantees.md names must exist under that name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertNamesTests, readFromRoot } from './kit/named-tests.ts';

const rows = readFromRoot('docs/guarantees.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (guarantee|command|`npm run)/.test(line));

test('every guarantee names a test that exists', () => {
  assert.ok(rows.length > 30);
  for (const row of rows) assertNamesTests(row);
});
