// The command line itself: help, wrong arguments, the choice of the database, migrate.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { explain } from '../src/start/failures.ts';
import { CommitUnknown } from '../src/platform/database/failures.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { cliBench, lines, ROOT, sluice, sluiceAgain, type CliResult } from './cli-run.ts';

const bench = await cliBench({ template: null, owner: 'sluice' });

const COMMANDS = [
  'migrate',
  'channel create',
  'channel list',
  'channel prefix',
  'channel rotate',
  'channel end-previous-key',
  'channel limits',
  'channel rate-limit',
  'channel signing',
  'channel add-signing-secret',
  'channel remove-signing-secret',
  'token create',
  'token list',
  'token revoke',
  'user create',
  'user list',
  'user reset-password',
  'user deactivate',
  'secret rotate',
  'import channels',
  'import products',
  'import mappings',
  'import stock',
  'import allocations',
  'import rates',
  'import codes',
  'import orders',
  'compare',
  'seed',
  'erase',
  'reconcile',
];

test('sluice, --help and help list every command', async () => {
  for (const args of [[], ['--help'], ['-h'], ['help']]) {
    const { code, stdout, stderr } = await (args.length === 0 ? sluice : sluiceAgain)(args);
    assert.equal(code, 0);
    assert.equal(stderr, '');
    for (const name of COMMANDS) assert.match(stdout, new RegExp(`^  ${name} `, 'm'));
  }
});

