// Documents cite tests as `file` "title"; this checks that they exist.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const ROOT = new URL('../../', import.meta.url);

export const readFromRoot = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

const titlesByFile = new Map<string, string[]>();

/** Titles of tests and suites. Template titles keep their `${…}`. */
function titlesOf(file: string): string[] {
  const known = titlesByFile.get(file);
  if (known) return known;
  const calls = readFromRoot(file).matchAll(/\b(?:describe|test)\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs);
  const titles = [...calls].map(([, , title = '']) => title.replaceAll("\\'", "'"));
  titlesByFile.set(file, titles);
  return titles;
}

/** Checks every test that a table row cites; of a template title, a part without `${…}` is sufficient. */
export function assertNamesTests(row: string): void {
  const named = [...row.matchAll(/`(test\/[\w/-]+\.test\.ts)` "(.+?)"(?=<br>| \||$|,? `)/g)];
  assert.ok(named.length > 0, `no test in: ${row}`);
  for (const [, file = '', name = ''] of named)
    assert.ok(
      titlesOf(file).some((title) => title.includes(name)),
      `${file} has no test "${name}"`,
    );
}
