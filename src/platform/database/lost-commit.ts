// Finds out whether a back-office COMMIT without a response succeeded. For the gate see ADR 0005.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { rows, run, statement, type Tx } from './database.ts';
import { sqlState } from './failures.ts';

/**
 * A transaction, its timeline, and its row in the journal. The transaction id is not enough: after a failover, and
 * after a crash that lost the transaction, the server assigns the same id to another transaction.
 */
export interface TransactionMark {
  /** null: nothing was written. */
  xid: string | null;
  timeline: string | null;
  batch: string;
}

const TIMELINE = 'substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)';

const TRANSACTION_ID = statement(
  'transaction_id',
  `select xid::text, case when xid is not null then ${TIMELINE} end as timeline
   from pg_current_xact_id_if_assigned() as xid`,
);

const APPEND_BATCH = statement(
  'journal_append_batch',
  'insert into change_journal (batch) values ($1::uuid)',
);

const FIND_BATCHES = statement(
  'journal_find_batches',
  `select batch from change_journal where batch = any($1::uuid[])`,
);

/** Which of the transactions were committed. The gate writes the rows of its batches itself. */
export const findBatches = async (tx: Tx, batches: readonly string[]): Promise<string[]> =>
  (await rows<{ batch: string }>(tx, FIND_BATCHES, [batches])).map((row) => row.batch);

/** Called right before COMMIT. Adds a row without changes, which only proves later that the transaction was committed. */
export async function markTransaction(tx: Tx): Promise<TransactionMark> {
  const [found] = await rows<Pick<TransactionMark, 'xid' | 'timeline'>>(tx, TRANSACTION_ID);
  const { xid, timeline } = found ?? { xid: null, timeline: null };
  const batch = randomUUID();
  if (xid !== null) await run(tx, APPEND_BATCH, [batch]);
  return { xid, timeline, batch };
}

/** null: the server is a standby, or on another timeline. */
type TransactionStatus = 'committed' | 'aborted' | 'in progress' | null;

const TRANSACTION_STATE = statement(
  'transaction_state',
  `select case when pg_is_in_recovery() then null
               when ${TIMELINE} <> $2 then null
               when pg_xact_status($1::xid8) = 'in progress' then 'in progress'
               else 'ended' end as state`,
);
/** SQLSTATE of "transaction ID … is in the future". */
const INVALID_PARAMETER_VALUE = '22023';

async function stateOf(tx: Tx, { xid, timeline }: TransactionMark): Promise<'in progress' | 'ended' | null> {
  try {
    const [found] = await rows<{ state: 'in progress' | 'ended' | null }>(tx, TRANSACTION_STATE, [
      xid,
      timeline,
    ]);
    return found?.state ?? null;
  } catch (error) {
    // The server crashed before writing the transaction to disk, and has not assigned the id again.
    if (sqlState(error) === INVALID_PARAMETER_VALUE) return 'ended';
    throw error;
  }
}

export async function statusOf(tx: Tx, mark: TransactionMark): Promise<TransactionStatus> {
  const state = await stateOf(tx, mark);
  if (state !== 'ended') return state;
  // A separate statement, so that it sees everything that was committed before the status was read.
  return (await findBatches(tx, [mark.batch])).length > 0 ? 'committed' : 'aborted';
}

const SETTLE_MS = 8_000;
const SETTLE_PAUSE_MS = 50;

/** Polls until the transaction has ended; `ask` returns 'in progress' during an outage. */
export async function settle(
  ask: () => Promise<TransactionStatus>,
): Promise<'committed' | 'aborted' | 'unknown'> {
  for (const deadline = performance.now() + SETTLE_MS; performance.now() < deadline;) {
    const status = await ask();
    if (status === null) return 'unknown';
    if (status !== 'in progress') return status;
    await sleep(SETTLE_PAUSE_MS);
  }
  return 'unknown';
}