for (const name of COMMANDS) {
  test(`sluice ${name} --help: purpose, usage, options and an example, without a database`, async () => {
    const { code, stdout } = await sluiceAgain([...name.split(' '), '--help'], {
      env: { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' },
    });
    assert.equal(code, 0);
    assert.ok(stdout.startsWith(`sluice ${name}: `));
    assert.match(stdout, new RegExp(`^Usage: sluice ${name}`, 'm'));
    assert.match(stdout, /^ +--json /m);
    assert.match(stdout, new RegExp(`^Examples?:\\n.*sluice ${name}`, 'm'));
  });
}

test('sluice channel --help shows the commands of the group', async () => {
  const { code, stdout } = await sluice(['channel', '--help']);
  assert.equal(code, 0);
  assert.match(stdout, /sluice channel create:[^]*sluice channel list:[^]*sluice channel rotate:/);
});

test('sluice help COMMAND is the help of the command or the group', async () => {
  for (const words of [['channel', 'create'], ['channel'], ['backup']])
    assert.equal(
      (await sluiceAgain(['help', ...words])).stdout,
      (await sluiceAgain([...words, '--help'])).stdout,
    );
  const { code, stderr } = await sluiceAgain(['help', 'backpu']);
  assert.equal(code, 2);
  assert.match(stderr, /Unknown command "backpu".*"sluice backup"/);
});

test('--version prints only the version', async () => {
  assert.match((await sluice(['--version'])).stdout, /^\d+\.\d+\.\d+\n$/);
});

const WRONG: [string[], RegExp][] = [
  [['chanel'], /Unknown command "chanel".*"sluice channel"/],
  [['frobnicate'], /Unknown command "frobnicate".*--help/],
  [['channel'], /one more word.*channel create/],
  [['channel', 'creat'], /Unknown command "channel creat".*"sluice channel create"/],
  [['--frob'], /Unknown option --frob\./],
  [['channel', 'create', '--nmae', 'x'], /Unknown option --nmae.*Did you mean --name\?/],
  [['channel', 'create'], /--name NAME is required/],
  [['channel', 'create', '--name'], /--name needs a value/],
  [['channel', 'create', '--name', ' '], /--name must not be blank/],
  [['channel', 'create', '--name', 'x'.repeat(101)], /--name must have at most 100 characters/],
  [['channel', 'create', '--name', 'x', '--country', 'XX'], /--country must be a two-letter country code/],
  [['channel', 'create', '--name', 'x', '--api-url', 'ftp://x'], /--api-url must begin with http/],
  [['channel', 'create', '--name', 'x', '--inactive=1'], /--inactive takes no value/],
  [['channel', 'create', '--name', 'x', 'extra'], /Unexpected argument "extra"/],
  [['channel', 'rotate'], /ID is missing/],
  [['channel', 'rotate', 'abc'], /ID must be a channel id/],
  [['token', 'create', '--name', 'x', '--role', 'root'], /--role must be admin, operator or viewer/],
  [['import', 'stock'], /FILE is missing/],
  [['import', 'mappings', 'x.csv', '--channel', 'x'], /--channel must be a channel id/],
];

for (const [args, message] of WRONG) {
  test(`sluice ${args.join(' ').slice(0, 60)}: one message with a hint, exit 2`, async () => {
    const { code, stdout, stderr } = await sluiceAgain(args, { env: bench.env });
    assert.equal(code, 2);
    assert.equal(stdout, '');
    assert.equal(lines(stderr).length, 1, stderr);
    assert.match(stderr, message);
  });
}

test('a database without the schema is not changed, and the message says to run sluice migrate', async () => {
  const { code, stderr } = await bench.run(['channel', 'list']);
  assert.equal(code, 1);
  assert.equal(lines(stderr).length, 1, stderr);
  assert.match(
    stderr,
    /the database postgres:\/\/\S+ has no tables of Sluice\..*"sluice migrate" makes a new, empty database/,
  );
  assert.deepEqual(await bench.rows(`select 1 from pg_tables where schemaname = 'public'`), []);
});

test('migrate needs no secret, lists the applied migrations, and says up to date the second time', async () => {
  const env = { SLUICE_SECRET: '' };
  const first = await bench.ok(['migrate', '--json'], { env });
  assert.ok(first.json().applied.includes('0001_catalogue_stock_orders.sql'));
  assert.match((await bench.ok(['migrate'], { env })).stdout, /up to date/);
  assert.match((await bench.ok(['channel', 'list'], { env })).stdout, /no channels yet/);
});

test('a database newer than the command line is refused', async () => {
  const database = await createDatabase();
  await database.tamper(
    `insert into schema_migration (version, name, checksum) values (9999, '9999_later.sql', 'x')`,
  );
  const { code, stderr } = await bench.run(['token', 'list'], { env: { DATABASE_URL: database.url } });
  assert.equal(code, 1);
  assert.match(stderr, /newer than this version/);
  await database.drop();
});

test('an unreachable or invalid DATABASE_URL: one line without the password, exit 1', async () => {
  const urls = ['postgres://u:geheim@127.0.0.1:1/x', 'postgres://u:geheim@127.0.0.1:99999/x'];
  for (const DATABASE_URL of urls) {
    const { code, stderr } = await bench.run(['reconcile'], { env: { DATABASE_URL } });
    assert.equal(code, 1);
    assert.equal(lines(stderr).length, 1, stderr);
    assert.doesNotMatch(stderr, /geheim/);
  }
});

test('DATABASE_URL and secrets may be in files, as for the service: no command falls back to the embedded database', async () => {
  const urlFile = await bench.file('database-url', `${bench.env['DATABASE_URL']}\n`);
  const unused = join(dirname(urlFile), 'unused');
  const env = {
    DATABASE_URL: '',
    SLUICE_SECRET: '',
    SLUICE_DATA_DIR: unused,
    DATABASE_URL_FILE: urlFile,
    SLUICE_SECRET_FILE: await bench.file('secret', `${bench.env['SLUICE_SECRET']}\n`),
  };
  const { id } = (await bench.ok(['channel', 'create', '--name', 'from-files', '--json'], { env })).json();
  assert.deepEqual(await bench.rows('select name from channel where id = $1', [id]), [
    { name: 'from-files' },
  ]);
  const previous = await bench.file('previous', 'a-previous-secret-0123456789-0123456789');
  const rotated = await bench.ok(['secret', 'rotate'], {
    env: { ...env, SLUICE_SECRET_PREVIOUS_FILE: previous },
  });
  assert.match(rotated.stdout, /sealed with the current secret, 0 of them now/);
  const missing = { ...env, DATABASE_URL_FILE: `${previous}-not-there` };
  for (const args of [['reconcile'], ['backup', join(unused, 'x.backup')]]) {
    const { code, stderr } = await bench.run(args, { env: missing });
    assert.equal(code, 1);
    assert.match(stderr, /DATABASE_URL_FILE: .* cannot be read \(ENOENT\)/);
  }
  await bench.rows('delete from channel where id = $1', [id]);
  assert.equal(existsSync(unused), false);
});

test('a lost database connection is reported in one line, and an internal error keeps its stack trace', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const pool = new pg.Pool({
    connectionString: `postgres://u:geheim@127.0.0.1:${port}/x`,
    connectionTimeoutMillis: 50,
  });
  const error: unknown = await pool.query('select 1').catch((thrown: unknown) => thrown);
  silent.close();
  await pool.end();
  assert.equal(
    await explain(error),
    'the connection to the database failed: Connection terminated due to connection timeout; try again.',
  );
  assert.equal(
    await explain(new CommitUnknown(new Error('read ECONNRESET'))),
    'the connection to the database was lost during the COMMIT, so the change was made or not; check before you repeat the command: read ECONNRESET',
  );
  assert.match(await explain(new RangeError('x is missing')), /x is missing\n +at /);
  const missing: unknown = await rm(join(tmpdir(), 'sluice-not-here')).catch((thrown: unknown) => thrown);
  assert.doesNotMatch(await explain(missing), /database/);
});

