// The secrets that seal stored channel keys: from the environment, from a file, or generated beside the embedded
// database. During a rotation there are two files, until everything is sealed with the new secret.
import { randomBytes } from 'node:crypto';
import { chown, link, mkdir, open, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConfigError, secretFileFault, type Config } from '../config/config.ts';
import type { SealSecrets, SecretSource } from './keys.ts';
import { systemError } from '../log/system-error.ts';

const SECRET_CHARACTERS_MIN = 32;

const fileOf = (config: Config): string => config.secret_file ?? join(config.data_dir, 'secret');
const previousFileOf = (config: Config): string => `${fileOf(config)}.previous`;

/**
 * Fails early on errors; later each use reads the files again. The first secret is made only while nothing is sealed: a
 * new one would hide that the file with the old one is missing. Without `hasSeals` none is made.
 */
export async function openSecrets(
  config: Config,
  hasSeals: (() => Promise<boolean>) | null = null,
): Promise<SecretSource> {
  // A mistyped file name must not create a new secret.
  const fault = config.secret_file === null ? null : secretFileFault(config.secret_file);
  if (fault !== null) throw new ConfigError([fault]);
  const found = await findSecrets(config);
  if (found !== null) return found;
  if (hasSeals === null || (await hasSeals())) throw missing(fileOf(config));
  await makeFirst(config);
  return () => readFiles(config);
}

const missing = (file: string): ConfigError =>
  new ConfigError([
    `${file} is missing, and the database has keys that are sealed with the secret in it, so no new one is made. Put the file back, or set SLUICE_SECRET. If the secret is lost, see "the secret is lost" in docs/runbook.md.`,
  ]);

/** null: no secret exists yet. */
export async function findSecrets(config: Config): Promise<SecretSource | null> {
  const { secret, previous_secret } = config;
  if (secret !== null) return async () => ({ current: secret, previous: previous_secret });
  const stored = await readStored(fileOf(config));
  if (stored === null) return null;
  if (stored.length < SECRET_CHARACTERS_MIN) {
    throw new ConfigError([
      `${fileOf(config)} must hold at least ${SECRET_CHARACTERS_MIN} characters; "openssl rand -base64 32" makes a secret.`,
    ]);
  }
  return () => readFiles(config);
}

async function readFiles(config: Config): Promise<SealSecrets> {
  // Current first: a rotation copies it before replacing it, so it is always in one of the two files.
  const current = await readStored(fileOf(config));
  if (current === null) throw new Error(`the secret in ${fileOf(config)} vanished`);
  const previous = config.previous_secret ?? (await readStored(previousFileOf(config)));
  return { current, previous: previous === current ? null : previous };
}

/**
 * Replaces the current secret, which is kept beside the new one. Each step is atomic. A rotation in progress is left
 * unchanged, because keys may already be sealed with its secret.
 */
export async function beginRotation(config: Config): Promise<void> {
  const { current, previous } = await readFiles(config);
  if (previous !== null) return;
  await replace(previousFileOf(config), current);
  await replace(fileOf(config), newSecret());
}

/** Only after everything is sealed with the current secret. */
export const endRotation = (config: Config): Promise<void> =>
  // Unlike unlink(), it does not fail in a read-only directory without such a file.
  rm(previousFileOf(config), { force: true });

const newSecret = (): string => randomBytes(32).toString('base64');

/** Written to a temporary file: a killed command leaves the old or the new secret intact. */
async function writeDraft(path: string, secret: string): Promise<string> {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${secret}\n`, { mode: 0o600, flush: true });
  // A rotation by root must leave the file readable for the service.
  if (process.getuid?.() === 0) {
    const { uid, gid } = await stat(dirname(path));
    await chown(draft, uid, gid);
  }
  return draft;
}

async function replace(path: string, secret: string): Promise<void> {
  await rename(await writeDraft(path, secret), path);
  // fsync of the directory makes the name durable.
  const directory = await open(dirname(path));
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

async function makeFirst(config: Config): Promise<void> {
  await mkdir(config.data_dir, { recursive: true });
  const path = fileOf(config);
  const draft = await writeDraft(path, newSecret());
  // link() fails if the file exists, so that two concurrent starts use the same secret.
  try {
    await link(draft, path);
  } catch (error) {
    if (systemError(error).code !== 'EEXIST') throw error;
  } finally {
    await unlink(draft);
  }
}

async function readStored(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (systemError(error).code === 'ENOENT') return null;
    throw error;
  }
}
