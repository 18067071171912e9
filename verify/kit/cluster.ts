// A data directory whose database has been made already. The suite makes one and keeps it; a copy takes a tenth of
// the time of initdb. For tests that are about something else than a first start.
import { execFile } from 'node:child_process';
import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const KEPT_IN = 'TEST_CLUSTER';

const copy = (from: string, to: string): Promise<unknown> =>
  run('cp', ['-pR', join(from, 'postgres'), join(from, 'postgres-password'), to]);

/** Of a server that has stopped. Where its files are not inside, every first start makes its own. */
export async function keepCluster(dataDir: string, place: string): Promise<void> {
  if ((await lstat(join(dataDir, 'postgres'))).isSymbolicLink()) return;
  await copy(dataDir, place);
  process.env[KEPT_IN] = place;
}

export async function copyCluster(dataDir: string): Promise<void> {
  const kept = process.env[KEPT_IN];
  if (kept === undefined) return;
  await mkdir(dataDir, { recursive: true });
  await copy(kept, dataDir);
}
