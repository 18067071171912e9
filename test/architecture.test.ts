// Imports go down the storeys: start → features → core → platform. Checks other rules for sources too.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize, sep } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadRefusals } from '../src/start/refusals.ts';

const SRC = fileURLToPath(new URL('../src', import.meta.url));

/** The storeys, from the lowest. A room is a folder of a storey; `start`, which puts everything together, is one room. */
const STOREYS = ['platform', 'core', 'features', 'start'];

/** The only packages that pure files may use: a table of countries, and arithmetic of IP addresses. */
const PURE_PACKAGES = ['country-to-currency', 'ipaddr.js'];

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const storeyOf = (file: string): string => file.split(sep)[0] as string;
const roomOf = (file: string): string =>
  storeyOf(file) === 'start' ? 'start' : file.split(sep).slice(0, 2).join('/');
const nameOfFile = (file: string): string => basename(file, '.ts');
/** The kind of a file is the last word of its name: `store.ts`, `movements-store.ts`. */
const isKind = (file: string, ...kinds: string[]): boolean =>
  kinds.some((kind) => nameOfFile(file) === kind || nameOfFile(file).endsWith(`-${kind}`));
const PURE_ROOMS = ['core/rules', 'platform/values'];
const isPure = (file: string): boolean => PURE_ROOMS.includes(roomOf(file)) || isKind(file, 'rules');
/** Rooms that have statements of their own about the database as such, and files with the kind `store`. */
const containsSql = (file: string): boolean =>
  isKind(file, 'store') ||
  ['platform/database', 'platform/embedded-postgres', 'platform/command-database'].includes(roomOf(file));
/** Files that parse requests and arguments, and answer. */
const isAdapter = (file: string): boolean =>
  isKind(file, 'operations', 'command') ||
  ['platform/http', 'platform/admin-api', 'platform/cli', 'core/channel-api'].includes(roomOf(file)) ||
  ['auth', 'sign-in', 'main'].includes(nameOfFile(file)) ||
  file === join('platform', 'accounts', 'change.ts');

