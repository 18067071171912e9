// Without DATABASE_URL: the embedded database, started for one command or joined where it runs.
import assert from 'node:assert/strict';
import { chmod, mkdtemp, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { runningUrl } from '../src/cli/embedded.ts';
import { serverOn } from '../src/store/embedded/process.ts';
import { startEmbedded } from '../src/store/embedded/server.ts';
import { sluice, type CliResult } from './cli-run.ts';

const parent = await mkdtemp(join(tmpdir(), 'sluice-cli-embedded-'));
// Under root the server runs as somebody else, who must get through; else its files would go elsewhere and stay.
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

test('the first command makes database, schema and secret, and leaves no server behind', async () => {
  const { stdout, stderr } = await ok(['channel', 'create', '--name', 'Embedded']);
  assert.match(stdout, /API key \(shown only now\): sluice_/);
  assert.match(stderr, /migrated: 0001_/);
  assert.equal((await stat(join(dataDir, 'secret'))).mode & 0o777, 0o600);
  assert.equal((await stat(dataDir)).mode & 0o044, 0, 'nobody else may list the data directory');
  assert.equal(await runningServer(), null);
});

test('two commands at once share one server, and neither is cut off', async () => {
  const [one, two] = await Promise.all([ok(['seed', '--json']), ok(['channel', 'list', '--json'])]);
  assert.equal(one.json().channels.length, 3);
  assert.ok(two.json().length >= 1);
  assert.equal(await runningServer(), null);
});

test('a command that started the server does not stop it while another one is on it', async () => {
  const place = { SLUICE_DATA_DIR: join(parent, 'fresh') };
  let ended = false;
  const seeding = sluice(['seed'], { env: place }).finally(() => (ended = true));
  const other = await joinAs('sluice-cli', place.SLUICE_DATA_DIR);
  const others = `select from pg_stat_activity where application_name like 'sluice-%' and pid <> pg_backend_pid()`;
  for (let rounds = 0; rounds < 10; await sleep(50)) {
    // Ten looks in a row: between two connections of the same command there is a moment without any.
    rounds = (await other.query(others)).rowCount === 0 ? rounds + 1 : 0;
  }
  assert.equal(ended, false);
  await other.end();
  const { code, stderr } = await seeding;
  assert.equal(code, 0, stderr);
});

/** As soon as the server lets one in: its role is made a moment after it is up. */
async function joinAs(name: string, directory: string): Promise<pg.Client> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(10)) {
    const url = await runningUrl(directory).catch(() => null);
    if (url === null) continue;
    const client = new pg.Client({ connectionString: url, application_name: name });
    client.on('error', () => {});
    const connected = await client.connect().then(
      () => true,
      () => false,
    );
    if (connected) return client;
  }
  throw new Error('the server never came up');
}

test('a running server is joined and left running', async () => {
  const server = await startEmbedded({ dataDir, log: { info: () => {}, warn: () => {} } });
  try {
    const list = (await ok(['channel', 'list', '--json'])).json();
    assert.equal(list.length, 4);
    assert.match((await ok(['migrate'])).stdout, /up to date/);
    assert.notEqual(await runningServer(), null);
  } finally {
    await server.stop();
  }
});
