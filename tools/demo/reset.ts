// Deletes the demo's data, but only a data directory of the service on which no server runs.
import { readdir, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { serverOn } from '../../src/platform/embedded-postgres/process.ts';
import { UsageError } from '../../verify/kit/command-line.ts';

export async function resetData(dataDir: string): Promise<void> {
  const entries = await readdir(dataDir).catch((): string[] => []);
  if (entries.length === 0) return;
  if (!entries.includes('postgres'))
    throw new UsageError(`--reset does not delete ${dataDir}: it is not a data directory of the service.`);
  const database = await realpath(join(dataDir, 'postgres')).catch(() => null);
  if (database !== null && (await serverOn(database)) !== null)
    throw new UsageError(`--reset does not delete ${dataDir}: a database server runs on it.`);
  await rm(dataDir, { recursive: true, force: true });
}
