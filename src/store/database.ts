// Connections, transactions and what a failure of the database means. Nothing else in `store/` makes its own.
import { setTimeout as sleep } from 'node:timers/promises';
import { callbackify } from 'node:util';
import pg from 'pg';
import {
  MARK_TRANSACTION,
  settle,
  TRANSACTION_STATUS,
  type TransactionMark,
  type TransactionStatus,
} from './lost-commit.ts';

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

/** At once and without a word to the server, which may not be listening: whatever was in flight fails. */
export function dropConnection(client: pg.Client): void {
  const { stream } = (client as unknown as { connection: { stream: { destroy(): void } } }).connection;
  stream.destroy();
}

const POOL_CONNECTIONS_MAX = 10;

export function createPool(url: string, max = POOL_CONNECTIONS_MAX, limits = POOL_LIMITS): pg.Pool {
  const pool = new pg.Pool({
    ...connectionConfig(url, 'sluice', limits),
    max,
    idleTimeoutMillis: 60_000,
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

/** The database cannot be used right now; the same call may succeed later. */
export class DatabaseUnavailable extends Error {
  constructor(cause: unknown) {
    super('the database is not available', { cause });
    this.name = 'DatabaseUnavailable';
  }
}

/** The answer to a COMMIT was lost, and what became of it could not be found out. */
export class CommitUnknown extends DatabaseUnavailable {
  constructor(cause: unknown) {
    super(cause);
    this.name = 'CommitUnknown';
  }
}

/** An earlier statement had failed: the server would answer COMMIT with ROLLBACK, or has done so. */
class RolledBack extends Error {
  constructor() {
    super('the transaction was rolled back');
    this.name = 'RolledBack';
  }
}

/** 08: connection; 57P: shutdown, crash, not yet accepting; 25P03, 25P04: idle, or long, in a transaction. */
const CONNECTION_LOST = /^08|^57P|^25P0[34]$/;

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
  '3D000', // no such database: it is being restored
  '57014', // statement timeout
  '58030', // I/O error
]);
/** The classes of resources (disk, memory, connections) and of logins refused. */
const UNAVAILABLE_CLASSES = ['53', '28'];

export const sqlState = (error: unknown): string | undefined =>
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
  if (UNAVAILABLE.has(state) || UNAVAILABLE_CLASSES.includes(state.slice(0, 2))) return 'unavailable';
  return CONNECTION_LOST.test(state) ? 'connection' : 'unexpected';
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

/** The role has no right to it. */
export const isForbidden = (error: unknown): boolean => sqlState(error) === '42501';

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
      if (failure === 'unexpected' || error instanceof DatabaseUnavailable) throw error;
      throw new DatabaseUnavailable(error);
    }
  }
}

async function tryTransaction<T>(pool: pg.Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await begin(client);
    const result = await work(client);
    const mark = await markOf(client);
    await commit(client).catch((error: unknown) => {
      if (failureOf(error) !== 'connection' || mark.xid === null) throw error;
      broken = asError(error);
    });
    if (broken) await settleCommit(pool, mark, broken);
    return result;
  } catch (error) {
    // On a connection that is gone or silent the rollback would wait as long again; the server ends it by itself.
    if (failureOf(error) === 'connection') broken = asError(error);
    if (!broken) await rollback(client).catch((cause: unknown) => (broken = asError(cause)));
    throw error;
  } finally {
    client.release(broken);
  }
}

async function markOf(tx: Tx): Promise<TransactionMark> {
  try {
    const [mark] = await rows<TransactionMark>(tx, MARK_TRANSACTION);
    return mark ?? { xid: null, timeline: null };
  } catch (error) {
    throw sqlState(error) === '25P02' ? new RolledBack() : error;
  }
}

/** Resolves when it is committed; throws the loss when it is not, and `CommitUnknown` when nobody can tell. */
async function settleCommit(pool: pg.Pool, { xid, timeline }: TransactionMark, loss: Error): Promise<void> {
  const ask = async (): Promise<TransactionStatus> => {
    try {
      const [found] = await rows<{ status: TransactionStatus }>(pool, TRANSACTION_STATUS, [xid, timeline]);
      return found?.status ?? null;
    } catch (error) {
      if (failureOf(error) === 'unexpected') throw error;
      return 'in progress';
    }
  };
  const settled = await settle(ask);
  if (settled === 'aborted') throw loss;
  if (settled === 'unknown') throw new CommitUnknown(loss);
}

const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));

/** Reads outside a transaction; failures of the database come out as `DatabaseUnavailable`. */
export async function reading<T>(pool: Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await work(pool);
  } catch (error) {
    throw failureOf(error) === 'unexpected' ? error : new DatabaseUnavailable(error);
  }
}
