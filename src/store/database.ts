// Connections, transactions and what a failure of the database means. Nothing else in `store/` makes its own.
import { setTimeout as sleep } from 'node:timers/promises';
import { callbackify } from 'node:util';
import pg from 'pg';

// Counters are bigint and stay far below 2^53; numeric stays text, money is never a binary float.
function bigintNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint beyond 2^53: ${text}`);
  return value;
}
const BIGINT_ARRAY_OID = 1016 as number as Parameters<typeof pg.types.setTypeParser>[0];
pg.types.setTypeParser(pg.types.builtins.INT8, bigintNumber);
pg.types.setTypeParser(BIGINT_ARRAY_OID, (text: string) =>
  text === '{}'
    ? []
    : text
        .slice(1, -1)
        .split(',')
        .map((element) => (element === 'NULL' ? null : bigintNumber(element))),
);

/** What a statement runs on: a connection inside or outside a transaction. Always the first parameter. */
export interface Tx {
  query(config: pg.QueryConfig): Promise<pg.QueryResult>;
}

/** A fixed text, prepared once per connection under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export const statement = (name: string, text: string): Statement => ({ name, text });

/**
 * An array in PostgreSQL's own notation; the driver's way takes every element through a dozen questions. What is
 * neither text, number nor boolean is left to the driver.
 */
function arrayParameter(values: readonly unknown[]): unknown {
  let text = '{';
  for (const [index, value] of values.entries()) {
    if (index > 0) text += ',';
    if (typeof value === 'string') text += `"${/["\\]/.test(value) ? escapeElement(value) : value}"`;
    else if (typeof value === 'number' || typeof value === 'boolean') text += String(value);
    else if (value === null) text += 'null';
    else return values;
  }
  return `${text}}`;
}

