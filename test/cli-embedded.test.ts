// Commands without DATABASE_URL start the embedded database for their own run, or join it if it is running.
import assert from 'node:assert/strict';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runningAddresses } from '../src/platform/command-database/embedded.ts';
import { serverOn } from '../src/platform/embedded-postgres/process.ts';
import { startEmbedded } from '../src/platform/embedded-postgres/server.ts';
import { enter, leaveLast, type Presence } from '../src/platform/command-database/command-line.ts';
import { ROOT, sluice, sluiceAgain, type CliResult } from './cli-run.ts';
import { copyCluster } from '../verify/kit/cluster.ts';
import { connect } from '../verify/kit/connection.ts';
import { eventually, until } from '../verify/kit/until.ts';

const parent = await mkdtemp(join(tmpdir(), 'sluice-cli-embedded-'));
// As root, the server runs as another user, which needs access to this directory. Without it the files would be placed
// elsewhere and never removed.
await chmod(parent, 0o711);
const dataDir = join(parent, 'data');
const env = { SLUICE_DATA_DIR: dataDir };
after(() => rm(parent, { recursive: true, force: true }));

async function ok(args: readonly string[]): Promise<CliResult> {
  const result = await sluice(args, { env });
  assert.equal(result.code, 0, `${result.stdout}${result.stderr}`);
  return result;
}

const runningServer = async (): Promise<unknown> => serverOn(await realpath(join(dataDir, 'postgres')));

test('only serve, migrate, restore and seed make a database: every other command names the data directory that has none', async () => {
  const file = (name: string, text: string): Promise<string> => {
    const path = join(parent, name);
    return writeFile(path, text).then(() => path);
  };
  const stock = await file('stock.csv', 'variant_code,quantity\nA,1\n');
  const channels = await file('channels.csv', 'name,api_key\n');
  const commands = [
    ['backup', join(parent, 'nothing.backup')],
    ['backup', '-'],
    ['reconcile'],
    ['channel', 'create', '--name', 'x'],
    ['channel', 'list'],
    ['channel', 'rotate', '1'],
    ['channel', 'prefix', '1', '--set', 'A-'],
    ['token', 'list'],
    ['user', 'list'],
    ['user', 'reset-password', 'admin@localhost'],
    ['secret', 'rotate'],
    ['import', 'stock', stock],
    ['import', 'stock', stock, '--dry-run'],
    ['import', 'channels', channels],
    ['erase', '--order', 'A-1', '--dry-run'],
  ];
  for (const args of commands) {
    const { code, stdout, stderr } = await sluiceAgain(args, { env });
    assert.equal(code, 1, `${args.join(' ')}: ${stderr}`);
    assert.equal(stdout, '');
    assert.equal(
      stderr,
      `sluice: there is no database in ${dataDir}. Set SLUICE_DATA_DIR or DATABASE_URL as for the service; "sluice migrate" makes a new, empty database.\n`,
    );
  }
  assert.deepEqual((await readdir(parent)).toSorted(), ['channels.csv', 'stock.csv']);
});

test('a server without the tables of Sluice is not used either, except by migrate', async () => {
  const place = { SLUICE_DATA_DIR: join(parent, 'empty') };
  await copyCluster(place.SLUICE_DATA_DIR, 'empty');
  const { code, stderr } = await sluice(['user', 'list'], { env: place });
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`the database in ${place.SLUICE_DATA_DIR} has no tables of Sluice\\.`));
});

test('migrate and the first command with a key create database, schema and secret, and leave no server running', async () => {
  const { stdout: migrated } = await ok(['migrate']);
  assert.match(migrated, /0001_/);
  const { stdout } = await ok(['channel', 'create', '--name', 'Embedded']);
  assert.match(stdout, /API key \(shown only now\): sluice_/);
  assert.equal((await stat(join(dataDir, 'secret'))).mode & 0o777, 0o600);
  assert.equal((await stat(dataDir)).mode & 0o044, 0, 'other users must not list the data directory');
  assert.equal(await runningServer(), null);
});

