// Where the database directory lives when PostgreSQL's user cannot get to the data directory.
import { randomBytes } from 'node:crypto';
import {
  chmod,
  copyFile,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isAlive, serverOn } from './process.ts';
import { EmbeddedStartError, errorCode } from './report.ts';
import type { RunAs } from './user.ts';
import { canEnter, canReach } from './user.ts';

// A home apart and its data directory share one file by a hard link. As long as the data directory exists,
// moved or not, the file has two names; one name left is proof that the home is orphaned.
const SHARED_NOTE = 'sluice.json';
/** Instead of it where the two are on different file systems: there is no proof, so nothing is removed. */
const UNSHARED_NOTE = 'sluice-not-shared.json';
const TWIN = /^postgres-at-(db-[0-9a-f]{12})\.json$/;
const HOME = /^db-[0-9a-f]{12}$/;

/** A directory of ours that every user can pass, for what must not be inside the data directory or the clone. */
export async function sharedPlace(user: RunAs): Promise<string> {
  for (const place of ['/var/lib/sluice', join(tmpdir(), 'sluice-shared'), '/tmp/sluice-shared']) {
    try {
      await mkdir(place, { recursive: true, mode: 0o755 });
      // In a directory that anyone may write to, someone else may have made it first.
      if (!(await isOurs(place))) continue;
      await chmod(place, 0o755);
      if (await canReach(place, user)) return place;
    } catch {
      continue;
    }
  }
  throw new EmbeddedStartError(
    `PostgreSQL runs as ${user.name}, who can reach neither the data directory nor /var/lib/sluice; choose another SLUICE_DATA_DIR`,
  );
}

export async function isOurs(dir: string): Promise<boolean> {
  const found = await lstat(dir).catch(() => null);
  return (
    found !== null && found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0
  );
}

/** The data directory is ours to open for passing through; the directories above it are not. */
export async function admits(dataDir: string, user: RunAs): Promise<boolean> {
  if (!(await canReach(dataDir, user))) return false;
  if (await canEnter(dataDir, user)) return true;
  await chmod(dataDir, ((await stat(dataDir)).mode & 0o777) | 0o011).catch(() => undefined);
  return canEnter(dataDir, user);
}

/** A new, empty home for the database of this data directory. */
export async function makeHomeApart(dataDir: string, user: RunAs): Promise<string> {
  const place = await sharedPlace(user);
  await removeOrphanedHomes(place);
  const name = `db-${randomBytes(6).toString('hex')}`;
  const home = join(place, name);
  const twin = join(dataDir, `postgres-at-${name}.json`);
  // The twin first: a home never has a note with one name only while it is being made.
  await writeFile(twin, `${JSON.stringify({ home, dataDir, pid: process.pid })}\n`, { mode: 0o600 });
  await mkdir(home, { mode: 0o711 });
  await chmod(home, 0o711);
  await link(twin, join(home, SHARED_NOTE)).catch(() => copyFile(twin, join(home, UNSHARED_NOTE)));
  return home;
}

/** For a home that lost the race to be the first, or whose making failed. */
export async function removeHomeApart(dataDir: string, home: string): Promise<void> {
  await rm(home, { recursive: true, force: true });
  await rm(join(dataDir, `postgres-at-${home.slice(home.lastIndexOf('/') + 1)}.json`), { force: true });
}

/** Homes that a start of this data directory was killed over, before the link to them was made. */
export async function removeUnfinishedHomes(dataDir: string, databaseLink: string): Promise<void> {
  const linked = await readlink(databaseLink).catch(() => '');
  for (const name of await readdir(dataDir)) {
    if (!TWIN.test(name)) continue;
    const note = parseNote(await readFile(join(dataDir, name), 'utf8').catch(() => '{}'));
    if (note === null || dirname(linked) === note.home || isAlive(note.pid)) continue;
    await rm(join(dataDir, name), { force: true }); // the home itself is an orphan from here on
  }
}

async function removeOrphanedHomes(place: string): Promise<void> {
  for (const name of await readdir(place)) {
    const home = join(place, name);
    if (HOME.test(name) && (await isOrphaned(home))) {
      await rm(home, { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

/** True only on proof: our note with its second name gone, no link where it was, and no server inside. */
async function isOrphaned(home: string): Promise<boolean> {
  try {
    const noteFile = join(home, SHARED_NOTE);
    const note = parseNote(await readFile(noteFile, 'utf8'));
    if (!(await isOurs(home)) || note?.home !== home || (await stat(noteFile)).nlink !== 1) return false;
    if (await isLinked(join(note.dataDir, 'postgres'), home)) return false;
    return (await serverOn(join(home, 'data'))) === null;
  } catch {
    return false;
  }
}

function parseNote(text: string): { home: string; dataDir: string; pid: number } | null {
  const { home, dataDir, pid } = JSON.parse(text) as Record<string, unknown>;
  return typeof home === 'string' && typeof dataDir === 'string' && typeof pid === 'number'
    ? { home, dataDir, pid }
    : null;
}

async function isLinked(databaseLink: string, home: string): Promise<boolean> {
  try {
    return dirname(await readlink(databaseLink)) === home;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes(errorCode(error));
  }
}
