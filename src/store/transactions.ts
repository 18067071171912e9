// Transactions: on the hot path piece by piece, everywhere else as a whole, run again where that helps.
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { rows, run, statement, together, type Tx } from './database.ts';
import { CommitUnknown, DatabaseUnavailable, failureOf, RolledBack, sqlState } from './failures.ts';
import {
  MARK_TRANSACTION,
  settle,
  TRANSACTION_STATUS,
  type TransactionMark,
  type TransactionStatus,
} from './lost-commit.ts';
import { patiently } from './patience.ts';

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

/**
 * Runs `work` in one transaction; for everything but the hot path. Again after a deadlock, a lost lock, or a connection that
 * was lost before COMMIT was sent. A COMMIT without an answer is looked up first, and run again only if it is not there.
 * A result that is not kept is returned all the same, but what was written for it is rolled back.
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
      const [found] = await patiently(pool, () =>
        rows<{ status: TransactionStatus }>(pool, TRANSACTION_STATUS, [xid, timeline]),
      );
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

/**
 * Reads outside a transaction, again after a lost connection; failures of the database come out as
 * `DatabaseUnavailable`.
 */
export async function reading<T>(pool: Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await patiently(pool, () => work(pool));
  } catch (error) {
    throw failureOf(error) === 'unexpected' ? error : new DatabaseUnavailable(error);
  }
}
