// Documents cite tests as `file` "title"; this checks that each exists under its whole title, once, and is neither
// commented out nor always skipped. Whether it tests what the row says, only a reader can judge.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const ROOT = new URL('../../', import.meta.url);

export const readFromRoot = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

const titlesByFile = new Map<string, string[]>();

/** At the beginning of a line, so that none is commented out, and not one that never runs. */
const TITLE =
  /^[ \t]*(?:await )?(?:t\.)?(?:describe|test)\(\s*(['"`])((?:\\.|(?!\1).)*)\1(?!,\s*\{[^}]*\b(?:skip|todo): *(?:true|['"`]))/gms;

/** Titles of tests and suites. Template titles keep their `${…}`. */
function titlesOf(file: string): string[] {
  const known = titlesByFile.get(file);
  if (known) return known;
  const titles = [...readFromRoot(file).matchAll(TITLE)].map(([, , title = '']) =>
    title.replaceAll("\\'", "'"),
  );
  titlesByFile.set(file, titles);
  return titles;
}

const isTitle = (title: string, name: string): boolean =>
  title === name || (title.includes('${') && title.includes(name));

/** Checks every test that a table row cites by its whole title; of a template title, a part without `${…}` is sufficient. */
export function assertNamesTests(row: string): void {
  const named = [...row.matchAll(/`(test\/[\w/-]+\.test\.ts)` "(.+?)"(?=<br>| \||$|,? `)/g)];
  assert.ok(named.length > 0, `no test in: ${row}`);
  for (const [, file = '', name = ''] of named)
    assert.equal(
      titlesOf(file).filter((title) => isTitle(title, name)).length,
      1,
      `${file} has not exactly one test "${name}" that runs`,
    );
}
