// The record in the database directory, written at each start: its location and its data directory.
import { randomUUID } from 'node:crypto';
import { readFile, realpath, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export const RECORD = 'sluice-place.json';

/** Inode numbers survive a rename and a reboot, but not a copy; PostgreSQL's own interlock uses them too. */
export interface Place {
  readonly data_dir: string;
  readonly data_dir_inode: number;
  readonly database_inode: number;
}

export async function readPlace(databaseDir: string): Promise<Place | null> {
  const text = await readFile(join(databaseDir, RECORD), 'utf8').catch(() => '{}');
  const { data_dir, data_dir_inode, database_inode }: { [Name in keyof Place]?: unknown } = JSON.parse(text);
  return typeof data_dir === 'string' &&
    typeof data_dir_inode === 'number' &&
    typeof database_inode === 'number'
    ? { data_dir, data_dir_inode, database_inode }
    : null;
}

/** The data directory exists and uses this database. */
export async function leadsTo(dataDir: string, databaseDir: string): Promise<boolean> {
  return (await realpath(join(dataDir, 'postgres')).catch(() => null)) === databaseDir;
}

export async function writePlace(databaseDir: string, place: Place): Promise<void> {
  const draft = join(databaseDir, `${RECORD}.${randomUUID()}`);
  await writeFile(draft, `${JSON.stringify(place)}\n`, { mode: 0o644, flush: true });
  await rename(draft, join(databaseDir, RECORD));
}
