// Documents: links lead to existing files, npm commands exist, and no merge conflict markers are left.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const documents = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];
const scripts = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object }).scripts;

test('every link between documents leads to a file', () => {
  const broken = documents.flatMap((document) => {
    const text = readFileSync(join(ROOT, document), 'utf8');
    return [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
      .map((match) => join(dirname(document), match[1] ?? ''))
      .filter((target) => !existsSync(join(ROOT, target)))
      .map((target) => `${document} → ${target}`);
  });
  assert.ok(documents.length > 10);
  assert.deepEqual(broken, []);
});

test('every npm command in a document is a script', () => {
  const unknown = documents.flatMap((document) => {
    const text = readFileSync(join(ROOT, document), 'utf8');
    return [...text.matchAll(/(?:^|`|; )npm (?:run )?([a-z][a-z0-9:]*)/gm)]
      .map((match) => match[1] ?? '')
      .filter((name) => !(name in scripts) && !['ci', 'install', 'packages', 'version'].includes(name))
      .map((name) => `${document}: npm ${name}`);
  });
  assert.deepEqual(unknown, []);
});

test('guides for installed archives, which contain no npm, do not use it there', () => {
  for (const document of ['docs/small-shop.md', 'docs/company.md'])
    assert.doesNotMatch(readFileSync(join(ROOT, document), 'utf8'), /npm run sluice/, document);
});

test('no document contains merge conflict markers', () => {
  const unresolved = documents.filter((document) =>
    /^(?:<{7}|={7}|>{7})(?: |$)/m.test(readFileSync(join(ROOT, document), 'utf8')),
  );
  assert.deepEqual(unresolved, []);
});
