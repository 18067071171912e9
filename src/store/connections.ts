// Connections to PostgreSQL: how long they wait, and what they must lead to.
import type { Writable } from 'node:stream';
import { callbackify } from 'node:util';
import pg from 'pg';
import { rows, statement, type Tx } from './database.ts';
import { InRecovery } from './failures.ts';

export interface ConnectionLimits {
  connect_ms: number;
  statement_ms: number;
  lock_ms: number;
  idle_in_transaction_ms: number;
  /** On our side of the wire: a server that has gone silent is given up, its connection dropped. */
  answer_ms: number;
}

/** What the server needs on top of a statement's own time to say that it was too long. */
const ANSWER_GRACE_MS = 2_000;

export const connectionLimits = (
  statement_ms: number,
  given: { connect_ms: number; lock_ms: number; idle_transaction_ms: number },
): ConnectionLimits => ({
  connect_ms: given.connect_ms,
  statement_ms,
  lock_ms: given.lock_ms,
  idle_in_transaction_ms: given.idle_transaction_ms,
  answer_ms: statement_ms + ANSWER_GRACE_MS,
});

const USUAL = { connect_ms: 5_000, lock_ms: 5_000, idle_transaction_ms: 10_000 };
const POOL_LIMITS = connectionLimits(30_000, USUAL);
/** The gate and the lookups: a channel waits for them, so they give up sooner. */
export const HOT_CONNECTION_LIMITS = connectionLimits(8_000, USUAL);

export function connectionConfig(
  url: string,
  applicationName: string,
  limits: ConnectionLimits,
): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: limits.connect_ms,
    statement_timeout: limits.statement_ms,
    lock_timeout: limits.lock_ms,
    idle_in_transaction_session_timeout: limits.idle_in_transaction_ms,
    query_timeout: limits.answer_ms,
    keepAlive: true,
  };
}

/** What a connection writes to, which the driver has but does not show. */
const streamOf = (client: pg.Client): Writable =>
  (client as unknown as { connection: { stream: Writable } }).connection.stream;

/** At once and without a word to the server, which may not be listening: whatever was in flight fails. */
export function dropConnection(client: pg.Client): void {
  streamOf(client).destroy();
}

/** The statements that `work` sends before it first waits leave together: a write for each took a twentieth of all time. */
export function inOneWrite<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  const stream = streamOf(client);
  stream.cork();
  try {
    return work();
  } finally {
    stream.uncork();
  }
}

const POOL_CONNECTIONS_MAX = 10;
/**
 * Longer than what is done every minute is apart, which would open a connection each time. And the first one to close in a
 * process makes V8 give up the machine code of all that handles sockets, which is made again under load.
 */
const POOL_IDLE_MS = 10 * 60_000;

export function createPool(url: string, max = POOL_CONNECTIONS_MAX, limits = POOL_LIMITS): pg.Pool {
  const pool = new pg.Pool({
    ...connectionConfig(url, 'sluice', limits),
    max,
    idleTimeoutMillis: POOL_IDLE_MS,
    verify: callbackify(requirePrimary),
  });
  return surviving(pool);
}

/**
 * A connection that dies, idle or in the middle of a transaction, tells whoever has a statement on it; without these
 * listeners it would end the process as well. A pool looks after its idle connections only.
 */
export function surviving(pool: pg.Pool): pg.Pool {
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

const IN_RECOVERY = statement('in_recovery', 'select pg_is_in_recovery() as in_recovery');

/**
 * Asked of every new connection: what stands in front of the database may lead to a standby for a moment, and a
 * connection is kept for as long as it answers.
 */
export async function requirePrimary(tx: Tx): Promise<void> {
  const [state] = await rows<{ in_recovery: boolean }>(tx, IN_RECOVERY);
  if (state?.in_recovery) throw new InRecovery();
}
