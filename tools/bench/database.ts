// An embedded PostgreSQL server in a temporary directory, with the service's own settings: fsync and synchronous commit
// are on.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../../src/platform/embedded-postgres/server.ts';
import { migrate } from '../../src/platform/database/migrations.ts';
import { connectionsWanted } from '../../src/platform/database/connection-budget.ts';
import type { Cleanup } from './cleanup.ts';
import type { Guardian } from './guardian.ts';

export interface Database {
  /** The postmaster: CPU time of the database is that of its process tree. */
  pid: number;
  version: string;
  /** The URL of a database, with the service's role. */
  urlOf(name: string): string;
  /** Creates a migrated, empty database. */
  create(name: string): Promise<void>;
  /** Copies a database, to which there must be no connections. */
  clone(name: string, source: string): Promise<void>;
  checkpoint(): Promise<void>;
}

/** Connections for the pools of the baselines and for the benchmark itself. */
const OTHER_CONNECTIONS = 80;

export async function startDatabase(
  { workers }: { workers: number },
  { cleanup, guardian }: { cleanup: Cleanup; guardian: Guardian },
  signal: AbortSignal,
): Promise<Database> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  cleanup.add('temporary directory', () => rm(dataDir, { recursive: true, force: true }));
  guardian.watch({ kind: 'data directory', path: dataDir });
  // The service with one worker runs at the same time as the service with several.
  const services = connectionsWanted(workers) + connectionsWanted(1);
  const chosen = workers === 1 ? {} : { max_connections: String(services + OTHER_CONNECTIONS) };
  const log = { info: () => {}, warn: (message: string) => console.error(message) };
  const server = await startEmbedded({ dataDir, log, signal, settings: chosen });
  cleanup.add('database server', () => server.stop());
  const [pid] = (await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
  const urlOf = (name: string): string => {
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    return url.href;
  };
  const asAdmin = (sql: string) => withClient(server.adminUrl, (client) => client.query(sql));
  const { rows } = await asAdmin(
    `select current_setting('server_version') as version, current_setting('fsync') as fsync,
            current_setting('synchronous_commit') as synchronous_commit`,
  );
  const [settings] = rows as { version: string; fsync: string; synchronous_commit: string }[];
  if (settings?.fsync !== 'on' || settings.synchronous_commit !== 'on')
    throw new Error('the database must run with fsync and synchronous_commit on');
  return {
    pid: Number(pid),
    version: settings.version,
    urlOf,
    async create(name) {
      // One role owns and uses each database, because the rounds fill and measure the tables directly. The
      // service's database already exists.
      const owned = `database ${name} owner`;
      await asAdmin(name === 'sluice' ? `alter ${owned} to sluice` : `create ${owned} sluice`);
      await migrate(urlOf(name));
    },
    clone: async (name, source) =>
      void (await asAdmin(`create database ${name} owner sluice template ${source} strategy file_copy`)),
    checkpoint: async () => void (await asAdmin('checkpoint')),
  };
}

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'sluice-bench' });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
