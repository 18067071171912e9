// What comes from outside is pinned, listed, and runs nothing at installation.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { makeSbom, type Lock } from '../tools/scripts/sbom.ts';
import {
  faultsOfInstalled,
  faultsOfLock,
  faultsOfSbom,
  INSTALL_SCRIPTS_KNOWN,
  readAudit,
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

test('every package is pinned by a hash, and the install scripts are the ones we know', () => {
  assert.deepEqual(faultsOfLock(lock), []);
  assert.deepEqual(faultsOfInstalled(lock), []);
  assert.deepEqual(faultsOfLock(withPackage({ hasInstallScript: true })), [
    'node_modules/stranger brings an install script that is not on the allow list.',
  ]);
  assert.match(String(faultsOfLock(withPackage({ integrity: '' }))), /stranger is not pinned/);
  assert.match(String(faultsOfLock(withPackage({ resolved: 'git+ssh://x/y' }))), /comes from git\+ssh/);
});

test('not even those run: npm is told so, by hand and by npm start', () => {
  const { allowScripts } = JSON.parse(read('package.json')) as { allowScripts: Record<string, boolean> };
  assert.deepEqual(allowScripts, Object.fromEntries(INSTALL_SCRIPTS_KNOWN.map((name) => [name, false])));
  assert.match(read('.npmrc'), /^strict-allow-scripts=true$/m);
  assert.match(read('tools/scripts/ensure.mjs'), /'--ignore-scripts'/);
});

test('the bill of materials has every package once, with its hash, and is the same each time', () => {
  const sbom = makeSbom();
  assert.deepEqual(faultsOfSbom(sbom, lock), []);
  assert.deepEqual(makeSbom(), sbom);
  const find = (name: string) => sbom.components.find((component) => component.name === name);
  assert.equal(find('fastify')?.scope, 'required');
  assert.equal(find('vite')?.scope, 'excluded');
  const own = sbom.dependencies.find(({ ref }) => ref.startsWith('pkg:npm/sluice@'));
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
  for (const [name, version] of Object.entries(dependencies)) {
    assert.ok(own?.dependsOn.includes(`pkg:npm/${name.replace('@', '%40')}@${version}`), name);
  }
  assert.match(String(faultsOfSbom(sbom, withPackage({}))), /stranger is missing from the bill/);
  const [first, ...rest] = sbom.components;
  assert.ok(first);
  const unhashed = { ...sbom, components: [{ ...first, hashes: [] }, ...rest] };
  assert.match(String(faultsOfSbom(unhashed, lock)), /has no hash/);
  assert.match(String(faultsOfSbom({ ...sbom, components: rest }, lock)), /named but not described/);
});

test('the audit tells clean, vulnerable and unanswered apart', () => {
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