const escapeElement = (value: string): string => value.replaceAll(/["\\]/g, String.raw`\$&`);

const parameter = (value: unknown): unknown => (Array.isArray(value) ? arrayParameter(value) : value);

export async function rows<Row extends object>(
  tx: Tx,
  { name, text }: Statement,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const result = await tx.query({ name, text, values: values.map(parameter) });
  return result.rows as Row[];
}

export async function run(
  tx: Tx,
  { name, text }: Statement,
  values: readonly unknown[] = [],
): Promise<number> {
  const result = await tx.query({ name, text, values: values.map(parameter) });
  return result.rowCount ?? 0;
}

/** Waits for all of a pipeline, then throws its first failure: none is left unhandled, none still under way. */
export async function together<T extends readonly unknown[]>(queries: {
  readonly [K in keyof T]: Promise<T[K]>;
}): Promise<T> {
  const settled: PromiseSettledResult<unknown>[] = await Promise.allSettled(queries);
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  return Promise.all(queries);
}

export interface ConnectionLimits {
  connect_ms: number;
  statement_ms: number;
  lock_ms: number;
  idle_in_transaction_ms: number;
  /** On our side of the wire: a server that has gone silent is given up, its connection dropped. */
  answer_ms: number;
}

const CONNECTION_LIMITS: ConnectionLimits = {
  connect_ms: 5_000,
  statement_ms: 30_000,
  lock_ms: 10_000,
  idle_in_transaction_ms: 30_000,
  answer_ms: 35_000,
};

/** The gate and the lookups: a request waits for them, so they give up sooner. */
export const HOT_CONNECTION_LIMITS: ConnectionLimits = {
  connect_ms: 5_000,
  statement_ms: 8_000,
  lock_ms: 5_000,
  idle_in_transaction_ms: 10_000,
  answer_ms: 10_000,
};

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

const POOL_CONNECTIONS_MAX = 10;

export function createPool(url: string, max = POOL_CONNECTIONS_MAX): pg.Pool {
  const pool = new pg.Pool({
    ...connectionConfig(url, 'sluice', CONNECTION_LIMITS),
    max,
    idleTimeoutMillis: 60_000,
    verify: callbackify(requirePrimary),
  });
  // An idle connection that dies is replaced at its next use; without a listener it would end the process.
  pool.on('error', () => {});
  // And one that dies while it is lent out, between two statements of a transaction: the next statement tells.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** The database cannot be used right now; the same call may succeed later. */
export class DatabaseUnavailable extends Error {
  constructor(cause: unknown) {
    super('the database is not available', { cause });
    this.name = 'DatabaseUnavailable';
  }
}

/** A COMMIT that the server answered with ROLLBACK: an earlier statement of the pipeline had failed. */
class RolledBack extends Error {
  constructor() {
    super('the transaction was rolled back');
    this.name = 'RolledBack';
  }
}

/** The server is a standby: it answers, but with what has reached it so far, and it takes no work. */
export class InRecovery extends Error {
  constructor() {
    super('the database is in recovery');
    this.name = 'InRecovery';
  }
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

export type Failure = 'connection' | 'conflict' | 'unavailable' | 'unexpected';

const CONFLICTS = new Set([
  '40001', // serialization failure
  '40P01', // deadlock
  '55P03', // lock not available in time
]);
const UNAVAILABLE = new Set([
  '25006', // read-only: a standby, or a server that is being demoted
  '53100', // disk full
  '53200', // out of memory
  '53300', // too many connections
  '53400', // configuration limit exceeded
  '57014', // statement timeout
  '58030', // I/O error
]);

const sqlState = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError && error.code !== undefined && error.code.length === 5
    ? error.code
    : undefined;

/** What to do about an error: reconnect, run again, give up for now, or treat it as a bug. */
export function failureOf(error: unknown): Failure {
  if (error instanceof DatabaseUnavailable) return 'unavailable';
  if (error instanceof InRecovery) return 'connection';
  const state = sqlState(error);
  if (state === undefined) return isConnectionError(error) ? 'connection' : 'unexpected';
  if (CONFLICTS.has(state)) return 'conflict';
  if (UNAVAILABLE.has(state)) return 'unavailable';
  // 08: connection, 57P: shutdown, crash, not yet accepting; 25P03: idle in transaction for too long
  return state.startsWith('08') || state.startsWith('57P') || state === '25P03' ? 'connection' : 'unexpected';
}

function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isConnectionError);
  const code = (error as NodeJS.ErrnoException).code;
  return (
    (code !== undefined && /^(E[A-Z]+|EAI_[A-Z]+)$/.test(code)) ||
    /connection|trying to connect|not queryable|timeout expired|Query read timeout/i.test(error.message)
  );
}

/** True for a unique violation, optionally of one constraint. */
export const isUniqueViolation = (error: unknown, constraint?: string): boolean =>
  sqlState(error) === '23505' &&
  (constraint === undefined || (error as pg.DatabaseError).constraint === constraint);

// Prepared like every other statement of the gate, so that the three can be pipelined with them.
const BEGIN = statement('begin', 'begin');
const COMMIT = statement('commit', 'commit');
const ROLLBACK = statement('rollback', 'rollback');

export const begin = (tx: Tx): Promise<number> => run(tx, BEGIN);
export const rollback = (tx: Tx): Promise<number> => run(tx, ROLLBACK);

/** Checks the tag: an aborted transaction answers COMMIT with ROLLBACK and no error. */
export async function commit(tx: Tx): Promise<void> {
  const { command } = await tx.query({ ...COMMIT });
  if (command !== 'COMMIT') throw new RolledBack();
}

const WRITE_AHEAD = statement('write_ahead', `select pg_logical_emit_message(true, 'sluice', '')`);

/**
 * Resolves once everything that can be seen here is on the synchronous standbys too. After a crash a server shows
 * what it had written down but not yet passed on; a commit waits for all that was written before it.
 */
export async function awaitStandbys(tx: Tx): Promise<void> {
  await together([begin(tx), run(tx, WRITE_AHEAD), commit(tx)]);
}

const TRANSACTION_TRIES_MAX = 5;

/** Runs `work` in one transaction, again after a deadlock or a lost lock; for everything but the hot path. */
export async function inTransaction<T>(pool: pg.Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryTransaction(pool, work);
    } catch (error) {
      const failure = failureOf(error);
      if (failure === 'conflict' && attempt < TRANSACTION_TRIES_MAX) {
        await sleep(5 * 2 ** attempt * Math.random());
        continue;
      }
      throw failure === 'unexpected' ? error : new DatabaseUnavailable(error);
    }
  }
}

async function tryTransaction<T>(pool: pg.Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await begin(client);
    const result = await work(client);
    await commit(client);
    return result;
  } catch (error) {
    await rollback(client).catch((cause: unknown) => {
      broken = cause instanceof Error ? cause : new Error(String(cause));
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Reads outside a transaction; failures of the database come out as `DatabaseUnavailable`. */
export async function reading<T>(pool: Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await work(pool);
  } catch (error) {
    throw failureOf(error) === 'unexpected' ? error : new DatabaseUnavailable(error);
  }
}

/** One statement outside a transaction; failures of the database come out as `DatabaseUnavailable`. */
export async function read<Row extends object>(
  pool: Tx,
  query: Statement,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  try {
    return await rows<Row>(pool, query, values);
  } catch (error) {
    throw failureOf(error) === 'unexpected' ? error : new DatabaseUnavailable(error);
  }
}
