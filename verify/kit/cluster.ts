// A data directory that initdb has already initialized. The suite makes one and keeps it; a copy takes a tenth of the
// time of initdb. For tests that do not test the first start.
import { execFile } from 'node:child_process';
import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const KEPT_IN = 'TEST_CLUSTER';

const copy = (from: string, to: string): Promise<unknown> =>
  run('cp', ['-pR', join(from, 'postgres'), join(from, 'postgres-password'), to]);

/** The server must have stopped. If its files are outside the directory, every first start runs its own initdb. */
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
