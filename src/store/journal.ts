// The change journal: one row per transaction that changes what a channel may see.
import { rows, run, statement, type Tx } from './database.ts';

const APPEND = statement(
  'journal_append',
  `insert into change_journal (variant_ids, channel_ids, skus) values ($1::int[], $2::int[], $3::text[])`,
);

export interface JournalEntry {
  variant_ids?: readonly number[];
  /** Channels whose mappings changed. */
  channel_ids?: readonly number[];
  /** Of the one channel named: the SKUs whose mapping changed. Without them, any of its SKUs may have. */
  skus?: readonly string[];
}

/** More are not named: whoever follows the list reads it anew. */
const JOURNAL_SKUS_MAX = 10_000;

export function appendJournal(tx: Tx, { variant_ids, channel_ids, skus }: JournalEntry): Promise<number> {
  const named = skus && skus.length <= JOURNAL_SKUS_MAX ? skus : null;
  return run(tx, APPEND, [variant_ids ?? [], channel_ids ?? [], named]);
}

const FIND_BATCHES = statement(
  'journal_find_batches',
  `select batch from change_journal where batch = any($1::uuid[])`,
);

export const findBatches = async (tx: Tx, batches: readonly string[]): Promise<string[]> =>
  (await rows<{ batch: string }>(tx, FIND_BATCHES, [batches])).map((row) => row.batch);

/** Far longer than a batch needs to find out what became of it, and than the channels' five-minute polls. */
const JOURNAL_KEEP_MINUTES = 15;

const TRIM = statement(
  'journal_trim',
  `with gone as (delete from change_journal where at < now() - make_interval(mins => $1) returning xid)
   update journal_trim set xid = greatest(journal_trim.xid, g.xid)
   from (select max(xid::text::numeric)::text::xid8 as xid from gone) g where g.xid is not null`,
);

export const trimJournal = (tx: Tx, keepMinutes = JOURNAL_KEEP_MINUTES): Promise<number> =>
  run(tx, TRIM, [keepMinutes]);

export interface JournalRow {
  /** Oldest transaction still running at the moment of reading: everything below is settled. */
  xmin: string;
  trimmed: string;
  /** null: nothing new */
  xid: string | null;
  variant_ids: number[];
  channel_ids: number[];
}

// One statement, one snapshot: what it shows and its xmin belong together. A transaction that commits late has
// an id at or above the xmin of every snapshot taken before, so it is never missed; a sequence or a time would.
const READ = statement(
  'journal_read',
  `select s.xmin, t.xid::text as trimmed, j.xid::text as xid, j.variant_ids, j.channel_ids
   from (select pg_snapshot_xmin(pg_current_snapshot())::text as xmin) s
   cross join journal_trim t
   left join change_journal j on j.xid >= $1::xid8`,
);

/** At least one row, always. */
export const readJournal = (tx: Tx, from: string): Promise<JournalRow[]> => rows(tx, READ, [from]);
