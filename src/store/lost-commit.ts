// Finds out what became of a back-office COMMIT whose response was lost. For the gate see ADR 0005.
import { setTimeout as sleep } from 'node:timers/promises';

/** A transaction and its timeline: after a failover the same id may belong to another transaction. */
export interface TransactionMark {
  /** null: nothing was written. */
  xid: string | null;
  timeline: string | null;
}

const TIMELINE = 'substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)';

export const MARK_TRANSACTION = {
  name: 'transaction_mark',
  text: `select xid::text, case when xid is not null then ${TIMELINE} end as timeline
         from pg_current_xact_id_if_assigned() as xid`,
};

/** null: the server is a standby, or on another timeline. */
export type TransactionStatus = 'committed' | 'aborted' | 'in progress' | null;

export const TRANSACTION_STATUS = {
  name: 'transaction_status',
  text: `select case when pg_is_in_recovery() then null
                     when ${TIMELINE} <> $2 then null
                     else pg_xact_status($1::xid8) end as status`,
};

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
