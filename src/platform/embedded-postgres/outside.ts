// Databases outside their data directory. Earlier versions created them when running as root, if PostgreSQL's user
// could not reach the data directory. New ones are not created, and existing ones are never removed automatically.
import { appendFile, lstat, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { serverOn } from './process.ts';
import { leadsTo, readPlace } from './record.ts';
import { sharedPlaces } from './shared.ts';

/** The note is a hard link to a file in the data directory, unless they are on different file systems. */
const NOTES = ['sluice.json', 'sluice-not-shared.json'];
const NAME = /^db-[0-9a-f]{12}$/;

export interface NotedOwner {
  readonly data_dir: string;
  /** The given data directory contains the other hard link of the note. */
  readonly is_here: boolean;
  /** The note has another hard link: the data directory exists, perhaps under a new name. */
  readonly lives_on: boolean;
}

interface Note {
  readonly data_dir: string;
  readonly inode: number;
  readonly names: number;
}

async function readNote(home: string): Promise<Note | null> {
  for (const name of NOTES) {
    const file = join(home, name);
    const text = await readFile(file, 'utf8').catch(() => null);
    if (text === null) continue;
    const { dataDir }: { dataDir?: unknown } = JSON.parse(text);
    const { ino, nlink } = await stat(file);
    if (typeof dataDir === 'string') return { data_dir: dataDir, inode: ino, names: nlink };
  }
  return null;
}

/** null: there is no note about the owner. */
export async function ownerByNote(databaseDir: string, dataDir: string): Promise<NotedOwner | null> {
  const home = dirname(databaseDir);
  const note = await readNote(home);
  if (note === null) return null;
  const twin = join(dataDir, `postgres-at-${home.slice(home.lastIndexOf('/') + 1)}.json`);
  const twinInode = (await stat(twin).catch(() => null))?.ino;
  const isHere = twinInode === note.inode || (note.names === 1 && note.data_dir === dataDir);
  return { data_dir: note.data_dir, is_here: isHere, lives_on: note.names > 1 };
}

export interface OutsideDatabase {
  readonly name: string;
  readonly directory: string;
  readonly bytes: number;
  /** null: unknown. */
  readonly data_dir: string | null;
  /** Its data directory exists and uses it. */
  readonly in_use: boolean;
  readonly running: boolean;
  readonly last_used: Date | null;
  readonly postgres_version: string | null;
}

export async function listOutside(): Promise<OutsideDatabase[]> {
  const found: OutsideDatabase[] = [];
  for (const place of await sharedPlaces()) {
    for (const name of (await readdir(place)).toSorted()) {
      const directory = join(place, name);
      if (NAME.test(name) && (await lstat(directory)).isDirectory())
        found.push(await describe(name, directory));
    }
  }
  return found;
}

async function describe(name: string, directory: string): Promise<OutsideDatabase> {
  const database = join(await realpath(directory), 'data');
  const note = await readNote(directory);
  const dataDir = (await readPlace(database))?.data_dir ?? note?.data_dir ?? null;
  const leadsHere = dataDir !== null && (await leadsTo(dataDir, database));
  const control = await stat(join(database, 'global', 'pg_control')).catch(() => null);
  const version = await readFile(join(database, 'PG_VERSION'), 'utf8').catch(() => null);
  return {
    name,
    directory,
    bytes: await sizeOfTree(directory),
    data_dir: dataDir,
    in_use: leadsHere || (note !== null && note.names > 1),
    running: (await serverOn(database)) !== null,
    last_used: control?.mtime ?? null,
    postgres_version: version?.trim() ?? null,
  };
}

async function sizeOfTree(directory: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    bytes += (await lstat(join(entry.parentPath, entry.name)).catch(() => null))?.size ?? 0;
  }
  return bytes;
}

/** Deletes the database permanently and appends a line to a log beside it. */
export async function removeOutside(database: OutsideDatabase, actor: string): Promise<void> {
  const { name, bytes, data_dir, in_use, last_used } = database;
  const entry = { at: new Date(), actor, removed: name, bytes, data_dir, in_use, last_used };
  await appendFile(join(dirname(database.directory), 'removed.log'), `${JSON.stringify(entry)}\n`, {
    mode: 0o600,
  });
  await rm(database.directory, { recursive: true });
}
