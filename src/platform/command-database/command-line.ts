// Database access for the command line: generous timeouts, the state of the schema, and sharing an embedded server.
import pg from 'pg';
import {
  connectionConfig,
  PLAN_EACH_TIME,
  withErrorListeners,
  type ConnectionLimits,
} from '../database/connections.ts';
import { rows, run, statement, type Tx } from '../database/database.ts';
import { readMigrations } from '../database/migrations.ts';

/** No client waits for a command, and an import over a large catalogue takes long. */
const COMMAND_LIMITS: ConnectionLimits = {
  connect_ms: 30_000,
  statement_ms: 600_000,
  lock_ms: 10_000,
  idle_in_transaction_ms: 60_000,
  answer_ms: 610_000,
};
const APPLICATION_NAME = 'sluice-cli';

/** One connection: commands are sequential. */
export function createCommandPool(url: string): pg.Pool {
  return withErrorListeners(
    new pg.Pool({
      ...connectionConfig(url, APPLICATION_NAME, COMMAND_LIMITS, PLAN_EACH_TIME),
      max: 1,
    }),
  );
}

const HAS_TABLE = statement(
  'command_schema_table',
  `select to_regclass('schema_migration') is not null as present`,
);
const APPLIED = statement('command_schema_applied', 'select count(*) as n from schema_migration');

export type SchemaState = 'empty' | 'behind' | 'current' | 'newer';

/** Checksums of the applied migrations are compared by `migrate`. */
export async function schemaState(tx: Tx): Promise<SchemaState> {
  const known = (await readMigrations()).length;
  const [table] = await rows<{ present: boolean }>(tx, HAS_TABLE);
  if (table?.present !== true) return 'empty';
  const [applied] = await rows<{ n: number }>(tx, APPLIED);
  const count = applied?.n ?? 0;
  if (count === known) return 'current';
  return count < known ? 'behind' : 'newer';
}

/**
 * "sluicecl" in ASCII: held shared by every command on an embedded server, exclusively by the command that stops it.
 */
const PRESENCE_LOCK = '8317146405066597228';
const ENTER = statement('command_enter', `select pg_try_advisory_lock_shared(${PRESENCE_LOCK}) as entered`);
const BE_LAST = statement('command_be_last', `select pg_advisory_lock(${PRESENCE_LOCK})`);

function connectOnce(url: string, lock_ms = COMMAND_LIMITS.lock_ms): pg.Client {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: COMMAND_LIMITS.connect_ms,
    lock_timeout: lock_ms,
  });
  client.on('error', () => {}); // the failing call reports it
  return client;
}

export interface Presence {
  leave(): Promise<void>;
}

/** Keeps the server running while the command uses it. Returns the reason as text if that is impossible. */
export async function enter(url: string): Promise<Presence | string> {
  const client = connectOnce(url);
  const leave = (): Promise<void> => client.end().catch(() => undefined);
  try {
    await client.connect();
    const [found] = await rows<{ entered: boolean }>(client, ENTER);
    if (found?.entered === true) return { leave };
    await leave();
    return 'the server is being stopped by the command that started it';
  } catch (error) {
    await leave();
    return error instanceof Error ? error.message : String(error);
  }
}

/** Calls `stop` when no other command uses the server, or after `patience_ms`; no command can enter from then on. */
export async function leaveLast(url: string, patience_ms: number, stop: () => Promise<void>): Promise<void> {
  const client = connectOnce(url, patience_ms);
  try {
    await client.connect();
    await run(client, BE_LAST);
  } catch {
    // Timed out, or the server does not respond: stop it anyway.
  }
  await stop();
  await client.end().catch(() => undefined);
}
