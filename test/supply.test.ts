// Dependencies are pinned and listed, and run no code during installation.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  faultsOfInstalled,
  faultsOfLock,
  INSTALL_SCRIPTS_KNOWN,
  readAudit,
  type Lock,
} from '../tools/scripts/supply-check.ts';
import { ROOT } from './cli-run.ts';

const read = (file: string): string => readFileSync(`${ROOT}/${file}`, 'utf8');
const lock = JSON.parse(read('package-lock.json')) as Lock;
const withPackage = (entry: Partial<Lock['packages'][string]>): Lock => ({
  packages: {
    ...lock.packages,
    'node_modules/stranger': { version: '1.0.0', integrity: 'sha512-AA==', ...entry },
  },
});

test('every package is pinned by a hash, and only packages on the allow list have install scripts', () => {
  assert.deepEqual(faultsOfLock(lock), []);
  assert.deepEqual(faultsOfInstalled(lock), []);
  assert.deepEqual(faultsOfLock(withPackage({ hasInstallScript: true })), [
    'node_modules/stranger brings an install script that is not on the allow list.',
  ]);
  assert.match(String(faultsOfLock(withPackage({ integrity: '' }))), /stranger is not pinned/);
  assert.match(String(faultsOfLock(withPackage({ resolved: 'git+ssh://x/y' }))), /comes from git\+ssh/);
});

test('npm runs none of these install scripts, neither in a manual install nor in npm start', () => {
  const { allowScripts } = JSON.parse(read('package.json')) as { allowScripts: Record<string, boolean> };
  assert.deepEqual(allowScripts, Object.fromEntries(INSTALL_SCRIPTS_KNOWN.map((name) => [name, false])));
  assert.match(read('.npmrc'), /^strict-allow-scripts=true$/m);
  assert.match(read('tools/scripts/ensure.mjs'), /'--ignore-scripts'/);
});

test('npm run sbom lists every package with its hash', () => {
  const { status, stdout } = spawnSync('npm', ['run', '--silent', 'sbom'], { cwd: ROOT, encoding: 'utf8' });
  assert.equal(status, 0);
  const { components } = JSON.parse(stdout) as {
    components: { name: string; version: string; scope: string; hashes: { alg: string }[] }[];
  };
  for (const [place, { version }] of Object.entries(lock.packages)) {
    if (place === '') continue;
    const name = place.split('node_modules/').at(-1);
    const found = components.find((component) => component.name === name && component.version === version);
    assert.equal(found?.hashes[0]?.alg, 'SHA-512', place);
  }
});

test('the audit distinguishes clean, vulnerable and unanswered', () => {
  const report = (vulnerabilities: object): string =>
    JSON.stringify({ auditReportVersion: 2, vulnerabilities });
  assert.deepEqual(readAudit(report({})), { unanswered: false, faults: [] });
  const low = { name: 'a', severity: 'low' };
  const high = { name: 'b', severity: 'high' };
  assert.deepEqual(readAudit(report({ a: low, b: high })), {
    unanswered: false,
    faults: ['b has a known vulnerability of severity high.'],
  });
  const refused = JSON.stringify({ statusCode: 405, error: { summary: '' } });
  for (const text of [refused, '', '<html>', '{}']) {
    assert.deepEqual(readAudit(text), { unanswered: true, faults: [] }, text);
  }
});
