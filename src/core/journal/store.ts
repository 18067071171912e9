// The change journal: one row for each transaction that changes data which channels see. Rows of
// platform/database/lost-commit.ts, which only prove that a transaction was committed, are trimmed with it.
import { run, statement, type Tx } from '../../platform/database/database.ts';

const APPEND = statement(
  'journal_append',
  `insert into change_journal (variant_ids, only_quantities, channel_ids, skus, orders_since)
   values ($1::int[], $2, $3::int[], $4::text[], $5)`,
);

export interface JournalEntry {
  variant_ids?: readonly number[];
  /** Only quantities of these variants changed, not the names that channels see. */
  only_quantities?: boolean;
  /** Channels whose mappings changed. */
  channel_ids?: readonly number[];
  /** With exactly one channel: the SKUs whose mapping changed. Without them, any of its SKUs may have changed. */
  skus?: readonly string[];
  /** The earliest time of orders that were written with a time in the past. */
  orders_since?: Date;
}

/** If more SKUs changed, none are listed, and readers reload the whole list. */
const JOURNAL_SKUS_MAX = 10_000;

export function appendJournal(tx: Tx, entry: JournalEntry): Promise<number> {
  const { variant_ids = [], only_quantities = false, channel_ids = [], skus, orders_since } = entry;
  const named = skus && skus.length <= JOURNAL_SKUS_MAX ? skus : null;
  return run(tx, APPEND, [variant_ids, only_quantities, channel_ids, named, orders_since ?? null]);
}

/**
 * Much longer than a batch needs to check a COMMIT without a response, and than the channels' polling interval of five
 * minutes.
 */
const JOURNAL_KEEP_MINUTES = 15;

const TRIM = statement(
  'journal_trim',
  `with gone as (delete from change_journal where at < now() - make_interval(mins => $1) returning xid)
   update journal_trim set xid = greatest(journal_trim.xid, g.xid)
   from (select max(xid::text::numeric)::text::xid8 as xid from gone) g where g.xid is not null`,
);

export const trimJournal = (tx: Tx, keepMinutes = JOURNAL_KEEP_MINUTES): Promise<number> =>
  run(tx, TRIM, [keepMinutes]);