test('a secret that is missing in a used data directory is named, and no new one is made', async () => {
  const file = join(dataDir, 'secret');
  await rename(file, `${file}.elsewhere`);
  const { code, stderr } = await sluice(['channel', 'create', '--name', 'x'], { env });
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`${file} is missing`));
  await assert.rejects(stat(file), { code: 'ENOENT' });
  await rename(`${file}.elsewhere`, file);
});

test('two concurrent commands share one server, and neither loses its connection', async () => {
  const [one, two] = await Promise.all([ok(['seed', '--json']), ok(['channel', 'list', '--json'])]);
  assert.equal(one.json().channels.length, 3);
  assert.ok(two.json().length >= 1);
  assert.equal(await runningServer(), null);
});

test('a command that started the server does not stop it while another command uses it', async () => {
  const place = { SLUICE_DATA_DIR: join(parent, 'other') };
  await copyCluster(place.SLUICE_DATA_DIR);
  let ended = false;
  const seeding = sluice(['seed'], { env: place }).finally(() => (ended = true));
  const { url, presence } = await enterSoon(place.SLUICE_DATA_DIR);
  const client = await connect(url);
  // The command has done its work when it waits until it is the last user of the server.
  const waiting = `select from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock' and not granted`;
  await until(
    async () => (await client.query(waiting)).rowCount !== 0,
    'the command waits to be the last one',
  );
  await client.end();
  assert.equal(ended, false);
  await presence.leave();
  const { code, stderr } = await seeding;
  assert.equal(code, 0, stderr);
});

test('a server that is being stopped accepts no new command', async () => {
  const server = await startEmbedded({ dataDir, log: { info: () => {}, warn: () => {} } });
  try {
    await leaveLast(server.url, 1_000, async () => {
      assert.equal(await enter(server.url), 'the server is being stopped by the command that started it');
    });
    const presence = await enter(server.url);
    assert.ok(typeof presence === 'object', 'after an abandoned stop, commands can enter again');
    const before = Date.now();
    await leaveLast(server.url, 200, async () => {});
    assert.ok(Date.now() - before >= 200, 'the stop waits for present commands until its timeout');
    await presence.leave();
  } finally {
    await server.stop();
  }
});

/** Retries until the server accepts a connection: its role is created a moment after the start. */
async function enterSoon(directory: string): Promise<{ url: string; presence: Presence }> {
  return eventually(async () => {
    const running = await runningAddresses(directory);
    assert.ok(running, 'the server is not up');
    const presence = await enter(running.url);
    assert.ok(typeof presence === 'object', 'the server accepts no command');
    return { url: running.url, presence };
  });
}

test('databases outside of the data directory are listed; an orphan is removed by name, one in use only with --in-use', async () => {
  const place = join(parent, 'temporary', 'sluice-shared');
  const home = join(place, 'db-0123456789ab');
  const orphan = join(place, 'db-ba9876543210');
  const owner = join(parent, 'owner');
  for (const one of [home, orphan]) {
    await mkdir(join(one, 'data', 'global'), { recursive: true });
    await writeFile(join(one, 'data', 'PG_VERSION'), '18\n');
    await writeFile(join(one, 'data', 'global', 'pg_control'), Buffer.alloc(8192));
    await writeFile(join(one, 'sluice.json'), JSON.stringify({ home: one, dataDir: owner, pid: 1 }));
  }
  await mkdir(owner);
  await symlink(join(home, 'data'), join(owner, 'postgres'));
  const run = (args: readonly string[]) => sluice(args, { env: { TMPDIR: join(parent, 'temporary') } });
  const listed = (await run(['database', 'list', '--json'])).json();
  const ours = listed.filter((one: { directory: string }) => one.directory.startsWith(place));
  const states = ours.map((one: Record<string, unknown>) => [one['name'], one['in_use'], one['running']]);
  assert.deepEqual(states, [
    ['db-0123456789ab', true, false],
    ['db-ba9876543210', false, false],
  ]);
  assert.equal(ours[0].data_dir, owner);
  assert.equal(ours[0].postgres_version, '18');
  assert.match(
    (await run(['database', 'list'])).stdout,
    /db-ba9876543210 +1 MB +18 .* data directory missing/,
  );

  assert.match((await run(['database', 'remove', 'db-0123456789ab'])).stderr, /still exists. Add --in-use/);
  assert.ok((await stat(home)).isDirectory());
  assert.equal((await run(['database', 'remove', 'db-ba9876543210'])).code, 0);
  await assert.rejects(stat(orphan), { code: 'ENOENT' });
  assert.match(await readFile(join(place, 'removed.log'), 'utf8'), /"removed":"db-ba9876543210"/);
  assert.equal((await run(['database', 'remove', 'db-0123456789ab', '--in-use'])).code, 0);
  await assert.rejects(stat(home), { code: 'ENOENT' });
  assert.match((await run(['database', 'remove', 'db-0123456789ab'])).stderr, /there is no database/);
});