function importsOf(file: string): string[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  return [
    ...text.matchAll(/^(?:import|export)\b[^;]*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm),
  ].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

interface Edge {
  from: string;
  to: string;
}

const edges: Edge[] = files.flatMap((from) =>
  importsOf(from)
    .filter((name) => name.startsWith('.'))
    .map((name) => ({ from, to: normalize(join(dirname(from), name)) }))
    .filter(({ to }) => files.includes(to) && roomOf(to) !== roomOf(from)),
);
const rank = (file: string): number => STOREYS.indexOf(storeyOf(file));

test('src has four storeys, and each file except those of start is in a room', () => {
  const folders = readdirSync(SRC, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  assert.deepEqual(folders.map(({ name }) => name).toSorted(), STOREYS.toSorted());
  assert.deepEqual(
    files.filter((file) => storeyOf(file) !== 'start' && file.split(sep).length !== 3),
    [],
  );
});

test('imports go down the storeys', () => {
  assert.ok(edges.length > 1_000, 'the imports were not found');
  const up = edges.filter(({ from, to }) => rank(from) < rank(to));
  assert.deepEqual(
    up.map(({ from, to }) => `${from} → ${to}`),
    [],
  );
});

test('a feature imports another one only if it names it in its needs, and names none that it does not import', async () => {
  const { FEATURES } = await import('../src/start/features.ts');
  const rooms = [...new Set(files.filter((file) => storeyOf(file) === 'features').map(roomOf))];
  assert.deepEqual(FEATURES.map(({ name }) => `features/${name}`).toSorted(), rooms.toSorted());
  const sideways = edges.filter(({ from, to }) => [from, to].every((file) => storeyOf(file) === 'features'));
  const imported = sideways.map(({ from, to }) => `${roomOf(from)} → ${roomOf(to)}`);
  const needed = FEATURES.flatMap(({ name, needs = [] }) =>
    needs.map((other) => `features/${name} → features/${other}`),
  );
  assert.deepEqual([...new Set(imported)].toSorted(), needed.toSorted());
});

test('the answers of all rooms are listed, and no two rooms refuse under the same name', async () => {
  const rooms = files.filter((file) => isKind(file, 'refusals') && storeyOf(file) !== 'start');
  const tables = await Promise.all(
    rooms.map(async (file): Promise<object> => {
      const [table, ...others] = Object.values<object>(await import(join(SRC, file)));
      assert.ok(table && others.length === 0, `${file} exports one table`);
      return table;
    }),
  );
  assert.deepEqual(
    Object.keys(await loadRefusals()).toSorted(),
    tables.flatMap((table) => Object.keys(table)).toSorted(),
  );
});

test('the rooms of a storey form no circle', () => {
  const next = Map.groupBy(
    edges.filter(({ from, to }) => rank(from) === rank(to)),
    ({ from }) => roomOf(from),
  );
  const reach = (room: string, seen = new Set<string>()): Set<string> => {
    for (const { to } of next.get(room) ?? []) {
      const found = roomOf(to);
      if (!seen.has(found)) reach(found, seen.add(found));
    }
    return seen;
  };
  const rooms = [...new Set(files.map(roomOf))].toSorted();
  assert.deepEqual(
    rooms.filter((room) => reach(room).has(room)),
    [],
  );
});

test('docs/architecture.md lists every folder of the tree, every storey and every room', () => {
  const text = readFileSync(join(SRC, '../docs/architecture.md'), 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));
  const listed = new Set(
    rows.flatMap((row) => [...row.matchAll(/`([\w./-]+?)\/?`/g)].map(([, name]) => name)),
  );
  const under = (folder: string): string[] =>
    readdirSync(join(SRC, '..', folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${folder}/${name}`);
  const places = [
    'migrations',
    'console',
    'bin',
    'deploy',
    'test',
    ...[
      'src',
      ...STOREYS.filter((storey) => storey !== 'start').map((storey) => `src/${storey}`),
      'clients',
      'tools',
    ].flatMap(under),
  ];
  const missing = places.filter((place) => !listed.has(place) && !listed.has(place.replace('src/', '')));
  assert.deepEqual(missing, []);
});

test('rules and values do no I/O: they import no Node module, only two packages, and only rules and values', () => {
  const wrong = files
    .filter(isPure)
    .flatMap((file) => importsOf(file).map((name) => ({ file, name })))
    .filter(({ file, name }) =>
      name.startsWith('.') ? !isPure(join(dirname(file), name)) : !PURE_PACKAGES.includes(name),
    );
  assert.deepEqual(wrong, []);
});

test('every statement that locks several rows locks them in a defined order', () => {
  const locking = files
    .filter(containsSql)
    .flatMap((file) => readFileSync(join(SRC, file), 'utf8').match(/`[^`]*\bfor update\b[^`]*`/g) ?? []);
  assert.ok(locking.length >= 4, 'the locking statements were not found');
  // A single row, selected by its key, needs no order.
  const several = locking.filter((text) => !/where \w*\.?(id|code|variant_id) = \$1\b/.test(text));
  assert.deepEqual(
    several.filter((text) => !/\border by\b[^`]*\bfor update\b/.test(text)),
    [],
  );
});

