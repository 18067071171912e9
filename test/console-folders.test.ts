// The folder of a screen brings all of it: its line in console/src/screens/index.ts is the only other place that names it.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const CONSOLE = fileURLToPath(new URL('../console/src', import.meta.url));
const LIST = 'screens/index.ts';

const textOf = (file: string): string => readFileSync(join(CONSOLE, file), 'utf8');
const sources = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' })
  .map((file) => file.split(sep).join('/'))
  .filter((file) => /\.tsx?$/.test(file));
const folders = readdirSync(join(CONSOLE, 'screens'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .toSorted();

/** The screens of which another one shows a part. This list only becomes shorter. */
const BORROWED = [
  'audit → alerts', // the names of kinds of alerts
  'audit → webhooks', // the names of events
  'orders → refusals', // the kinds of late reports
  'refusals → mappings', // maps the SKU of a refused order
  'stock → allocations', // what a count overcommits
];

const folderOf = (file: string): string | null => /^screens\/([^/]+)\//.exec(file)?.[1] ?? null;

test('each folder of screens has one value and one line in the list', () => {
  assert.ok(folders.length > 20, 'the screens were not found');
  assert.deepEqual(
    folders.filter((folder) => !sources.includes(`screens/${folder}/screen.ts`)),
    [],
  );
  const lines = textOf(LIST)
    .split('\n')
    .filter((line) => line.startsWith('export'));
  const listed = lines.map(
    (line) => /^export \{ screen as \w+ \} from '\.\/([^/]+)\/screen\.ts';$/.exec(line)?.[1],
  );
  assert.deepEqual(listed, folders);
});

test('only the list names the folder of a screen', () => {
  const named = sources.flatMap((file) =>
    [...textOf(file).matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].flatMap(([, name = '']) => {
      const to = folderOf(
        normalize(join(dirname(file), name))
          .split(sep)
          .join('/'),
      );
      return to === null || to === folderOf(file) || file === LIST ? [] : `${folderOf(file) ?? file} → ${to}`;
    }),
  );
  assert.deepEqual([...new Set(named)].toSorted(), BORROWED);
});