test('with DATABASE_URL, commands that create keys need SLUICE_SECRET, and the message says so', async () => {
  for (const args of [['channel', 'create', '--name', 'x'], ['channel', 'rotate', '1'], ['seed']]) {
    const { code, stderr } = await bench.run(args, { env: { SLUICE_SECRET: '' } });
    assert.equal(code, 1);
    assert.match(stderr, /SLUICE_SECRET must be set/);
  }
  assert.equal(await bench.count('channel'), 0);
});

test('bin/sluice runs from any directory and through a symbolic link', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-bin-'));
  const link = join(directory, 'sluice');
  await symlink(join(ROOT, 'bin', 'sluice'), link);
  const { code, stdout } = await sluice(['--version'], { command: [link], cwd: directory });
  await rm(directory, { recursive: true });
  assert.equal(code, 0);
  assert.match(stdout, /^\d/);
});

test('a reader that has closed the pipe: exit 0 and no message', async () => {
  const command = ['sh', '-c', `{ "$0" "$@"; echo "exit $?" >&2; } | true`, join(ROOT, 'bin', 'sluice')];
  for (const args of [['--help'], ['channel', 'list', '--json']])
    assert.equal((await sluice(args, { command, env: bench.env })).stderr, 'exit 0\n', args.join(' '));
});

test('npm run sluice: a relative path is relative to the directory in which npm is called', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-caller-'));
  const database = await createDatabase();
  const env = { ...bench.env, DATABASE_URL: database.url, DATABASE_MIGRATION_URL: database.ownerUrl };
  const command = ['npm', '--prefix', ROOT, 'run', '--silent', 'sluice', '--'];
  const run = (...args: string[]): Promise<CliResult> => sluice(args, { command, cwd: directory, env });
  try {
    const saved = await run('backup', 'nightly.backup');
    assert.equal(saved.code, 0, saved.stderr);
    assert.ok((await stat(join(directory, 'nightly.backup'))).isFile());
    assert.match((await run('backup', 'nightly.backup')).stderr, /nightly\.backup already exists/);
    await writeFile(join(directory, 'codes.csv'), 'group,code,name\nDELIVERY_COMPANY,CJ,CJ\n');
    assert.match((await run('import', 'codes', 'codes.csv')).stdout, /1 row imported/);
    assert.match((await run('restore', 'nightly.backup')).stderr, /the database is not empty/);
    await writeFile(join(directory, 'key.txt'), 'a key\n');
    const nothing = 'http://127.0.0.1:1/api/v1';
    const compared = await run('compare', '--old', nothing, '--new', nothing, '--key-file', 'key.txt');
    assert.match(compared.stderr, /the (old|new) service/);
  } finally {
    await database.drop();
    await rm(directory, { recursive: true });
  }
});

test('the audit names the user of the operating system', async () => {
  await bench.ok(['token', 'create', '--name', 'who', '--role', 'viewer']);
  const [entry] = await bench.rows(`select actor, action from audit where subject = 'token:who'`);
  assert.deepEqual(entry, { actor: `cli:${userInfo().username}`, action: 'token.create' });
});