test('a statement that waits for row locks selects the rows by values or an array, never by IN (select ...)', () => {
  const waiting = files
    .filter(containsSql)
    .flatMap((file) => readFileSync(join(SRC, file), 'utf8').match(/`[^`]*\bfor update\b[^`]*`/g) ?? [])
    .filter((text) => !text.includes('skip locked'));
  assert.deepEqual(
    waiting.filter((text) => /\bin \(\s*select\b/.test(text)),
    [],
  );
});

test('every advisory lock has its own id', () => {
  const names: string[] = [];
  const ids: bigint[] = [];
  for (const file of files) {
    const text = readFileSync(join(SRC, file), 'utf8');
    const found = [...text.matchAll(/^(?:export )?const (\w+_LOCK) = '?(\d[\d_]*)'?;/gm)];
    const isLocking = /\bpg_(?:try_)?advisory_(?:xact_)?lock(?:_shared)?\((?!hashtextextended\()/.test(text);
    assert.equal(
      found.length > 0,
      isLocking,
      `${file}: an advisory lock takes its id from a constant …_LOCK`,
    );
    for (const [, name = '', id = ''] of found) {
      names.push(name);
      ids.push(BigInt(id.replaceAll('_', '')));
    }
  }
  assert.ok(ids.length >= 5, `advisory locks found: ${names.join(', ')}`);
  assert.equal(new Set(ids).size, ids.length, names.map((name, at) => `${name} ${ids[at]}`).join(', '));
});

test('only stores and the rooms of the database contain SQL', () => {
  const wrong = files.filter((file) => {
    if (containsSql(file)) return false;
    const text = readFileSync(join(SRC, file), 'utf8');
    return /\bstatement\(|`\s*(?:select|insert into|update|delete from|with)\s|^import pg from/im.test(text);
  });
  assert.deepEqual(wrong, []);
});

test('contract 6.1, 6.3: outbound HTTP requests are made only by the listed files', () => {
  const calling = files.filter((file) =>
    /\bfetch\(|\bhttps?\.(?:request|get)\(|\bfrom '(?:undici|node:http2)'/.test(
      readFileSync(join(SRC, file), 'utf8'),
    ),
  );
  // `exchange.ts` also serves webhooks and rate sources. `sluice compare` requests a service that an operator names; traces go to the operator's own collector.
  assert.deepEqual(calling.toSorted(), [
    join('features', 'compare', 'read.ts'),
    join('platform', 'outbound', 'exchange.ts'),
    join('platform', 'tracing', 'exporter.ts'),
  ]);
});

/** The top-level declarations of a file, by name. */
function declarationsOf(file: string): Map<string, string> {
  const text = readFileSync(join(SRC, file), 'utf8');
  const start = /^(?:export )?(?:async )?(?:function\*?|const|class) (\w+)/gm;
  const found = [...text.matchAll(start)];
  return new Map(
    found.map((match, index) => [match[1] ?? '', text.slice(match.index, found[index + 1]?.index)]),
  );
}

/** Named imports of a file from other files of src: local name → `file#name`. */
function namesFrom(file: string): Map<string, string> {
  const text = readFileSync(join(SRC, file), 'utf8');
  const clauses = text.matchAll(/^(?:import|export) \{([^}]*)\} from '(\.[^']+)';/gm);
  return new Map(
    [...clauses].flatMap(([, names = '', from = '']) =>
      names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '' && !name.startsWith('type '))
        .map((name): [string, string] => {
          const [theirs = '', ours = theirs] = name.split(' as ');
          return [ours, `${normalize(join(dirname(file), from))}#${theirs}`];
        }),
    ),
  );
}

const mentions = (text: string, name: string): boolean => new RegExp(`\\b${name}\\b`).test(text);

const WRITING_SQL = /\b(?:insert into|delete from|(?<!for |no key |do )update [a-z_$])/;

/** Every writing transaction writes this mark, which only records that the transaction was committed. */
const TRANSACTION_MARK = join('platform', 'database', 'lost-commit.ts#APPEND_BATCH');

/** `file#name` of every declaration of the store that writes, by its own statement or through another declaration. */
function storeWriters(): Set<string> {
  const declarations = files
    // Migrations write the schema.
    .filter((file) => containsSql(file) && !file.endsWith('migrations.ts'))
    .flatMap((file) => {
      const imported = namesFrom(file);
      const own = declarationsOf(file);
      return [...own].map(([name, text]) => ({
        id: `${file}#${name}`,
        isStatement: /\bstatement\(/.test(text) && WRITING_SQL.test(text),
        uses: [...own.keys()]
          .filter((other) => other !== name && mentions(text, other))
          .map((other) => `${file}#${other}`)
          .concat([...imported].filter(([ours]) => mentions(text, ours)).map(([, id]) => id)),
      }));
    });
  const statements = declarations.filter(({ isStatement, id }) => isStatement && id !== TRANSACTION_MARK);
  const writers = new Set(statements.map(({ id }) => id));
  for (let size = 0; size < writers.size;) {
    size = writers.size;
    for (const { id, uses } of declarations) if (uses.some((used) => writers.has(used))) writers.add(id);
  }
  return writers;
}

const writers = storeWriters();
const nameOf = (id: string): string => id.slice(id.indexOf('#') + 1);

test('only `auditing` and `changing` write audit log and journal, except the rows of the gate and of lost commits, and the entry of a restore', () => {
  assert.ok(writers.has(join('platform', 'audit', 'store.ts#insertAudit')), 'the audit log was not found');
  assert.ok(writers.has(join('core', 'journal', 'store.ts#appendJournal')), 'the journal was not found');
  const importing = (name: string): string[] =>
    files.filter((file) => [...namesFrom(file).values()].some((id) => nameOf(id) === name)).toSorted();
  assert.deepEqual(importing('insertAudit'), [
    join('features', 'backup', 'restore-store.ts'),
    join('platform', 'audit', 'change.ts'),
  ]);
  assert.deepEqual(importing('appendJournal'), [join('core', 'journal', 'change.ts')]);
  const inserting = files.filter((file) =>
    /insert into (?:audit|change_journal)\b/.test(readFileSync(join(SRC, file), 'utf8')),
  );
  assert.deepEqual(inserting.toSorted(), [
    join('core', 'gate', 'writes-store.ts'),
    join('core', 'journal', 'store.ts'),
    join('platform', 'audit', 'store.ts'),
    join('platform', 'database', 'lost-commit.ts'),
  ]);
});

/** Store functions that write without `auditing`, and what they write or why. */
const MAY_WRITE: Record<string, string> = {
  useToken: 'when a token was last used',
  useSession: 'when a session was last used',
  countFailure: 'failed sign-ins are counted before the account is known',
  uncountFailure: 'the same',
  useSignOn: 'a callback of the provider is accepted once',
  endSession: 'signing out',
  restoreBackup: 'into an empty database, with an audit entry of its own',
};

test('operations and commands write only through changes', () => {
  const wrong = files
    .filter(isAdapter)
    .flatMap((file) =>
      [...namesFrom(file).values()]
        .filter((id) => writers.has(id) && MAY_WRITE[nameOf(id)] === undefined)
        .map((id) => `${file} → ${id}`),
    );
  assert.deepEqual(wrong, []);
});

/** A reseal is audited once, when it is finished. */
const RECORDED_ELSEWHERE = join('platform', 'sealed-values', 'changes.ts');

const records = (text: string): boolean => mentions(text, 'auditing') || mentions(text, 'changing');

test('all changes go through `auditing` or `changing`', () => {
  const wrong = files
    .filter((file) => isKind(file, 'changes'))
    .filter((file) => file !== RECORDED_ELSEWHERE)
    .flatMap((file) => {
      const own = declarationsOf(file);
      const written = [...namesFrom(file)].filter(([, id]) => writers.has(id)).map(([ours]) => ours);
      // A declaration that records covers the declarations that it uses.
      const open = [...own].filter(([, text]) => !records(text));
      const covered = (name: string): boolean =>
        [...own].some(([other, text]) => other !== name && mentions(text, name) && records(text));
      return open
        .filter(([name, text]) => written.some((used) => mentions(text, used)) && !covered(name))
        .map(([name]) => `${file}: ${name}`);
    });
  assert.deepEqual(wrong, []);
});

test('the admin API opens transactions in one place, which locks the credentials of the request', () => {
  // A sign-in has no credentials to lock yet.
  const allowed = [
    join('features', 'single-sign-on', 'sign-in.ts'),
    join('platform', 'accounts', 'change.ts'),
    join('platform', 'accounts', 'sign-in.ts'),
  ];
  const opening = files.filter(
    (file) =>
      (isKind(file, 'operations', 'sign-in') ||
        (['platform/accounts', 'platform/admin-api', 'core/channel-api'].includes(roomOf(file)) &&
          !isKind(file, 'command'))) &&
      /\binTransaction\b/.test(readFileSync(join(SRC, file), 'utf8')),
  );
  assert.deepEqual(opening.toSorted(), allowed.toSorted());
});

/** A type assertion (`as X`) in src is a lint error, except these. When one is removed, lower the number. */
const TYPE_ASSERTIONS_MAX = 12;

test('type assertions in src have a reason, and their number does not grow', () => {
  const allowed = files.flatMap((file) =>
    readFileSync(join(SRC, file), 'utf8')
      .split('\n')
      .filter((line) => line.includes('oxlint-disable'))
      .map((line) => `${file}: ${line.trim()}`),
  );
  assert.deepEqual(
    allowed.filter(
      (line) =>
        !/: \/\/ oxlint-disable-next-line typescript\/consistent-type-assertions -- .{20,}/.test(line),
    ),
    [],
  );
  assert.equal(allowed.length, TYPE_ASSERTIONS_MAX, allowed.join('\n'));
});

const ROOT = join(SRC, '..');
/** The top-level folders that each folder may import from. Tests may import everything; nothing may import tests. */
const FOLDERS_MAY_IMPORT: Record<string, string[]> = {
  // For the version number.
  src: ['src', 'package.json'],
  clients: ['clients'],
  verify: ['verify', 'src'],
  tools: ['tools', 'verify', 'src', 'clients'],
};

test('top-level folders import in one direction: tools → verify → src', () => {
  const wrong = Object.entries(FOLDERS_MAY_IMPORT).flatMap(([folder, allowed]) => {
    const sources = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:ts|mjs)$/.test(file) && !file.includes('node_modules'))
      .map((file) => join(folder, file));
    assert.ok(sources.length > 3, `no sources in ${folder}`);
    return sources.flatMap((file) =>
      importsOf(join('..', file))
        .filter((name) => name.startsWith('.'))
        .map((name) => storeyOf(normalize(join(dirname(file), name))))
        .filter((room) => !allowed.includes(room))
        .map((room) => `${file} → ${room}`),
    );
  });
  assert.deepEqual(wrong, []);
});

/** The circles of a graph, each as the list of its nodes: the strongly connected components with more than one node, by Tarjan. */
function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const numbers = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  /** Returns the lowest number that can be reached from the node within its component. */
  const visit = (node: string): number => {
    const number = numbers.size;
    numbers.set(node, number);
    open.push(node);
    let lowest = number;
    for (const next of graph.get(node) ?? []) {
      if (!numbers.has(next)) lowest = Math.min(lowest, visit(next));
      else if (open.includes(next)) lowest = Math.min(lowest, numbers.get(next) ?? number);
    }
    if (lowest === number) {
      const component = open.splice(open.indexOf(node));
      if (component.length > 1) circles.push(component.toSorted());
    }
    return lowest;
  };
  for (const node of graph.keys()) if (!numbers.has(node)) visit(node);
  return circles;
}

for (const folder of ['src', 'verify'])
  test(`the files of ${folder}/ import each other in no circle, types included`, () => {
    const sources = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(folder, file));
    const graph = new Map(
      sources.map((file) => [
        file,
        importsOf(join('..', file))
          .filter((name) => name.startsWith('.'))
          .map((name) => normalize(join(dirname(file), name))),
      ]),
    );
    const imports = [...graph.values()].flat();
    assert.ok(imports.length > 100, `the imports of ${folder} were not found`);
    assert.deepEqual(circlesOf(graph), []);
  });

const CONSOLE = fileURLToPath(new URL('../console', import.meta.url));
const consoleSources = readdirSync(join(CONSOLE, 'src'), { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file),
);

/** Seen from console/src: `../../src/core/rules/stock.ts` is pure, other files outside of the console are not for it. */
const isOutside = (path: string): boolean =>
  path.startsWith('..') && !(path.startsWith('../../src/') && isPure(path.slice('../../src/'.length)));

test('the console imports only its own files, packages, pure files of src, and no Node module', () => {
  assert.ok(consoleSources.length > 20, 'the sources of the console were not found');
  const wrong = consoleSources.flatMap((file) => {
    const text = readFileSync(join(CONSOLE, 'src', file), 'utf8');
    return [...text.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)]
      .map((match) => match[1] ?? '')
      .filter((name) =>
        name.startsWith('.') ? isOutside(normalize(join(dirname(file), name))) : name.startsWith('node:'),
      )
      .map((name) => `${file} → ${name}`);
  });
  assert.deepEqual(wrong, []);
});

/** What the regular expressions of each console file read: typed or pasted input, addresses, numbers. Never texts of the API. */
const CONSOLE_PATTERNS: Record<string, string> = {
  'api/address.ts': 'a path of the API',
  'components/data-table-columns.ts': 'the direction of a sort key',
  'components/use-path-code.ts': 'the address of the page',
  'components/whole-number.ts': 'a number that was typed',
  'i18n/intl.ts': 'decimal numbers, and the name of a time zone',
  'i18n/particle.ts': 'the last sound of a word, which decides the Korean particle',
  'layout/own-path.ts': 'the address to return to',
  'screens/account/device.ts': 'the user agent of a browser',
  'screens/allocations/block.ts': 'cells that were pasted',
  'screens/channels/create-dialog.tsx': 'an address that was typed',
  'screens/exchange-rates/add-dialog.tsx': 'a date that was typed',
  'screens/exchange-rates/rate.ts': 'a rate that was typed',
  'screens/orders/order/facts.tsx': 'an amount',
  'screens/orders/order/return-dialog.tsx': 'a quantity that was typed',
  'screens/orders/bulk-dialog.tsx': 'rows that were pasted',
  'screens/orders/carrier-list.ts': 'a list that was pasted or chosen',
  'screens/stock/item/adjust-form.tsx': 'a number',
  'screens/stock/item/set-form.tsx': 'a number',
  'screens/stock/pasted.ts': 'a list that was pasted or chosen as a file',
};

test('the console decides by codes and details: no pattern reads a text of the API', () => {
  const sources = consoleSources.map((file) => ({
    file: file.split(sep).join('/'),
    text: readFileSync(join(CONSOLE, 'src', file), 'utf8'),
  }));
  const PATTERN = /\bRegExp\b|\.(?:test|exec|match|matchAll|search)\(|\.(?:replace|replaceAll|split)\(\//;
  const reading = sources.filter(({ text }) => PATTERN.test(text)).map(({ file }) => file);
  assert.deepEqual(reading.toSorted(), Object.keys(CONSOLE_PATTERNS).toSorted());
  const SEARCHED =
    /\b(?:message|error|said|messageOf\(\w+\))\??\.(?:includes|startsWith|endsWith|indexOf|split)\(/;
  const searched = sources.filter(({ text }) => SEARCHED.test(text)).map(({ file }) => file);
  assert.deepEqual(searched, []);
});

test('the console has a sentence for every audit action', () => {
  const sentences = readFileSync(join(CONSOLE, 'src/screens/audit/sentences.ts'), 'utf8');
  const actions = files
    .filter((file) => !isAdapter(file))
    .flatMap((file) => readFileSync(join(SRC, file), 'utf8').match(/\baction: [^,\n]*/g) ?? [])
    .flatMap((line) => line.match(/(?<=')[a-z_]+\.[a-z_]+(?=')/g) ?? []);
  assert.ok(actions.length > 30, 'the actions were not found');
  assert.deepEqual(
    [...new Set(actions)].filter((action) => !sentences.includes(`'${action}':`)),
    [],
  );
});

/** Faults of requests that the console never sends. */
const FAULTS_OF_PROGRAMS = [
  'unknown_field',
  'wrong_type',
  'not_equal',
  'wrong_format',
  'not_a_price',
  'cursor_unknown',
  'since_unknown',
  'body_empty',
  'body_not_utf8',
  'body_not_json',
  'body_too_deep',
  'body_long_numbers',
  'unreadable',
  'path_encoding',
  'invalid',
];

test('the console has Korean texts for every refusal and field fault that it can receive', async () => {
  const api = (file: string): string => readFileSync(join(CONSOLE, 'src/api', file), 'utf8');
  const missing = (codes: readonly string[], text: string): string[] =>
    codes.filter((code) => !new RegExp(`^ +${code}:`, 'm').test(text));
  const others = files

    .flatMap((file) => [...readFileSync(join(SRC, file), 'utf8').matchAll(/\bforbidden\('(\w+)'/g)])
    .flatMap(([, code]) => code ?? []);
  assert.ok(others.length > 2, 'the refusals of the sign-in were not found');
  // Of refused fields, the console shows the faults.
  const refusals = Object.entries(await loadRefusals()).flatMap(([kind, answer]) =>
    'fields' in answer ? [] : (answer.code ?? kind),
  );
  assert.deepEqual(missing([...refusals, ...others, 'validation', 'not_found'], api('refusals-ko.ts')), []);
  const kinds = readFileSync(join(SRC, 'platform/values/field-fault.ts'), 'utf8').matchAll(/kind: '(\w+)'/g);
  const faults = [...kinds].flatMap(([, kind]) => kind ?? []);
  assert.ok(faults.length > 40, 'the faults were not found');
  assert.deepEqual(
    missing(
      faults.filter((kind) => !FAULTS_OF_PROGRAMS.includes(kind)),
      api('faults.ts'),
    ),
    [],
  );
});

/** XML namespaces, and pages that error messages of packages mention: text only, never fetched. */
const MERE_TEXT = ['www.w3.org', 'react.dev', 'reactrouter.com', 'github.com', 'mantine.dev', 'localhost'];

test('the built console contains no address of another origin', () => {
  const dist = join(CONSOLE, 'dist');
  const built = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(?:js|css|html|svg)$/.test(file),
  );
  assert.ok(built.length > 10, 'no build: run npm run console:build');
  const wrong = built.flatMap((file) =>
    [
      ...readFileSync(join(dist, file), 'utf8').matchAll(
        /(?:https?:|["'`(=])\/\/((?:[a-z0-9-]+\.)+[a-z]{2,}|localhost)\b/gi,
      ),
    ]
      .map((match) => match[1] ?? '')
      .filter((host) => !MERE_TEXT.includes(host.toLowerCase()) && !/(?:^|\.)example(?:\.com)?$/i.test(host))
      .map((host) => `${file}: ${host}`),
  );
  assert.deepEqual(wrong, []);
});
