// A separate database per test file, cloned from the migrated template in a few milliseconds.
import pg from 'pg';
import { connected } from './connection.ts';
import { keepRows } from './written.ts';

export const TEMPLATE_DATABASE = 'sluice_template';

let sequence = 0;

function environment(name: string): string {
  const value = process.env[name];
  if (value === undefined) {
    throw new Error(`${name} is not set: run tests with "npm test -- <files>", which starts the server`);
  }
  return value;
}

let admin: pg.Pool | null = null;

/** On one connection of this process: to open one takes half as long as to create a database. It does not keep the process. */
async function asAdmin(statements: readonly string[]): Promise<void> {
  admin ??= new pg.Pool({
    connectionString: environment('TEST_DATABASE_ADMIN_URL'),
    max: 1,
    allowExitOnIdle: true,
    idleTimeoutMillis: 0,
  }).on('error', () => {});
  for (const sql of statements) await admin.query(sql);
}

export interface TestDatabase {
  /** As the service's role, which owns nothing in it. */
  url: string;
  /** As the owner. */
  ownerUrl: string;
  /** As superuser, to kill backends. */
  adminUrl: string;
  /** As superuser with the ledger triggers disabled: to tamper, and to move rows into the past. */
  tamperUrl: string;
  tamper(sql: string, values?: unknown[]): Promise<pg.QueryResult>;
  drop(): Promise<void>;
}

export interface DatabaseOptions {
  /** null: without a schema */
  template?: null;
  /** The service's role also owns the database. */
  owner?: 'sluice';
}

/** By default migrated, empty, and owned by a role other than the service's. */
export async function createDatabase({ template, owner }: DatabaseOptions = {}): Promise<TestDatabase> {
  const name = `t_${process.pid}_${++sequence}`;
  const copied = template === null ? '' : `template ${TEMPLATE_DATABASE} strategy file_copy`;
  await asAdmin([
    `create database ${name} owner ${owner ?? 'sluice_owner'} ${copied}`,
    `revoke all on database ${name} from public`,
    `grant connect on database ${name} to sluice`,
  ]);
  const at = (base: string): string => {
    const url = new URL(base);
    url.pathname = `/${name}`;
    return url.href;
  };
  const database = withTampering({
    url: at(environment('TEST_DATABASE_URL')),
    ownerUrl: at(environment('TEST_DATABASE_OWNER_URL')),
    adminUrl: at(environment('TEST_DATABASE_ADMIN_URL')),
  });
  return {
    ...database,
    async drop() {
      await connected(database.adminUrl, keepRows);
      await asAdmin([`drop database if exists ${name} with (force)`]);
    },
  };
}

type Addresses = Pick<TestDatabase, 'url' | 'ownerUrl' | 'adminUrl'>;

function withTampering(addresses: Addresses): Omit<TestDatabase, 'drop'> {
  const tamperUrl = `${addresses.adminUrl}&options=${encodeURIComponent('-c session_replication_role=replica')}`;
  return {
    ...addresses,
    tamperUrl,
    tamper: (sql, values) => connected(tamperUrl, (client) => client.query(sql, values)),
  };
}

/** The database of a separate server; it is removed with its server. */
export function databaseOf({ url, ownerUrl, adminUrl }: Addresses): TestDatabase {
  const inside = new URL(adminUrl);
  inside.pathname = new URL(url).pathname;
  return { ...withTampering({ url, ownerUrl, adminUrl: inside.href }), drop: async () => {} };
}
