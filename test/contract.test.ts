// Comments, documents and tests cite docs/contract.md; docs/acceptance.md has a line for each of its statements.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { assertNamesTests, readFromRoot } from './kit/named-tests.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const contract = readFromRoot('docs/contract.md');
const acceptance = readFromRoot('docs/acceptance.md');

const NUMBER = String.raw`\d+(?:\.\d+)*[a-z]?`;

/** Every statement has its number in bold, in a paragraph or in a table. */
const statements = [...contract.matchAll(/\*\*(\d+(?:\.\d+)+[a-z]?)\*\*/g)].map(([, number = '']) => number);
const headings = [...contract.matchAll(/^##+ (\d+(?:\.\d+)?)\.? /gm)].map(([, number = '']) => number);
const known = new Set([...statements, ...headings]);

const rows = acceptance.split('\n').filter((line) => /^\| \d+\.\d/.test(line));
const cellsOf = (row: string): string[] => row.slice(2, -2).split(' | ');
const numberOf = (row: string): string => cellsOf(row)[0] ?? '';

/** Generated, downloaded or binary; not written by hand. */
const NOT_WRITTEN = new Set(['node_modules', 'dist', 'images', 'package-lock.json']);
const TEXTS = new Set([
  '.ts',
  '.tsx',
  '.mjs',
  '.js',
  '.md',
  '.sql',
  '.css',
  '.html',
  '.json',
  '.sh',
  '.yml',
  '',
]);

function* textFiles(folder = ''): Generator<string> {
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
    if (NOT_WRITTEN.has(entry.name) || entry.name.startsWith('.')) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* textFiles(path);
    else if (TEXTS.has(extname(entry.name))) yield path;
  }
}

const tree = [...textFiles()].map((path) => ({ path, text: readFromRoot(path) }));

/** `contract 4.3.5`, also several of them: `contract 4.3.1, 4.3.2 and 7.13`, `contract 2.3.1 to 2.3.3`. */
const CITATION = new RegExp(`\\bcontract (${NUMBER}(?:(?:, | and | to | with )\\d+\\.${NUMBER})*)`, 'gi');

const numbersIn = (text: string): string[] => text.match(new RegExp(NUMBER, 'g')) ?? [];

test('statements are numbered once, in ascending order', () => {
  assert.ok(statements.length > 200, 'the statements were not found');
  assert.deepEqual(
    statements.filter((number, index) => statements.indexOf(number) !== index),
    [],
  );
  const sections = Map.groupBy(statements, (number) => number.replace(/\.\d+[a-z]?$/, ''));
  for (const numbers of sections.values()) {
    const rules = numbers.filter((number) => /\d$/.test(number));
    const expected = rules.map((rule, index) => rule.replace(/\d+$/, String(index + 1)));
    assert.deepEqual(
      rules.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })),
      expected,
    );
  }
});

test('every number that is cited in the tree exists in the contract', () => {
  const cited = tree.flatMap(({ path, text }) =>
    [...text.matchAll(CITATION)].flatMap(([, list = '']) =>
      numbersIn(list).map((number) => ({ path, number })),
    ),
  );
  assert.ok(cited.length > 200, 'the citations were not found');
  assert.deepEqual(
    cited.filter(({ number }) => !known.has(number)),
    [],
  );
});

test('the contract and the acceptance table refer only to numbers that exist', () => {
  for (const text of [contract, acceptance]) {
    // Code and names of tests contain other numbers.
    const prose = text.replaceAll(/`[^`]*`/g, '').replaceAll(/".*?"(?=<br>| \|)/g, '');
    const numbers = prose.match(/(?<![\w.-])\d+\.\d+(?:\.\d+)?[a-z]?(?![\w%])/g) ?? [];
    assert.deepEqual(
      numbers.filter((number) => !known.has(number)),
      [],
    );
  }
});

test('every statement has one line in the acceptance table, and every line has its statement', () => {
  const inOrder = (numbers: readonly string[]): string[] =>
    numbers.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  assert.deepEqual(inOrder(rows.map(numberOf)), inOrder(statements));
});

test('every line of the acceptance table names a file and a test that exist', () => {
  for (const row of rows) {
    const [, decidedIn = ''] = cellsOf(row);
    const files = [...decidedIn.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file);
    assert.ok(files.length > 0, `no file in: ${row}`);
    for (const file of files) assert.ok(existsSync(join(ROOT, file)), `${numberOf(row)}: no file ${file}`);
    assertNamesTests(row);
  }
});

/** Ways to cite documents that are not in the tree. */
const OUTSIDE = /\b(?:[Dd]ecisions?|[Ss]ections?|[Ss]pecification|[Ii]ssue) \d|\u00A7/;

test('nothing in the tree cites a document that is not in it', () => {
  // "Older citations" of the contract explains those of migrations, whose text cannot change: databases store its
  // checksum.
  const isExplained = (path: string): boolean =>
    path.startsWith('migrations') || path === join('docs', 'contract.md');
  const wrong = tree
    .filter(({ path }) => !isExplained(path))
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, index) => (OUTSIDE.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
    );
  assert.deepEqual(wrong, []);
});

test('every older citation in a migration is explained, and leads to a number of the contract', () => {
  const cited = tree
    .filter(({ path }) => path.startsWith('migrations'))
    .flatMap(({ text }) => [...text.matchAll(/\b[Dd]ecision (\d+)/g)].map(([, number = '']) => number));
  const [, explanation = ''] = contract.split('## Older citations');
  const explained = [...explanation.matchAll(/decision (\d+) is (\S+?)[,.]?\s/g)];
  assert.deepEqual(explained.map(([, number = '']) => number).toSorted(), [...new Set(cited)].toSorted());
  for (const [, , target = ''] of explained) assert.ok(known.has(target), target);
});
