import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { connect, createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { after, before, describe, test } from 'node:test';
import { binariesFor } from '../src/platform/embedded-postgres/binaries.ts';
import { isAlive, isServerOn, readPidFile } from '../src/platform/embedded-postgres/process.ts';
import type { EmbeddedServer } from '../src/platform/embedded-postgres/server.ts';
import { SERVICE_ROLE } from '../src/platform/embedded-postgres/roles.ts';
import { EmbeddedStartError, startEmbedded } from '../src/platform/embedded-postgres/server.ts';
import { migrate } from '../src/platform/database/migrations.ts';
import { copyCluster } from '../verify/kit/cluster.ts';
import { query } from '../verify/kit/connection.ts';
import { keepServerLog } from '../verify/kit/written.ts';
import { until } from '../verify/kit/until.ts';

const MODULE = new URL('../src/platform/embedded-postgres/server.ts', import.meta.url).href;
const IS_ROOT = process.getuid?.() === 0;
const NOBODY = 65_534;
/** These tests mostly wait, so several of them run concurrently. */
const AT_ONCE = { concurrency: 3 };
const SMALL = { shared_buffers: '16MB' };
/** fsync is off, because these tests kill processes and never the machine. */
const QUICK = { ...SMALL, fsync: 'off' };
const QUIET = { info: () => undefined, warn: () => undefined };

interface Service {
  readonly process: ChildProcess;
  readonly url: string;
  readonly error: string;
}

const cleanups = new WeakMap<TestContext, (() => unknown)[]>();

/** Clean-ups run in reverse order, so that a server stops before its directory is removed. */
function afterwards(t: TestContext, cleanup: () => unknown): void {
  const list = cleanups.get(t) ?? [];
  if (list.length === 0) {
    cleanups.set(t, list);
    t.after(async () => {
      for (const each of list.toReversed()) await each();
    });
  }
  list.push(cleanup);
}

const emptyDir = (): string => fs.mkdtempSync(join(fs.realpathSync(tmpdir()), 'sluice-embedded-'));

/** A data directory that is removed after the test; a server that still runs on it is stopped first. */
function tempDataDir(t: TestContext): string {
  const dataDir = emptyDir();
  afterwards(t, () => discard(dataDir));
  return dataDir;
}

/** A data directory with a database that has been in use before. */
async function usedDataDir(t: TestContext): Promise<string> {
  const dataDir = tempDataDir(t);
  await copyCluster(dataDir, 'empty');
  return dataDir;
}

async function discard(dataDir: string): Promise<void> {
  const dir = databaseDir(dataDir);
  const pid = (await readPidFile(dir))?.pid ?? 0;
  if (await isServerOn(pid, dir)) {
    process.kill(pid, 'SIGQUIT');
    await until(async () => !(await isServerOn(pid, dir)));
  }
  keepServerLog(dataDir);
  if (dirname(dir) !== dataDir) fs.rmSync(dirname(dir), { recursive: true, force: true });
  fs.rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 });
}

function databaseDir(dataDir: string): string {
  const link = join(dataDir, 'postgres');
  return fs.existsSync(link) ? fs.realpathSync(link) : link;
}

async function start(t: TestContext, dataDir: string, messages: string[] = []): Promise<EmbeddedServer> {
  const note = (message: string) => void messages.push(message);
  const server = await startEmbedded({ dataDir, log: { info: note, warn: note }, settings: QUICK });
  afterwards(t, () => server.stop());
  return server;
}

