// Runs once for the whole suite: one real PostgreSQL server with a migrated template database that each test file clones.
// Its address is passed to the test processes in the environment.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_ROLE } from '../../src/platform/embedded-postgres/roles.ts';
import { startEmbedded, type EmbeddedServer } from '../../src/platform/embedded-postgres/server.ts';
import { migrate } from '../../src/platform/database/migrations.ts';
import { keepCluster } from './cluster.ts';
import { query } from './connection.ts';
import { TEMPLATE_DATABASE } from './database.ts';
import { keepServerLog } from './written.ts';

const SETTINGS = {
  max_connections: '300',
  // The suite tests decisions and writes, not the disk; the crash tests start their own servers.
  fsync: 'off',
  full_page_writes: 'off',
  // The suite opens thousands of connections, and hashing the password would be most of the cost of each.
  scram_iterations: '1',
};

let server: EmbeddedServer | undefined;
let dataDir: string | undefined;
let keptDirs: string[] = [];

export async function globalSetup(): Promise<void> {
  // Read once: starting the browser changes TMPDIR for a moment.
  const place = tmpdir();
  dataDir = await mkdtemp(join(place, 'sluice-test-'));
  const log = { info: () => {}, warn: (message: string) => console.error(message) };
  const options = { dataDir, log, settings: SETTINGS };
  keptDirs = await Promise.all(
    ['empty', 'migrated'].map((schema) => mkdtemp(join(place, `sluice-test-${schema}-`))),
  );
  const [emptyDir = '', migratedDir = ''] = keptDirs;
  const first = await startEmbedded(options);
  await query(first.adminUrl, `alter role postgres password '${new URL(first.adminUrl).password}'`);
  await first.stop();
  await keepCluster(dataDir, emptyDir, 'empty');
  const second = await startEmbedded(options);
  await migrate(second.ownerUrl, SERVICE_ROLE);
  await second.stop();
  await keepCluster(dataDir, migratedDir, 'migrated');
  server = await startEmbedded(options);
  const migrated = new URL(server.ownerUrl).pathname.slice(1);
  await query(
    server.adminUrl,
    `create database ${TEMPLATE_DATABASE} owner sluice_owner template ${migrated} strategy file_copy`,
  );
  process.env['TEST_DATABASE_ADMIN_URL'] = server.adminUrl;
  process.env['TEST_DATABASE_OWNER_URL'] = server.ownerUrl;
  process.env['TEST_DATABASE_URL'] = server.url;
}

export async function globalTeardown(): Promise<void> {
  await server?.stop();
  if (dataDir) keepServerLog(dataDir);
  for (const directory of [dataDir, ...keptDirs]) {
    if (directory) await rm(directory, { recursive: true, force: true });
  }
}
