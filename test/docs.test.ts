// Documents: links lead to existing files and headings, npm commands exist, and no merge conflict markers are left.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PROSE = ['.', 'docs', 'src', 'clients', 'console', 'deploy'];
const documents = PROSE.flatMap((folder) =>
  globSync(folder === '.' ? '*.md' : `${folder}/**/*.md`, { cwd: ROOT }).filter(
    (path) => !/(?:^|\/)(?:node_modules|dist)\//.test(path),
  ),
);
const textOf = (document: string): string => readFileSync(join(ROOT, document), 'utf8');
const scripts = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object }).scripts;

/** The ids of the headings, as GitHub makes them. */
function anchorsOf(document: string): Set<string> {
  const text = textOf(document).replaceAll(/^```.*?^```$/gms, '');
  const seen = new Map<string, number>();
  return new Set(
    [...text.matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = '']) => {
      const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
      const id = words.replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-');
      const times = seen.get(id) ?? 0;
      seen.set(id, times + 1);
      return times === 0 ? id : `${id}-${times}`;
    }),
  );
}

test('every link leads to a file, and to a heading of it', () => {
  const links = documents.flatMap((document) =>
    [...textOf(document).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(
      ([, path = '', anchor]) => {
        const target = path === '' ? document : join(dirname(document), path);
        const leads =
          existsSync(join(ROOT, target)) && (anchor === undefined || anchorsOf(target).has(anchor));
        return { leads, text: `${document} → ${path}#${anchor ?? ''}` };
      },
    ),
  );
  assert.ok(links.length > 200);
  assert.deepEqual(
    links.filter(({ leads }) => !leads).map(({ text }) => text),
    [],
  );
});

test('every source file that a document names exists', () => {
  const files = globSync('{src,test,verify,tools,bin,clients,console,deploy}/**/*', {
    cwd: ROOT,
    exclude: (path) => path.includes('node_modules'),
  }).map((path) => `/${path}`);
  // The changelog is history, and the guide adds a room.
  const named = documents
    .filter((document) => !['CHANGELOG.md', 'docs/new-feature.md'].includes(document))
    .flatMap((document) =>
      [
        ...textOf(document).matchAll(
          /`([\w./-]+?\.(?:ts|tsx|mjs|sh)|(?:src|platform|core|features|start|test|verify|tools)\/[\w./-]+?)\/?`/g,
        ),
      ].map(([, path = '']) => ({ document, path })),
    );
  assert.ok(named.length > 200, 'the names were not found');
  assert.deepEqual(
    named.filter(({ path }) => !files.some((file) => file.endsWith(`/${path}`))),
    [],
  );
});

test('every npm command in a document is a script', () => {
  const unknown = documents.flatMap((document) => {
    return [...textOf(document).matchAll(/(?:^|`|; )npm (?:run )?([a-z][a-z0-9:]*)/gm)]
      .map((match) => match[1] ?? '')
      .filter((name) => !(name in scripts) && !['ci', 'install', 'packages', 'version'].includes(name))
      .map((name) => `${document}: npm ${name}`);
  });
  assert.deepEqual(unknown, []);
});

test('guides for installed archives, which contain no npm, do not use it there', () => {
  for (const document of ['docs/small-shop.md', 'docs/company.md'])
    assert.doesNotMatch(textOf(document), /npm run sluice/, document);
});

test('no document contains merge conflict markers', () => {
  const unresolved = documents.filter((document) => /^(?:<{7}|={7}|>{7})(?: |$)/m.test(textOf(document)));
  assert.deepEqual(unresolved, []);
});