/** A separate process that runs the server until it is stopped, as the service does. */
async function startService(t: TestContext, dataDir: string, user?: number): Promise<Service> {
  const code = `
    import { startEmbedded } from ${JSON.stringify(MODULE)};
    const log = { info() {}, warn() {} };
    try {
      const server = await startEmbedded({ dataDir: process.argv[1], log, settings: ${JSON.stringify(QUICK)} });
      for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.send(signal));
      process.on('SIGUSR2', () => process.exit(3));
      process.on('message', async () => { await server.stop(); process.disconnect(); });
      process.send({ url: server.ownerUrl, error: '' });
    } catch (error) {
      process.send({ url: '', error: error.name + ': ' + error.message }, () => process.disconnect());
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code, dataDir], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
    cwd: '/',
    ...(user === undefined ? {} : { uid: user, gid: user }),
  });
  afterwards(t, () => child.kill('SIGKILL'));
  const [answer] = (await once(child, 'message')) as [{ url: string; error: string }];
  return { process: child, ...answer };
}

/** Starts two services concurrently; exactly one must run. */
async function oneOfTwo(t: TestContext, dataDir: string): Promise<Service> {
  const both = await Promise.all([startService(t, dataDir), startService(t, dataDir)]);
  const runs = both.find((service) => service.url !== '');
  const refused = both.find((service) => service.url === '');
  assert.match(refused?.error ?? '', /^EmbeddedStartError: another Sluice .*is already running/);
  assert.ok(runs !== undefined && (await answers(runs.url)));
  return runs;
}

async function value(url: string, sql: string): Promise<unknown> {
  return Object.values((await query(url, sql))[0] ?? {})[0];
}

async function answers(url: string): Promise<boolean> {
  return query(url, 'select 1').then(
    () => true,
    () => false,
  );
}

async function serverPid(dataDir: string): Promise<number> {
  const file = await readPidFile(databaseDir(dataDir));
  assert.ok(file !== null && (await isServerOn(file.pid, databaseDir(dataDir))));
  return file.pid;
}

async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

function startErrorWith(pattern: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof EmbeddedStartError && pattern.test(error.message);
}

async function canRunAs(user: number): Promise<boolean> {
  const code = `await import(${JSON.stringify(MODULE)})`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    uid: user,
    gid: user,
    cwd: '/',
    stdio: 'ignore',
  });
  // A program that cannot be executed emits 'error', which once() turns into a rejection.
  const [status] = (await once(child, 'close').catch(() => [null])) as [number | null];
  return status === 0;
}

describe('a fresh data directory', () => {
  const dataDir = emptyDir();
  let server: EmbeddedServer;
  before(async () => {
    server = await startEmbedded({ dataDir, log: QUIET, settings: SMALL });
  });
  after(async () => {
    await server?.stop();
    await discard(dataDir);
  });

  test('the server is durable and sorts by code point', async () => {
    const settings = ['fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums', 'autovacuum'];
    for (const name of settings) assert.equal(await value(server.url, `show ${name}`), 'on', name);
    assert.equal(await value(server.url, 'show server_encoding'), 'UTF8');
    assert.equal(await value(server.url, 'show timezone'), 'UTC');
    assert.equal(
      await value(server.url, 'show wal_segment_size'),
      '1MB',
      'segments are small, because creating one delays a COMMIT',
    );
    const sorted = `select string_agg(x, '' order by x) from unnest(array['é','b','한','a','Z','_','-']) x`;
    assert.equal(await value(server.url, sorted), '-Z_abé한');
    assert.equal(await value(server.url, `select lower('É')`), 'é');
  });

  test('the service is not a superuser, and only the owner can read the password file', async () => {
    assert.equal(
      await value(server.url, 'select rolsuper from pg_roles where rolname = current_user'),
      false,
    );
    assert.equal(
      await value(server.adminUrl, 'select rolsuper from pg_roles where rolname = current_user'),
      true,
    );
    await query(server.ownerUrl, 'create table mine (id int)');
    await assert.rejects(query(server.url, 'select from mine'), /permission denied/);
    await assert.rejects(query(server.url, 'create table mine_too (id int)'), /permission denied/);
    assert.equal(fs.statSync(join(dataDir, 'postgres-password')).mode & 0o777, 0o600);
    assert.equal(fs.statSync(join(dataDir, 'postgres.log')).mode & 0o777, 0o600);
    const asSuperuser = new URL(server.adminUrl);
    asSuperuser.password = new URL(server.url).password;
    await assert.rejects(query(asSuperuser.href, 'select 1'), /password authentication failed/);
  });

  test('the server listens on the loopback address only and requires a password', async () => {
    assert.equal(await value(server.adminUrl, 'show unix_socket_directories'), '');
    const rules = `select string_agg(concat_ws(' ', type, address, netmask, auth_method), ',') from pg_hba_file_rules`;
    assert.equal(await value(server.adminUrl, rules), 'host 127.0.0.1 255.255.255.255 scram-sha-256');
    const port = Number(new URL(server.url).port);
    const others = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
    for (const { address } of others.filter((other) => other.family === 'IPv4' && !other.internal)) {
      const socket = connect(port, address);
      await assert.rejects(once(socket, 'connect'), { code: 'ECONNREFUSED' });
    }
  });
});

describe('a used data directory', AT_ONCE, () => {
  test('a database of an earlier version, owned by the service role, is reassigned to the owner role', async (t) => {
    const dataDir = await usedDataDir(t);
    const first = await start(t, dataDir);
    await migrate(first.ownerUrl);
    const inside = new URL(first.adminUrl);
    inside.pathname = '/sluice';
    await query(
      inside.href,
      `reassign owned by sluice_owner to sluice; drop owned by sluice_owner; drop role sluice_owner;
       grant connect, temporary on database sluice, postgres, template1 to public`,
    );
    await query(first.url, `insert into common_code values ('G', 'C', 'kept')`);
    await first.stop();
    const second = await start(t, dataDir);
    await assert.rejects(query(second.url, 'select from common_code'), /permission denied/);
    assert.deepEqual(await migrate(second.ownerUrl, SERVICE_ROLE), []);
    assert.equal(await value(second.url, 'select name from common_code'), 'kept');
    await assert.rejects(query(second.url, 'truncate audit'), /permission denied/);
    const owned = `select count(*)::int from pg_class where relowner = 'sluice'::regrole`;
    assert.equal(await value(second.url, owned), 0);
  });

  test('rows survive stop and start, and stop may be called twice', async (t) => {
    const dataDir = await usedDataDir(t);
    const first = await start(t, dataDir);
    await query(first.ownerUrl, 'create table kept as select 1 as id');
    await Promise.all([first.stop(), first.stop()]);
    assert.equal(await answers(first.url), false);
    const second = await start(t, dataDir);
    assert.equal(await value(second.ownerUrl, 'select count(*)::int from kept'), 1);
  });
});

describe('killed services and servers', AT_ONCE, () => {
  test('a server orphaned by kill -9 of its service is replaced at the next start, and its rows survive', async (t) => {
    const dataDir = await usedDataDir(t);
    const service = await startService(t, dataDir);
    await query(service.url, 'create table kept as select generate_series(1, 100) as id');
    const orphan = await serverPid(dataDir);
    await kill(service.process, 'SIGKILL');
    assert.ok(await answers(service.url), 'the server outlives its service');

    const messages: string[] = [];
    const server = await start(t, dataDir, messages);
    assert.equal(await value(server.ownerUrl, 'select count(*)::int from kept'), 100);
    assert.ok(messages.some((message) => message.includes(`process ${orphan}`)));
    assert.equal(await isServerOn(orphan, databaseDir(dataDir)), false);
  });

  test('service and server killed, directory renamed: the start waits for leftover backends, and the rows survive', async (t) => {
    const dataDir = await usedDataDir(t);
    const service = await startService(t, dataDir);
    await query(service.url, 'create table kept as select generate_series(1, 100) as id');
    const postmaster = await serverPid(dataDir);
    // A busy backend does not check whether its postmaster is alive, and keeps the shared memory.
    const busy = query(
      service.url,
      `do $$ declare started timestamptz := clock_timestamp();
       begin while clock_timestamp() < started + interval '2 s' loop end loop; end $$`,
    ).catch(() => undefined);
    const computing = `select count(*)::int from pg_stat_activity where query like 'do $$%' and state = 'active'`;
    await until(async () => (await value(service.url, computing)) === 1);
    service.process.kill('SIGKILL');
    process.kill(postmaster, 'SIGKILL');
    const moved = `${dataDir}-moved`;
    afterwards(t, () => discard(moved));
    fs.renameSync(dataDir, moved);
    const server = await start(t, moved);
    assert.equal(await value(server.ownerUrl, 'select count(*)::int from kept'), 100);
    await busy;
  });

  test('a stale pid file with the process id of another program is removed, and that program keeps running', async (t) => {
    const dataDir = await usedDataDir(t);
    await (await start(t, dataDir)).stop();
    // Runs as the user of the server; otherwise PostgreSQL itself sees that the process is not a server.
    const { uid, gid } = fs.statSync(databaseDir(dataDir));
    const bystander = spawn('sleep', ['60'], { stdio: 'ignore', cwd: '/', uid, gid });
    afterwards(t, () => bystander.kill('SIGKILL'));
    const pidFile = join(dataDir, 'postgres', 'postmaster.pid');
    const started = Math.floor(Date.now() / 1000) - 60;
    fs.writeFileSync(pidFile, `${bystander.pid}\n${databaseDir(dataDir)}\n${started}\n20001\n\n127.0.0.1\n`);
    const server = await start(t, dataDir);
    assert.ok(await answers(server.url));
    assert.equal(bystander.signalCode, null);
  });

  test('a killed server is restarted on the same port, and a second service is still refused', async (t) => {
    const dataDir = await usedDataDir(t);
    const messages: string[] = [];
    const server = await start(t, dataDir, messages);
    await query(server.ownerUrl, 'create table kept as select 1 as id');
    const killed = await serverPid(dataDir);
    process.kill(killed, 'SIGKILL');
    await until(() => messages.some((message) => message.includes('is running again')));
    assert.equal(await value(server.ownerUrl, 'select count(*)::int from kept'), 1);
    assert.notEqual(await serverPid(dataDir), killed);
    assert.ok(messages.some((message) => message.includes('ended unexpectedly (SIGKILL)')));
    await assert.rejects(start(t, dataDir), startErrorWith(/already running/));
  });

  test('the restart of a killed server waits while another program uses its port', async (t) => {
    const dataDir = await usedDataDir(t);
    const messages: string[] = [];
    const server = await start(t, dataDir, messages);
    process.kill(await serverPid(dataDir), 'SIGKILL');
    const squatter = createServer((socket) => socket.destroy());
    squatter.on('error', () => undefined);
    await until(() => {
      if (!squatter.listening) squatter.listen(Number(new URL(server.url).port), '127.0.0.1');
      return squatter.listening;
    });
    const attempts = () =>
      fs.readFileSync(join(dataDir, 'postgres.log'), 'utf8').split('Address already in use').length - 1;
    const earlier = attempts();
    await until(() => attempts() > earlier, 'a restart that finds the port in use');
    assert.ok(!messages.some((message) => message.includes('is running again')));
    squatter.close();
    await until(() => messages.some((message) => message.includes('is running again')));
    assert.ok(await answers(server.url));
  });

  test('stop during the restart of a killed server leaves no server running', async (t) => {
    const dataDir = await usedDataDir(t);
    const messages: string[] = [];
    const server = await start(t, dataDir, messages);
    process.kill(await serverPid(dataDir), 'SIGKILL');
    await until(() => messages.some((message) => message.includes('ended unexpectedly')));
    await server.stop();
    const file = await readPidFile(databaseDir(dataDir));
    assert.equal(await isServerOn(file?.pid ?? 0, databaseDir(dataDir)), false);
  });

  test('a lost owner connection is reopened, and a second service is still refused', async (t) => {
    const dataDir = await usedDataDir(t);
    const server = await start(t, dataDir);
    const owners = `from pg_stat_activity where application_name like 'sluice owner %'`;
    const lost = await value(server.adminUrl, `select pid ${owners}`);
    await query(server.adminUrl, `select pg_terminate_backend(pid) ${owners}`);
    await until(async () => {
      const now = await value(server.adminUrl, `select pid ${owners}`);
      return now !== undefined && now !== lost;
    });
    await assert.rejects(start(t, dataDir), startErrorWith(/already running/));
  });

  test('when a service exits without stopping its server, the server stops too', async (t) => {
    const dataDir = await usedDataDir(t);
    const service = await startService(t, dataDir);
    const pid = await serverPid(dataDir);
    await kill(service.process, 'SIGUSR2');
    await until(async () => !(await isServerOn(pid, databaseDir(dataDir))));
  });

  test('Ctrl-C, a SIGINT to the whole process group: the server keeps running until stop()', async (t) => {
    const dataDir = await usedDataDir(t);
    const service = await startService(t, dataDir);
    const postmaster = await serverPid(dataDir);
    assert.ok(service.process.pid !== undefined);
    const interrupted = once(service.process, 'message');
    process.kill(-service.process.pid, 'SIGINT');
    assert.deepEqual((await interrupted)[0], 'SIGINT');
    // A server in the same group would have begun its shutdown, which ends in milliseconds and refuses connections.
    assert.ok(await answers(service.url));
    const log = fs.readFileSync(join(dataDir, 'postgres.log'), 'utf8');
    assert.doesNotMatch(log, /received (?:smart|fast) shutdown request/);
    assert.equal(await serverPid(dataDir), postmaster, 'the server was not restarted');
    const ended = once(service.process, 'exit');
    service.process.send('stop');
    assert.deepEqual(await ended, [0, null]);
    assert.equal(await answers(service.url), false);
  });
});

describe('one service per data directory', AT_ONCE, () => {
  test('a second service on the same directory is refused with the process id of the first', async (t) => {
    const dataDir = await usedDataDir(t);
    const service = await startService(t, dataDir);
    const named = `another Sluice (process ${service.process.pid}) is already running on ${dataDir}; `;
    await assert.rejects(start(t, dataDir), (error) => (error as Error).message.startsWith(named));
    assert.ok(await answers(service.url), 'the first service keeps running');
  });

  test('two concurrent first starts: one runs, the other is refused', async (t) => {
    const dataDir = tempDataDir(t);
    const winner = await oneOfTwo(t, dataDir);
    assert.deepEqual(fs.readdirSync(dataDir).toSorted(), ['postgres', 'postgres-password', 'postgres.log']);
    await kill(winner.process, 'SIGKILL');
    await oneOfTwo(t, dataDir); // the same with the orphaned server of the winner
  });

  test('a first start that is killed while it creates the database leaves no partial database', async (t) => {
    const dataDir = tempDataDir(t);
    const service = startService(t, dataDir).catch(() => undefined);
    const isWorking = (name: string) => name.startsWith('postgres-init-');
    await until(() => fs.readdirSync(dataDir).some(isWorking));
    const pid = Number(/^postgres-init-(\d+)-/.exec(fs.readdirSync(dataDir).find(isWorking) ?? '')?.[1]);
    process.kill(pid, 'SIGKILL');
    await until(() => !isAlive(pid));
    assert.equal(fs.existsSync(join(dataDir, 'postgres')), false);
    const server = await start(t, dataDir);
    assert.ok(await answers(server.url));
    assert.equal(fs.readdirSync(dataDir).some(isWorking), false);
    void service;
  });
});

describe('copied and moved data directories', AT_ONCE, () => {
  test('a copy taken while the server ran is refused with instructions; the original keeps running', async (t) => {
    const dataDir = await usedDataDir(t);
    const server = await start(t, dataDir);
    const copy = `${dataDir}-copy`;
    afterwards(t, () => discard(copy));
    execFileSync('cp', ['-a', dataDir, copy]);
    const refused = (pattern: RegExp) => assert.rejects(start(t, copy), startErrorWith(pattern));
    await refused(/is a copy of the database of .*"sluice backup FILE"/);
    fs.rmSync(join(copy, 'postgres', 'postmaster.pid'));
    await refused(/is a copy of the database of /);
    assert.ok(await answers(server.url));
    // Earlier versions wrote no record: here the pid file reveals the copy.
    fs.copyFileSync(join(dataDir, 'postgres', 'postmaster.pid'), join(copy, 'postgres', 'postmaster.pid'));
    fs.rmSync(join(copy, 'postgres', 'sluice-place.json'));
    await refused(/is a copy, taken while its server ran/);
    assert.ok(await answers(server.url));
  });

  test('the same directory under two paths is one database: the second start is refused', async (t) => {
    const dataDir = await usedDataDir(t);
    const mounted = tempDataDir(t);
    try {
      execFileSync('mount', ['--bind', dataDir, mounted], { stdio: 'pipe' });
    } catch {
      return t.skip('needs the right to mount');
    }
    afterwards(t, () => execFileSync('umount', [mounted]));
    const server = await start(t, dataDir);
    const pid = await serverPid(dataDir);
    await assert.rejects(start(t, mounted), startErrorWith(/another Sluice .* is already running/));
    assert.equal(await serverPid(dataDir), pid);
    assert.ok(await answers(server.url));
    return undefined;
  });

  /** The layout of earlier versions: the database elsewhere, a link in the data directory, a note under two names. */
  async function withDatabaseOutside(t: TestContext): Promise<{ dataDir: string; home: string }> {
    const dataDir = await usedDataDir(t);
    const place = tempDataDir(t);
    fs.chmodSync(place, 0o711);
    const home = join(place, 'db-0123456789ab');
    fs.mkdirSync(home, { mode: 0o711 });
    fs.renameSync(join(dataDir, 'postgres'), join(home, 'data'));
    fs.rmSync(join(home, 'data', 'sluice-place.json'), { force: true });
    fs.symlinkSync(join(home, 'data'), join(dataDir, 'postgres'));
    const twin = join(dataDir, 'postgres-at-db-0123456789ab.json');
    fs.writeFileSync(twin, JSON.stringify({ home, dataDir, pid: 1 }));
    fs.linkSync(twin, join(home, 'sluice.json'));
    return { dataDir, home };
  }

  test('a copy that contains only a link never uses the database of its original; a moved data directory does', async (t) => {
    const { dataDir, home } = await withDatabaseOutside(t);
    const [copy, moved] = [`${dataDir}-copy`, `${dataDir}-moved`];
    for (const one of [copy, moved]) afterwards(t, () => fs.rmSync(one, { recursive: true, force: true }));
    execFileSync('cp', ['-a', dataDir, copy]);
    const refused = () =>
      assert.rejects(start(t, copy), startErrorWith(/seems to be a copy .*sluice backup/));
    await refused(); // because of the note of the earlier version
    fs.renameSync(dataDir, moved);
    await refused(); // because the original still exists under another name
    const first = await start(t, moved);
    await query(first.ownerUrl, 'create table kept as select 1 as id');
    await first.stop();
    await refused(); // because of the record of this version
    fs.rmSync(moved, { recursive: true });
    const messages: string[] = [];
    const second = await start(t, copy, messages);
    assert.equal(await value(second.ownerUrl, 'select count(*)::int from kept'), 1);
    assert.ok(messages.some((message) => /was moved/.test(message)));
    await second.stop();
    assert.ok(fs.existsSync(join(home, 'data', 'PG_VERSION')));
  });
});

describe('starts that fail', AT_ONCE, () => {
  test('a data directory that cannot be created is named in the error', async (t) => {
    const dataDir = tempDataDir(t);
    fs.writeFileSync(join(dataDir, 'file'), '');
    await assert.rejects(start(t, join(dataDir, 'file', 'data')), startErrorWith(/cannot be used: ENOTDIR/));
  });

  test(
    'a data directory below /proc, where no directory can be created, is named in the error',
    { skip: process.platform !== 'linux' && 'there is no /proc' },
    async (t) => {
      await assert.rejects(start(t, '/proc/sluice/data'), startErrorWith(/cannot be used: ENOENT/));
    },
  );

  test('a read-only data directory is named in the error', { skip: IS_ROOT && 'root may' }, async (t) => {
    const dataDir = tempDataDir(t);
    fs.chmodSync(dataDir, 0o500);
    await assert.rejects(start(t, dataDir), startErrorWith(/cannot be used: EACCES/));
  });

  test('a database of another PostgreSQL version, or a directory without one, is refused and not changed', async (t) => {
    const dataDir = tempDataDir(t);
    fs.writeFileSync(join(dataDir, 'postgres-password'), 'secret\n');
    fs.mkdirSync(join(dataDir, 'postgres'));
    fs.writeFileSync(join(dataDir, 'postgres', 'something'), '');
    await assert.rejects(start(t, dataDir), startErrorWith(/is not a PostgreSQL database/));
    fs.writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '17\n');
    await assert.rejects(
      start(t, dataDir),
      startErrorWith(
        /PostgreSQL 17, .* has PostgreSQL 18. Nothing was changed. .*sluice backup .*sluice restore/,
      ),
    );
    assert.deepEqual(fs.readdirSync(join(dataDir, 'postgres')), ['PG_VERSION', 'something']);
    fs.rmSync(join(dataDir, 'postgres'), { recursive: true });
    fs.symlinkSync(join(dataDir, 'gone'), join(dataDir, 'postgres'));
    await assert.rejects(start(t, dataDir), startErrorWith(/points to a database that does not exist/));
    fs.rmSync(join(dataDir, 'postgres-password'));
    await assert.rejects(start(t, dataDir), startErrorWith(/postgres-password is missing/));
  });

  test('a server that does not start: the error quotes the log of PostgreSQL, and no server is left', async (t) => {
    const dataDir = await usedDataDir(t);
    const broken = startEmbedded({ dataDir, log: QUIET, settings: { shared_buffers: 'plenty' } });
    await assert.rejects(broken, startErrorWith(/did not start \(exit code 1\):\n.*shared_buffers.*plenty/s));
    assert.equal(await readPidFile(databaseDir(dataDir)), null);
  });

  test('an aborted start leaves no server running', async (t) => {
    const dataDir = await usedDataDir(t);
    const giveUp = new AbortController();
    const slow = { ...QUICK, pre_auth_delay: '1' }; // seconds
    const starting = startEmbedded({ dataDir, log: QUIET, settings: slow, signal: giveUp.signal });
    afterwards(t, () =>
      starting.then(
        (server) => server.stop(),
        () => undefined,
      ),
    );
    const refused = assert.rejects(starting, { name: 'AbortError' });
    const dir = join(dataDir, 'postgres');
    let pid = 0;
    await until(async () => (pid = (await readPidFile(dir))?.pid ?? 0) !== 0);
    giveUp.abort();
    await refused;
    assert.equal(await isServerOn(pid, dir), false);
  });
});

describe('users of the operating system', AT_ONCE, () => {
  test(
    'as root, in a directory closed to other users: the database is inside, a copy is complete, no start deletes anything',
    { skip: !IS_ROOT && 'needs root' },
    async (t) => {
      const closed = tempDataDir(t);
      const place = (name: string): string => {
        const dataDir = join(closed, name);
        afterwards(t, () => discard(dataDir));
        return dataDir;
      };
      const original = place('data');
      const first = await start(t, original);
      await query(first.ownerUrl, 'create table kept as select 1 as id');
      assert.equal(fs.statSync(closed).mode & 0o777, 0o700, 'the mode of the parent directory is unchanged');
      await first.stop();

      // Like an operator who copies the data directory, removes the original and starts another service.
      const copy = place('copy');
      execFileSync('cp', ['-a', original, copy]);
      fs.rmSync(original, { recursive: true });
      const another = place('another');
      await copyCluster(another, 'empty');
      await (await start(t, another)).stop();

      const second = await start(t, copy);
      assert.equal(await value(second.ownerUrl, 'select count(*)::int from kept'), 1);
      assert.equal(databaseDir(copy), join(copy, 'postgres'));
      assert.notEqual(fs.statSync(databaseDir(copy)).uid, 0);
      await assert.rejects(start(t, copy), startErrorWith(/already running/));
      await second.stop();
    },
  );

  test(
    'as root, PostgreSQL programs in a directory closed to other users are copied once',
    { skip: !IS_ROOT && 'needs root' },
    async (t) => {
      const closed = tempDataDir(t);
      for (const dir of ['bin', 'lib', 'share'])
        fs.mkdirSync(join(closed, 'native', dir), { recursive: true });
      fs.writeFileSync(join(closed, 'native', 'lib', 'lib.so.1'), 'library');
      fs.symlinkSync('lib.so.1', join(closed, 'native', 'lib', 'lib.so'));
      for (const name of ['postgres', 'initdb']) {
        fs.writeFileSync(join(closed, 'native', 'bin', name), closed, { mode: 0o700 });
      }
      const messages: string[] = [];
      const log = { info: (message: string) => void messages.push(message), warn: () => undefined };
      const user = { name: 'nobody', uid: NOBODY, gid: NOBODY };
      const found = { home: join(closed, 'native'), version: 'test' };
      const copies = await Promise.all([binariesFor(found, user, log), binariesFor(found, user, log)]);
      const home = copies[0]?.home ?? '';
      afterwards(t, () => fs.rmSync(home, { recursive: true, force: true }));
      assert.equal(copies[1]?.home, home);
      assert.equal(fs.statSync(join(home, 'bin', 'postgres')).mode & 0o777, 0o755);
      assert.equal(fs.readlinkSync(join(home, 'lib', 'lib.so')), 'lib.so.1');
      messages.length = 0;
      assert.equal((await binariesFor(found, user, log)).home, home);
      assert.deepEqual(messages, []);
      assert.deepEqual(
        fs.readdirSync(dirname(home)).filter((name) => name.startsWith('copying-')),
        [],
      );
    },
  );

  test(
    'the server of an ordinary user runs as that user',
    { skip: !IS_ROOT && 'all tests do' },
    async (t) => {
      if (!(await canRunAs(NOBODY))) return t.skip('other users cannot read this clone');
      const dataDir = tempDataDir(t);
      fs.chownSync(dataDir, NOBODY, NOBODY);
      const service = await startService(t, dataDir, NOBODY);
      assert.equal(service.error, '');
      assert.equal(fs.statSync(join(dataDir, 'postgres')).uid, NOBODY);
      assert.equal(fs.statSync(dataDir).mode & 0o777, 0o700);
      await query(service.url, 'create table kept as select 1 as id');
      await kill(service.process, 'SIGKILL');

      // Started by root on the same directory, the server runs as the owner of the database.
      const server = await start(t, dataDir);
      assert.equal(await value(server.ownerUrl, 'select count(*)::int from kept'), 1);
      await server.stop();
      return undefined;
    },
  );

  test(
    'an ordinary user gets an error for a database of another user',
    { skip: !IS_ROOT && 'needs root' },
    async (t) => {
      if (!(await canRunAs(NOBODY))) return t.skip('other users cannot read this clone');
      const dataDir = await usedDataDir(t);
      fs.chownSync(dataDir, NOBODY, NOBODY);
      fs.chownSync(join(dataDir, 'postgres-password'), NOBODY, NOBODY);
      fs.chownSync(join(dataDir, 'postgres'), 1, 1);
      const service = await startService(t, dataDir, NOBODY);
      assert.match(service.error, /^EmbeddedStartError: .* belongs to another user \(id 1\)/);
      return undefined;
    },
  );
});
