// The house has one direction: http → engine → store, everything → domain.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('../src', import.meta.url));

/** Which rooms a room may import from, itself included. Files directly in src/ are rooms of their own. */
const MAY_IMPORT: Record<string, string[]> = {
  domain: ['domain'],
  'keys.ts': [],
  'config.ts': ['domain'],
  'secret.ts': ['config.ts'],
  store: ['store', 'domain', 'keys.ts'],
  'channel-client': ['channel-client', 'domain'],
  engine: ['engine', 'store', 'domain', 'channel-client', 'keys.ts'],
  'metrics.ts': ['engine'],
  http: ['http', 'engine', 'store', 'domain', 'channel-client', 'keys.ts', 'config.ts', 'metrics.ts'],
  'service.ts': ['http', 'engine', 'store', 'domain', 'keys.ts', 'config.ts', 'metrics.ts'],
  cli: ['cli', 'engine', 'store', 'domain', 'channel-client', 'keys.ts', 'config.ts', 'secret.ts'],
  'cli.ts': ['cli', 'config.ts'],
  'main.ts': ['service.ts', 'store', 'config.ts', 'secret.ts'],
};

/** The only packages the pure rules may use: a table of countries. */
const DOMAIN_PACKAGES = ['country-to-currency'];

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const roomOf = (file: string): string => file.split(sep)[0] as string;

function importsOf(file: string): string[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  return [
    ...text.matchAll(/^(?:import|export)\b[^;]*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm),
  ].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

test('every import points in the one allowed direction', () => {
  const wrong = files.flatMap((file) => {
    const allowed = MAY_IMPORT[roomOf(file)];
    assert.ok(allowed, `${file}: the room ${roomOf(file)} is not in the plan`);
    return importsOf(file)
      .filter((name) => name.startsWith('.'))
      .map((name) => roomOf(normalize(join(dirname(file), name))))
      .filter((room) => !allowed.includes(room))
      .map((room) => `${file} → ${room}`);
  });
  assert.deepEqual(wrong, []);
});

test('the domain does no I/O: no Node module, no package but its table of countries', () => {
  const wrong = files
    .filter((file) => roomOf(file) === 'domain')
    .flatMap((file) => importsOf(file).map((name) => ({ file, name })))
    .filter(({ name }) => !name.startsWith('.') && !DOMAIN_PACKAGES.includes(name));
  assert.deepEqual(wrong, []);
});

test('every statement that locks several rows takes them in one order', () => {
  const locking = files
    .filter((file) => roomOf(file) === 'store')
    .flatMap((file) => readFileSync(join(SRC, file), 'utf8').match(/`[^`]*\bfor update\b[^`]*`/g) ?? []);
  assert.ok(locking.length >= 4, 'the locking statements were not found');
  // One row by its key needs no order.
  const several = locking.filter((text) => !/where \w*\.?(id|code|variant_id) = \$1\b/.test(text));
  assert.deepEqual(
    several.filter((text) => !/\border by\b[^`]*\bfor update\b/.test(text)),
    [],
  );
});

test('SQL lives in the store alone', () => {
  const wrong = files.filter((file) => {
    if (roomOf(file) === 'store') return false;
    const text = readFileSync(join(SRC, file), 'utf8');
    return /\bstatement\(|`\s*(?:select|insert into|update|delete from|with)\s|^import pg from/im.test(text);
  });
  assert.deepEqual(wrong, []);
});
