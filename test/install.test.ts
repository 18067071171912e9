// The first command after an install by npm: which Node runs, and when node_modules may be replaced.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, test, type TestContext } from 'node:test';
import { LONG_ONLY } from '../verify/kit/long.ts';
import { ROOT } from './cli-run.ts';

const COPIED = ['package.json', 'package-lock.json', '.npmrc', 'bin', 'tools/scripts', 'src', 'console'];

const clones: string[] = [];
after(() => {
  for (const clone of clones) fs.rmSync(clone, { recursive: true });
});

/** A clone without node_modules. */
function makeBareClone(): string {
  const clone = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'sluice-install-')));
  clones.push(clone);
  for (const name of COPIED) fs.cpSync(join(ROOT, name), join(clone, name), { recursive: true });
  return clone;
}

/** A clone whose packages are symlinks to ours, without `.bin` and without the stamps of our install. */
function makeClone(options: { production?: boolean } = {}): string {
  const clone = makeBareClone();
  const record = JSON.parse(fs.readFileSync(join(ROOT, 'node_modules', '.package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  const packages = Object.entries(record.packages).filter(
    ([, { dev }]) => !(options.production === true && dev === true),
  );
  fs.mkdirSync(join(clone, 'node_modules'));
  for (const [place] of packages) {
    const [, first = '', second = ''] = place.split('/');
    const name = first.startsWith('@') ? join(first, second) : first;
    const link = join(clone, 'node_modules', name);
    if (fs.existsSync(link)) continue; // nested in a package that is linked already
    if (first.startsWith('@')) fs.mkdirSync(join(clone, 'node_modules', first), { recursive: true });
    fs.symlinkSync(join(ROOT, 'node_modules', name), link);
  }
  const text = JSON.stringify({ ...record, packages: Object.fromEntries(packages) });
  fs.writeFileSync(join(clone, 'node_modules', '.package-lock.json'), text);
  return clone;
}

const { scripts } = JSON.parse(fs.readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** Runs an npm script as npm would, on the Node of the system. There is no registry, so `npm ci` fails. */
function run(clone: string, script: string, ...args: string[]): { status: number | null; output: string } {
  const npm = join(clone, 'npm-without-registry.cjs');
  fs.writeFileSync(npm, `console.error('npm error network', process.argv[2]); process.exit(1);`);
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((one) => !one.includes('node_modules'));
  const { status, stdout, stderr } = spawnSync('sh', ['-c', [scripts[script], ...args].join(' ')], {
    cwd: clone,
    encoding: 'utf8',
    env: { PATH: path.join(delimiter), HOME: process.env['HOME'] ?? '', npm_execpath: npm },
  });
  return { status, output: stdout + stderr };
}

const contents = (clone: string): string[] =>
  fs.readdirSync(join(clone, 'node_modules')).filter((name) => !name.startsWith('.'));
const pinnedIn = (clone: string): string => {
  const name = contents(clone).find((one) => fs.existsSync(join(clone, 'node_modules', one, 'bin', 'node')));
  return join(clone, 'node_modules', name ?? 'none', 'bin', 'node');
};

test('an install by npm 9 or 10, without node_modules/.bin/node, runs the Node package', () => {
  const clone = makeClone();
  const { status, output } = run(clone, 'sluice', '--version');
  assert.equal(status, 0, output);
  const { stdout } = spawnSync(join(clone, 'bin', 'node'), ['-p', 'process.execPath'], { encoding: 'utf8' });
  assert.equal(stdout.trim(), fs.realpathSync(pinnedIn(clone)));
});

test('if the Node package cannot run on the system, the Node of the system is used instead', () => {
  const clone = makeClone();
  const place = join(pinnedIn(clone), '..', '..');
  fs.rmSync(place);
  fs.mkdirSync(join(place, 'bin'), { recursive: true });
  fs.writeFileSync(join(place, 'bin', 'node'), '#!/nowhere/ld-musl.so\n', { mode: 0o755 });
  const ensure = (): string => {
    const { status, stderr } = spawnSync(process.execPath, ['tools/scripts/ensure.mjs', '--runtime'], {
      cwd: clone,
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    return spawnSync(join(clone, 'bin', 'node'), ['-p', 'process.execPath'], { encoding: 'utf8' }).stdout;
  };
  assert.equal(ensure().trim(), fs.realpathSync(process.execPath));
  assert.equal(ensure().trim(), fs.realpathSync(process.execPath));
});

test('npm start and npm run sluice do not change an install without development packages', () => {
  const clone = makeClone({ production: true });
  assert.ok(!contents(clone).includes('vite'));
  const before = contents(clone);
  const { status, output } = run(clone, 'sluice', '--version');
  assert.equal(status, 0, output);
  assert.doesNotMatch(output, /installing/);
  assert.deepEqual(contents(clone), before);
  for (const name of ['start', 'sluice']) assert.match(scripts[name] ?? '', /ensure\.mjs --runtime && exec/);
});

test('an install that fails, here without a registry, leaves node_modules unchanged and says so', () => {
  const clone = makeClone({ production: true });
  fs.rmSync(join(clone, 'node_modules', 'fastify'));
  const before = contents(clone);
  const { status, output } = run(clone, 'sluice', '--version');
  assert.equal(status, 1, output);
  assert.match(output, /npm error network ci/);
  assert.match(output, /Cannot install the dependencies: "npm ci" failed .*node_modules was not changed\./);
  assert.deepEqual(contents(clone), before);
  assert.ok(!fs.existsSync(join(clone, '.sluice-install-lock')));
});

interface Registry {
  clone: string;
  /** The requested paths. */
  asked: string[];
  install: () => Promise<string>;
}

/** A registry with one package, whose archive is at `archivePath`, and a clone that depends on the package. */
async function startRegistry(t: TestContext, archivePath: string): Promise<Registry> {
  const clone = makeBareClone();
  fs.mkdirSync(join(clone, 'package'));
  fs.writeFileSync(join(clone, 'package', 'package.json'), '{"name":"@sluice/weir","version":"1.2.3"}');
  const { stdout: archive } = spawnSync('tar', ['-cz', '-C', clone, 'package']);
  const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
  const manifest = { name: 'sluice', version: '0.0.0', dependencies: { '@sluice/weir': '1.2.3' } };
  const packages = { '': manifest, 'node_modules/@sluice/weir': { version: '1.2.3', integrity } };
  fs.writeFileSync(join(clone, 'package.json'), JSON.stringify(manifest));
  fs.writeFileSync(
    join(clone, 'package-lock.json'),
    JSON.stringify({ ...manifest, lockfileVersion: 3, requires: true, packages }),
  );
  const asked: string[] = [];
  const server = createServer(({ url = '', headers }, response) => {
    asked.push(decodeURIComponent(url));
    const dist = { tarball: `http://${headers.host}${archivePath}`, integrity };
    const version = { name: '@sluice/weir', version: '1.2.3', dist };
    if (url === archivePath) response.end(archive);
    else if (decodeURIComponent(url) === '/@sluice/weir')
      response.end(JSON.stringify({ name: '@sluice/weir', versions: { '1.2.3': version } }));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const { npm_execpath: npm } = process.env;
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: clone,
    npm_config_registry: `http://127.0.0.1:${address.port}`,
    npm_config_cache: join(clone, 'cache'),
    npm_config_fetch_retries: '0',
    ...(npm === undefined ? {} : { npm_execpath: npm }),
  };
  const install = () =>
    new Promise<string>((resolve) => {
      const command = ['tools/scripts/ensure.mjs', '--runtime'];
      execFile(process.execPath, command, { cwd: clone, env }, (_, stdout, stderr) =>
        resolve(stdout + stderr),
      );
    });
  return { clone, asked, install };
}

test('an install requests only archives from the registry', LONG_ONLY, async (t) => {
  const { clone, asked, install } = await startRegistry(t, '/@sluice/weir/-/weir-1.2.3.tgz');
  const output = await install();
  assert.deepEqual(contents(clone), ['@sluice'], output);
  assert.deepEqual(asked, ['/@sluice/weir/-/weir-1.2.3.tgz']);
});

test('if an archive has another URL, the install asks the registry for it', LONG_ONLY, async (t) => {
  const { clone, asked, install } = await startRegistry(t, '/files/weir.tgz');
  const output = await install();
  assert.deepEqual(contents(clone), ['@sluice'], output);
  assert.deepEqual(asked, ['/@sluice/weir/-/weir-1.2.3.tgz', '/@sluice/weir', '/files/weir.tgz']);
});

test('an archive that does not match the lockfile is refused', LONG_ONLY, async (t) => {
  const { clone, install } = await startRegistry(t, '/@sluice/weir/-/weir-1.2.3.tgz');
  const lockfile = join(clone, 'package-lock.json');
  const another = `sha512-${createHash('sha512').update('another').digest('base64')}`;
  fs.writeFileSync(lockfile, fs.readFileSync(lockfile, 'utf8').replace(/sha512-[^"]+/, another));
  assert.match(await install(), /EINTEGRITY[^]*node_modules was not changed/);
  assert.equal(fs.existsSync(join(clone, 'node_modules')), false);
});

test('no file of the repository uses the node link in node_modules/.bin', () => {
  const link = ['.bin', 'node'].join('/');
  const found = spawnSync(
    'git',
    ['grep', '-lF', link, '--', '.', ':!test/install.test.ts', ':!CHANGELOG.md'],
    {
      cwd: ROOT,
      encoding: 'utf8',
    },
  );
  assert.equal(found.stdout, '');
});
