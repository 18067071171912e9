// Transactions: separate statements for the gate, and a function with retries for everything else.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { asError } from '../log/system-error.ts';
import { run, statement, together, type Tx } from './database.ts';
import { CommitUnknown, DatabaseUnavailable, failureOf, RolledBack, sqlState } from './failures.ts';
import { markTransaction, settle, statusOf, type TransactionMark } from './lost-commit.ts';
import { patiently } from './patience.ts';

// Prepared like the other statements of the gate, so that they can be pipelined.
const BEGIN = statement('begin', 'begin');
const COMMIT = statement('commit', 'commit');
const ROLLBACK = statement('rollback', 'rollback');

export const begin = (tx: Tx): Promise<number> => run(tx, BEGIN);
export const rollback = (tx: Tx): Promise<number> => run(tx, ROLLBACK);

/** Rolls back the open transaction and begins the next one. */
export const beginAnew = (tx: Tx): Promise<number> => together([rollback(tx), begin(tx)]).then(() => 0);

/** Checks the command tag: COMMIT of an aborted transaction returns ROLLBACK without an error. */
export async function commit(tx: Tx): Promise<void> {
  const { command } = await tx.query({ ...COMMIT });
  if (command !== 'COMMIT') throw new RolledBack();
}

const WRITE_AHEAD = statement('write_ahead', `select pg_logical_emit_message(true, 'sluice', '')`);

/** Makes the COMMIT of this transaction wait until everything written before it is on disk, and on the standbys. */
export const writeAhead = (tx: Tx): Promise<number> => run(tx, WRITE_AHEAD);

/**
 * Resolves when everything visible here is on the synchronous standbys too. After a crash, a server shows transactions
 * that it had written but not yet replicated; a commit waits for everything written before it.
 */
export async function awaitStandbys(tx: Tx): Promise<void> {
  await together([begin(tx), writeAhead(tx), commit(tx)]);
}

const TRANSACTION_TRIES_MAX = 5;

/**
 * Runs `work` in one transaction, outside the hot path. Retries after a deadlock, a lock timeout, or a connection lost
 * before COMMIT was sent. After a COMMIT without a response, it first checks whether the transaction was committed, and
 * retries only if not. A result for which `isKept` is false is also returned, but its writes are rolled back.
 */
export async function inTransaction<T>(
  pool: pg.Pool,
  work: (tx: Tx) => Promise<T>,
  isKept: (result: T) => boolean = () => true,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await patiently(pool, () => tryTransaction(pool, work, isKept));
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

async function tryTransaction<T>(
  pool: pg.Pool,
  work: (tx: Tx) => Promise<T>,
  isKept: (result: T) => boolean,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await begin(client);
    const result = await work(client);
    if (!isKept(result)) {
      await rollback(client);
      return result;
    }
    const mark = await markOf(client);
    await commit(client).catch((error: unknown) => {
      if (failureOf(error) !== 'connection' || mark.xid === null) throw error;
      broken = asError(error);
    });
    if (broken) await settleCommit(pool, mark, broken);
    return result;
  } catch (error) {
    // On a lost connection ROLLBACK would wait too; the server aborts the transaction by itself.
    if (failureOf(error) === 'connection') broken = asError(error);
    if (!broken) await rollback(client).catch((cause: unknown) => (broken = asError(cause)));
    throw error;
  } finally {
    client.release(broken);
  }
}

async function markOf(tx: Tx): Promise<TransactionMark> {
  try {
    return await markTransaction(tx);
  } catch (error) {
    throw sqlState(error) === '25P02' ? new RolledBack() : error;
  }
}

/** Resolves if committed; throws the loss if not, and `CommitUnknown` if it cannot be determined. */
async function settleCommit(pool: pg.Pool, mark: TransactionMark, loss: Error): Promise<void> {
  const settled = await settle(async () => {
    try {
      return await patiently(pool, () => statusOf(pool, mark));
    } catch (error) {
      if (failureOf(error) === 'unexpected') throw error;
      return 'in progress';
    }
  });
  if (settled === 'aborted') throw loss;
  if (settled === 'unknown') throw new CommitUnknown(loss);
}

/**
 * A read outside a transaction, retried after a lost connection. Database errors are thrown as `DatabaseUnavailable`.
 */
export async function reading<T>(pool: Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await patiently(pool, () => work(pool));
  } catch (error) {
    throw failureOf(error) === 'unexpected' ? error : new DatabaseUnavailable(error);
  }
}
