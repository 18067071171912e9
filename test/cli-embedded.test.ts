// Without DATABASE_URL: the embedded database, started for one command or joined where it runs.
import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { serverOn } from '../src/store/embedded-process.ts';
import { startEmbedded } from '../src/store/embedded.ts';
import { sluice, type CliResult } from './cli-run.ts';

const parent = await mkdtemp(join(tmpdir(), 'sluice-cli-embedded-'));
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
