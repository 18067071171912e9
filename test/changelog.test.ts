// Runs `npm version` in a small repository with this project's scripts: every version needs a changelog entry.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

interface Check {
  unreleased: (changelog: string) => string | null;
  released: (changelog: string, version: string, date: string) => string;
  faultOf: (changelog: string, version: string) => string | null;
  withImage: (manifest: string, version: string) => string;
}
/** Plain JavaScript without types, so `Check` above declares them. */
const SCRIPT = new URL('../tools/scripts/changelog-check.mjs', import.meta.url);
const { faultOf, released, unreleased, withImage } = (await import(SCRIPT.href)) as Check;

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const manifest = JSON.parse(read('package.json')) as { version: string; scripts: Record<string, string> };

test('the version in package.json is the newest version of the changelog', () => {
  assert.equal(faultOf(read('CHANGELOG.md'), manifest.version), null);
  assert.match(faultOf('## Unreleased\n\n- x\n', '0.2.0') ?? '', /^The version is 0\.2\.0, but the newest/);
  assert.equal(
    faultOf('## Unreleased\n\n## 0.2.0 (2026-11-15)\n\n- x\n\n## 0.1.0 (2026-11-01)\n', '0.2.0'),
    null,
  );
});

test('the Kubernetes manifest names the image of the current version', () => {
  const deployed = read('deploy/kubernetes/sluice.yaml');
  assert.equal(withImage(deployed, manifest.version), deployed);
  assert.match(withImage(deployed, '9.8.7'), /^ +image: sluice:9\.8\.7$/m);
});

test('only entries in the Unreleased section count', () => {
  assert.equal(unreleased('# Changelog\n\n## Unreleased\n\n- x\n\n## 0.1.0 (d)\n\n- y\n'), '- x');
  assert.equal(unreleased('# Changelog\n\n## Unreleased\n\n## 0.1.0 (d)\n\n- y\n'), null);
  assert.equal(unreleased('# Changelog\n'), null);
  const text = released('# C\n\n## Unreleased\n\n- x\n', '1.0.0', '2026-11-15');
  assert.equal(text, '# C\n\n## Unreleased\n\n## 1.0.0 (2026-11-15)\n\n- x\n');
});

test('npm version refuses an empty Unreleased section, and moves a non-empty one to the new version', (t) => {
  const home = mkdtempSync(join(tmpdir(), 'sluice-version-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const directory = join(home, 'project');
  const { preversion, version } = manifest.scripts;
  mkdirSync(join(directory, 'tools', 'scripts'), { recursive: true });
  cpSync(SCRIPT, join(directory, 'tools', 'scripts', 'changelog-check.mjs'));
  cpSync(join(ROOT, '.npmrc'), join(directory, '.npmrc'));
  const write = (name: string, text: string): void => writeFileSync(join(directory, name), text);
  mkdirSync(join(directory, 'deploy', 'kubernetes'), { recursive: true });
  write('deploy/kubernetes/sluice.yaml', '  image: sluice:0.1.0\n');
  write('package.json', JSON.stringify({ name: 'x', version: '0.1.0', scripts: { preversion, version } }));
  write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n## 0.1.0 (2026-11-01)\n\n- y\n');
  const run = (program: string, ...args: string[]) =>
    spawnSync(program, args, { cwd: directory, encoding: 'utf8', env: { ...process.env, HOME: home } });
  const commit = (): void => {
    run('git', 'add', '.');
    assert.equal(run('git', 'commit', '-qm', 'x').status, 0);
  };
  run('git', 'init', '-q');
  run('git', 'config', 'user.name', 't');
  run('git', 'config', 'user.email', 't@localhost');
  commit();

  const refused = run('npm', 'version', 'minor');
  assert.notEqual(refused.status, 0);
  assert.match(refused.stderr, /nothing under "Unreleased"/);
  assert.match(readFileSync(join(directory, 'package.json'), 'utf8'), /"version":"0\.1\.0"/);

  write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n- x\n\n## 0.1.0 (2026-11-01)\n\n- y\n');
  commit();
  const made = run('npm', 'version', 'minor');
  assert.equal(made.status, 0, made.stderr);
  const committed = run('git', 'show', 'HEAD:CHANGELOG.md').stdout;
  assert.match(
    committed,
    /^# Changelog\n\n## Unreleased\n\n## 0\.2\.0 \(\d{4}-\d\d-\d\d\)\n\n- x\n\n## 0\.1\.0/,
  );
  assert.equal(run('git', 'show', 'HEAD:deploy/kubernetes/sluice.yaml').stdout, '  image: sluice:0.2.0\n');
  assert.equal(run('git', 'status', '--short').stdout, '');
});