test('a running server is joined and left running', async () => {
  const server = await startEmbedded({ dataDir, log: { info: () => {}, warn: () => {} } });
  try {
    const list = (await ok(['channel', 'list', '--json'])).json();
    assert.equal(list.length, 4);
    assert.match((await ok(['migrate'])).stdout, /up to date/);
    assert.notEqual(await runningServer(), null);
    // Resetting the password of the first administrator removes the file with the password of the first start.
    const file = join(dataDir, 'first-sign-in.txt');
    await writeFile(file, 'a one-time password');
    for (const email of ['minji@example.com', 'admin@localhost']) {
      await ok(['user', 'create', '--email', email, '--role', 'admin']);
      assert.ok(await stat(file));
      await ok(['user', 'reset-password', email]);
    }
    await assert.rejects(stat(file), { code: 'ENOENT' });
  } finally {
    await server.stop();
  }
});

test('the nightly backup and the trial restore of docs/operations.md work as written, while the service runs', async () => {
  const text = await readFile(join(ROOT, 'docs', 'operations.md'), 'utf8');
  const script = (name: string): string =>
    (new RegExp(`<!-- test:${name} -->\n\`\`\`sh\n(.*?)\`\`\``, 's').exec(text)?.[1] ?? '')
      .replaceAll('/srv/sluice\n', `${ROOT}\n`)
      .replaceAll('/srv/sluice ', `${ROOT} `)
      .replaceAll('/var/lib/sluice-data', dataDir)
      .replaceAll('/backup/sluice', join(parent, 'backups'))
      .replaceAll('/var/tmp/sluice-trial', join(parent, 'trial'));
  const paste = (name: string): Promise<CliResult> =>
    sluice(['-eu', '-c', script(name)], { command: ['sh'], cwd: '/' });
  // A cluster without a schema, as the first start creates it. Other tests cover initdb.
  await copyCluster(join(parent, 'trial'), 'empty');
  const server = await startEmbedded({ dataDir, log: { info: () => {}, warn: () => {} } });
  try {
    const saved = await paste('backup');
    assert.equal(saved.code, 0, saved.stderr);
    assert.match(saved.stdout, /sluice-\d{4}-\d\d-\d\d-\d{6}\.backup: \d+ rows/);
    const restored = await paste('restore');
    assert.equal(restored.code, 0, restored.stderr);
    assert.match(restored.stdout, /Restored the backup of .*\nNo drift/);
    assert.match(restored.stderr, /No secret is configured/);
    await assert.rejects(stat(join(parent, 'trial')), { code: 'ENOENT' });
    assert.match((await sluice(['restore', '-'], { env })).stderr, /was refused/, 'standard input is empty');
    assert.notEqual(await runningServer(), null);
  } finally {
    await server.stop();
  }
});
