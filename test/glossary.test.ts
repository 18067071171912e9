// Exported names of the rules, the engine and the back office are made of words that a newcomer can look up: in the
// contract, in the glossary, or in any dictionary of programming.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { test } from 'node:test';
import { readFromRoot } from './kit/named-tests.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Words of programming and everyday English that need no explanation in contract or glossary. */
const TECHNICAL = new Set(
  `access adjust adjustment attempt attribute audited barcode bucket cell chunk cost csv demo dismiss edge email encoding erase
   everywhere export failed fault format gone guessable hook import info inspect int32 kind load loaded log2 mask max merged metric min
   ms next note observer overloaded parse password pause plain plus preview previous proposed
   protect proxy put ranked reconciler ref register remove reset returnable retained revoke room rotate round runner seed seen select
   settled signed significant slot threshold timestamp transfer trusted unlock unprotect unsigned view window
   withdraw`.split(/\s+/),
);

const singular = (word: string): string =>
  word.endsWith('ies') ? `${word.slice(0, -3)}y` : word.length > 2 ? word.replace(/(?<![su])s$/, '') : word;

const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => singular(word.toLowerCase()));

const sourcesOf = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:ts|sql)$/.test(file))
    .map((file) => join(folder, file));

/** Exported name → its file. */
function exportsOf(folder: string): [name: string, file: string][] {
  const declaration = /^export (?:async )?(?:function\*?|const|class|type|interface) (\w+)/gm;
  return sourcesOf(folder).flatMap((file) =>
    [...readFromRoot(file).matchAll(declaration)].map((match): [string, string] => [match[1] ?? '', file]),
  );
}

const glossary = readFromRoot('docs/glossary.md');
/** The terms of the first column. */
const terms = [...glossary.matchAll(/^\| (?!term|-)([^|]+) \|/gm)].flatMap(([, cell = '']) =>
  cell.split(',').map((term) => term.replaceAll('`', '').trim()),
);
const explained = new Set([...terms, readFromRoot('docs/contract.md')].flatMap(wordsOf));
const NAMED_BY_SUBJECT =
  /^src\/(?:core\/(?:rules|journal|gate|inventory|directory|reconcile)|platform\/(?:values|queues))\/|(?:rules|changes|import)\.ts$/;
const names = exportsOf('src').filter(
  ([, file]) => NAMED_BY_SUBJECT.test(file) && !/(?:store|words)\.ts$/.test(file),
);
const used = new Set(names.flatMap(([name]) => wordsOf(name)));

test('exported names of rules, changes, imports and the rooms of the gate consist of words that can be looked up', () => {
  assert.ok(names.length > 200 && terms.length > 60, 'the names or the terms were not found');
  const known = new Set([...explained, ...[...TECHNICAL].map(singular)]);
  const riddles = names.flatMap(([name, file]) =>
    wordsOf(name)
      .filter((word) => !known.has(word))
      .map((word) => `${file}: ${name}: "${word}" is neither in docs/contract.md nor in docs/glossary.md`),
  );
  assert.deepEqual(riddles, []);
});

test('every word of the technical list is used in an exported name', () => {
  assert.deepEqual(
    [...TECHNICAL].filter((word) => !used.has(singular(word))),
    [],
  );
});

test('every term of the glossary is used in the code, the schema or the contract', () => {
  const files = [...['src', 'migrations'].flatMap(sourcesOf), 'docs/contract.md'];
  const code = files.map(readFromRoot).join('\n').toLowerCase();
  const unused = terms.filter((term) => !new RegExp(wordsOf(term).join('s?[ _.-]?')).test(code));
  assert.deepEqual(unused, []);
});

// The services of features have the same shape.
test('no two files of src export the same name, but for `start` of features', () => {
  const files = Map.groupBy(
    exportsOf('src').filter(([name, file]) => !(name === 'start' && file.endsWith('/service.ts'))),
    ([name]) => name,
  );
  const shared = [...files].map(([name, found]) => [name, ...new Set(found.map(([, file]) => file))]);
  assert.deepEqual(
    shared.filter(([, ...places]) => places.length > 1),
    [],
  );
});
