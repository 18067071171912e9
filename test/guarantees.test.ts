// docs/guarantees.md names tests: each of them has to be there, under that name.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

const rows = read('docs/guarantees.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (promise|command|`npm run)/.test(line));

test('every promise names a test that exists', () => {
  assert.ok(rows.length > 30);
  for (const row of rows) {
    const named = [...row.matchAll(/`(test\/[\w/-]+\.test\.ts)` "([^"]+)"/g)];
    assert.ok(named.length > 0, `no test in: ${row}`);
    for (const [, file = '', name = ''] of named) {
      const source = read(file).replaceAll("\\'", "'");
      assert.ok(source.includes(name), `${file} has no test "${name}"`);
    }
  }
});
