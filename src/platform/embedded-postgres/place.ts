// The data directory that a database directory belongs to. A copy must never use its original, and a copy taken while
// the server ran may be damaged: a record inside the database directory detects both.
import { open, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ownerByNote, type NotedOwner } from './outside.ts';
import { readPidFile } from './process.ts';
import { leadsTo, readPlace, RECORD, writePlace, type Place } from './record.ts';
import type { Log } from './report.ts';
import { EmbeddedStartError } from './report.ts';

/** Refuses a database that belongs to another data directory or may be damaged; otherwise writes the record. */
export async function claimPlace(dataDir: string, databaseDir: string, log: Log): Promise<void> {
  const recorded = await readPlace(databaseDir);
  const here: Place = {
    data_dir: dataDir,
    data_dir_inode: (await stat(dataDir)).ino,
    database_inode: (await stat(databaseDir)).ino,
  };
  await refuseHotCopy(databaseDir, recorded, here);
  if (dirname(databaseDir) !== dataDir) await refuseSharedDatabase(databaseDir, recorded, here, log);
  if (JSON.stringify(recorded) !== JSON.stringify(here)) await writePlace(databaseDir, here);
}

/** States in pg_control after a clean shutdown, of a primary or a standby. */
const CLEAN_STATES = [1, 2];
const STATE_OFFSET = 16;

async function wasShutDown(databaseDir: string): Promise<boolean> {
  const file = await open(join(databaseDir, 'global', 'pg_control'), 'r');
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, STATE_OFFSET);
    return CLEAN_STATES.includes(buffer.readUInt32LE(0));
  } finally {
    await file.close();
  }
}

/** Files copied while the server writes them are inconsistent. */
async function refuseHotCopy(databaseDir: string, recorded: Place | null, here: Place): Promise<void> {
  const isCopy =
    recorded === null
      ? await hasPidFileOfAnotherPlace(databaseDir)
      : recorded.database_inode !== here.database_inode;
  if (!isCopy || (await wasShutDown(databaseDir))) return;
  throw new EmbeddedStartError(
    `${databaseDir} is a copy${recorded === null ? '' : ` of the database of ${recorded.data_dir}`}, taken while its server ran or after it crashed; such a copy may be damaged, and nothing was changed. ` +
      `Copy a running database with "sluice backup FILE" and "sluice restore FILE". ` +
      `If you know that no server was running when it was copied, remove ${join(databaseDir, recorded === null ? 'postmaster.pid' : RECORD)} and start again`,
  );
}

/** For versions without a record: the pid file of a running or crashed server names its directory. */
async function hasPidFileOfAnotherPlace(databaseDir: string): Promise<boolean> {
  const named = (await readPidFile(databaseDir))?.text.split('\n')[1] ?? '';
  return named.startsWith('/') && !named.startsWith('/proc/') && named !== databaseDir;
}

/** The data directory contains a symbolic link, and so does every copy of it. Only one of them may use the database. */
async function refuseSharedDatabase(
  databaseDir: string,
  recorded: Place | null,
  here: Place,
  log: Log,
): Promise<void> {
  if (recorded?.data_dir_inode === here.data_dir_inode) return;
  const owner: NotedOwner | null =
    recorded === null
      ? await ownerByNote(databaseDir, here.data_dir)
      : { data_dir: recorded.data_dir, is_here: false, lives_on: false };
  if (owner === null || owner.is_here) return;
  if (owner.lives_on || (await leadsTo(owner.data_dir, databaseDir))) {
    throw new EmbeddedStartError(
      `${join(here.data_dir, 'postgres')} is a link to ${databaseDir}, the database of the data directory ${owner.data_dir}: ${here.data_dir} seems to be a copy of it, without a database of its own. Nothing was changed. ` +
        `For a real copy run "SLUICE_DATA_DIR=${owner.data_dir} sluice backup FILE", then "SLUICE_DATA_DIR=<new directory> sluice restore FILE". ` +
        `If ${here.data_dir} is to take its place, remove ${recorded === null ? owner.data_dir : join(databaseDir, RECORD)} and start again`,
    );
  }
  log.warn(
    `the data directory was moved: the database ${databaseDir} belonged to ${owner.data_dir}, which is gone, and belongs to ${here.data_dir} from now on`,
  );
}
