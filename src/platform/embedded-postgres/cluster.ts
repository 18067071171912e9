// The database directory, created atomically by initdb.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chown,
  link,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import type { Binaries } from './binaries.ts';
import { claimPlace } from './place.ts';
import { isAlive, serverEnv, WORKING_DIRECTORY } from './process.ts';
import type { Log } from './report.ts';
import { EmbeddedStartError, errorCode } from './report.ts';
import type { RunAs } from './user.ts';
import { spawnAs } from './user.ts';

const WORK_DIR = /^postgres-init-(\d+)-/;
const LOG_SEGMENT_MB = 1;

export interface ClusterPlan {
  readonly dataDir: string;
  /** `<dataDir>/postgres`: the database directory, or a symbolic link to it. */
  readonly link: string;
  readonly binaries: Binaries;
  readonly user: RunAs | null;
  /** The user can reach the data directory by its path. */
  readonly isReachable: boolean;
  readonly password: string;
  readonly log: Log;
}

/** Returns the real path of the database directory, which is created if necessary. */
export async function ensureCluster(plan: ClusterPlan): Promise<string> {
  if (!(await exists(plan))) {
    await removeLeftovers(plan);
    await createCluster(plan);
  }
  const dir = await realpath(plan.link);
  await claimPlace(plan.dataDir, dir, plan.log);
  return dir;
}

/** Random, created once; two concurrent first starts use the same one. */
export async function ensurePassword(dataDir: string): Promise<string> {
  const file = join(dataDir, 'postgres-password');
  const present = await readFile(file, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  });
  if (present !== '') return present.trim();
  if ((await lstat(join(dataDir, 'postgres')).catch(() => null)) !== null) {
    throw new EmbeddedStartError(
      `${file} is missing, and without it the database in ${dataDir} cannot be opened`,
    );
  }
  const draft = `${file}-${process.pid}-${randomBytes(4).toString('hex')}`;
  await writeFile(draft, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flush: true });
  await link(draft, file).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
  await unlink(draft);
  return (await readFile(file, 'utf8')).trim();
}

async function exists(plan: ClusterPlan): Promise<boolean> {
  const found = await lstat(plan.link).catch(() => null);
  if (found === null) return false;
  const version = await readFile(join(plan.link, 'PG_VERSION'), 'utf8').catch(errorCode);
  const major = plan.binaries.version.split('.')[0];
  if (version.trim() === major) return true;
  if (/^\d/.test(version)) {
    throw new EmbeddedStartError(
      `the database in ${plan.link} belongs to PostgreSQL ${version.trim()}, and this Sluice has PostgreSQL ${major}. Nothing was changed. ` +
        `Run "sluice backup FILE" with the release of Sluice that it was used with, then "SLUICE_DATA_DIR=<new directory> sluice restore FILE" with this one`,
    );
  }
  if (version === 'EACCES') {
    throw new EmbeddedStartError(
      `the database in ${plan.link} belongs to another user (id ${found.uid}); start Sluice as that user or as root`,
    );
  }
  if (found.isSymbolicLink() && (await realpath(plan.link).catch(() => null)) === null) {
    throw new EmbeddedStartError(
      `${plan.link} points to a database that does not exist; restore it, or remove the link to start with an empty database`,
    );
  }
  if (found.isDirectory() && (await readdir(plan.link)).length === 0) return false;
  throw new EmbeddedStartError(
    `${plan.link} exists but is not a PostgreSQL database; move it to another place`,
  );
}

async function createCluster(plan: ClusterPlan): Promise<void> {
  plan.log.info(`creating the database in ${plan.link}`);
  const work = await mkdtemp(join(plan.dataDir, `postgres-init-${process.pid}-`));
  try {
    await rename(await runInitdb(plan, work), plan.link).catch(ignoreIfExists);
    await sync(plan.dataDir);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Another process created the database first: use it and remove ours. */
function ignoreIfExists(error: unknown): void {
  if (!['EEXIST', 'ENOTEMPTY', 'ENOTDIR'].includes(errorCode(error))) throw error;
}

/**
 * C.UTF-8 of PostgreSQL's builtin provider: sorts by code point, the same on every machine, with case mapping beyond
 * ASCII.
 */
async function runInitdb(plan: ClusterPlan, work: string): Promise<string> {
  const data = join(work, 'data');
  const passwordFile = join(work, 'password');
  await mkdir(data, { mode: 0o700 });
  await writeFile(passwordFile, plan.password, { mode: 0o600 });
  if (plan.user !== null) {
    await chown(passwordFile, plan.user.uid, plan.user.gid);
    await chown(data, plan.user.uid, plan.user.gid);
    await chown(work, plan.user.uid, plan.user.gid);
  }
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const where = plan.isReachable ? data : WORKING_DIRECTORY;
  const safety = ['--auth=scram-sha-256', `--pwfile=${where}/../password`, '--data-checksums'];
  // Small segments: a new one is filled with zeros during a COMMIT, and 16 MB delayed every order by 30 ms.
  const log = `--wal-segsize=${LOG_SEGMENT_MB}`;
  const args = ['-D', where, '--username=postgres', ...locale, ...safety, log, '--no-instructions'];
  const result = await run(plan, data, args);
  if (result.failure !== null) throw initdbError(plan, result.failure, result.output);
  await writeFile(join(data, 'pg_hba.conf'), 'host all all 127.0.0.1/32 scram-sha-256\n');
  return data;
}

async function run(
  plan: ClusterPlan,
  cwd: string,
  args: string[],
): Promise<{ failure: string | null; output: string }> {
  const program = join(plan.binaries.home, 'bin', 'initdb');
  const child = spawn(program, args, {
    ...spawnAs(plan.user),
    cwd,
    env: serverEnv(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  const failure = await new Promise<string | null>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(code === 0 ? null : (signal ?? `exit code ${code}`)));
  });
  return { failure, output: output.trim() };
}

function initdbError(plan: ClusterPlan, failure: string, output: string): EmbeddedStartError {
  if (output.includes('No space left on device')) {
    return new EmbeddedStartError(`the disk that holds ${plan.dataDir} is full`);
  }
  const lines = output.split('\n').slice(-6).join('\n');
  const hint = output === '' ? '; DATABASE_URL can name a PostgreSQL server to use instead' : `:\n${lines}`;
  return new EmbeddedStartError(`the database could not be created (initdb: ${failure})${hint}`);
}

async function removeLeftovers(plan: ClusterPlan): Promise<void> {
  // Retries, because the initdb of a killed process may still be writing.
  const patiently = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 };
  for (const name of await readdir(plan.dataDir)) {
    const pid = WORK_DIR.exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    await rm(join(plan.dataDir, name), patiently).catch(() => undefined);
  }
}

/** A rename is durable only after an fsync of its directory. */
async function sync(dir: string): Promise<void> {
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
