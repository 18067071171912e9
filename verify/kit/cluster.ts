// Data directories that initdb has already initialized, one with the current schema and one without. The suite makes them
// and keeps them; a copy takes a tenth of the time of initdb. For tests that do not test the first start.
import { execFile } from 'node:child_process';
import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SERVICE_ROLE } from '../../src/platform/embedded-postgres/roles.ts';
import { startEmbedded, type EmbeddedServer } from '../../src/platform/embedded-postgres/server.ts';
import { migrate } from '../../src/platform/database/migrations.ts';

const run = promisify(execFile);

/** `empty`: without a schema, as initdb leaves it. */
type Schema = 'empty' | 'migrated';
const KEPT_IN: Readonly<Record<Schema, string>> = {
  empty: 'TEST_CLUSTER_EMPTY',
  migrated: 'TEST_CLUSTER_MIGRATED',
};

/** The server must have stopped. */
export const copyData = (from: string, to: string): Promise<unknown> =>
  run('cp', ['-pR', join(from, 'postgres'), join(from, 'postgres-password'), to]);

/** The server must have stopped. If its files are outside the directory, every first start runs its own initdb. */
export async function keepCluster(dataDir: string, place: string, schema: Schema): Promise<void> {
  if ((await lstat(join(dataDir, 'postgres'))).isSymbolicLink()) return;
  await copyData(dataDir, place);
  process.env[KEPT_IN[schema]] = place;
}

/** Starts a server with the current schema. */
export async function startMigrated(options: Parameters<typeof startEmbedded>[0]): Promise<EmbeddedServer> {
  await copyCluster(options.dataDir);
  const server = await startEmbedded(options);
  try {
    await migrate(server.ownerUrl, SERVICE_ROLE);
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

export async function copyCluster(dataDir: string, schema: Schema = 'migrated'): Promise<void> {
  const kept = process.env[KEPT_IN[schema]];
  if (kept === undefined) return;
  await mkdir(dataDir, { recursive: true });
  await copyData(kept, dataDir);
}
