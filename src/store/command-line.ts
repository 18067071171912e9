// What only the command line asks of a database: patience, how far it is migrated, and who else is on it.
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { connectionConfig, rows, statement, type ConnectionLimits, type Tx } from './database.ts';
import { readMigrations } from './migrations.ts';

/** Nobody waits for a command as for a request: an import over a large catalogue may take its time. */
const COMMAND_LIMITS: ConnectionLimits = {
  connect_ms: 5_000,
  statement_ms: 600_000,
  lock_ms: 10_000,
  idle_in_transaction_ms: 60_000,
  answer_ms: 610_000,
};
const APPLICATION_NAME = 'sluice-cli';
const POLL_MS = 50;

/** One connection: a command does one thing after the other. */
export function createCommandPool(url: string): pg.Pool {
  const pool = new pg.Pool({ ...connectionConfig(url, APPLICATION_NAME, COMMAND_LIMITS), max: 1 });
  pool.on('error', () => {}); // the statement that needs the connection tells
  return pool;
}

const HAS_TABLE = statement(
  'command_schema_table',
  `select to_regclass('schema_migration') is not null as present`,
);
const APPLIED = statement('command_schema_applied', 'select count(*) as n from schema_migration');

export type SchemaState = 'behind' | 'current' | 'newer';

/** Whether the applied steps are the same ones is for `migrate` to check: it compares their checksums. */
export async function schemaState(tx: Tx): Promise<SchemaState> {
  const known = (await readMigrations()).length;
  const [table] = await rows<{ present: boolean }>(tx, HAS_TABLE);
  if (table?.present !== true) return 'behind';
  const [applied] = await rows<{ n: number }>(tx, APPLIED);
  const count = applied?.n ?? 0;
  if (count === known) return 'current';
  return count < known ? 'behind' : 'newer';
}

function connectOnce(url: string): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: COMMAND_LIMITS.connect_ms,
  });
  client.on('error', () => {}); // told by the call that fails
  return client;
}

/** Why the server cannot be used just now, or null. */
export async function connectionFault(url: string): Promise<string | null> {
  const client = connectOnce(url);
  try {
    await client.connect();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

const OTHERS = statement(
  'command_others',
  `select exists (
     select from pg_stat_activity
     where usename = current_user and application_name in ('${APPLICATION_NAME}', 'sluice-migrate')
   ) as busy`,
);

/** Waits until no other command is on the server; a server that does not answer has nobody to wait for. */
export async function othersGone(url: string, patience_ms: number): Promise<void> {
  const deadline = Date.now() + patience_ms;
  const client = connectOnce(url);
  try {
    await client.connect();
    while (Date.now() < deadline) {
      const [found] = await rows<{ busy: boolean }>(client, OTHERS);
      if (found?.busy !== true) return;
      await delay(POLL_MS);
    }
  } catch {
    // as said
  } finally {
    await client.end().catch(() => undefined);
  }
}
