// The change journal: one row per transaction that changes what a channel may see.
import { rows, run, statement, type Tx } from './database.ts';

const APPEND = statement(
  'journal_append',
  `insert into change_journal (batch, variant_ids, channel_ids) values ($1::uuid, $2::int[], $3::int[])`,
);

export interface JournalEntry {
  /** Set by the gate: how it finds out whether a COMMIT without an answer went through. */
  batch?: string;
  variant_ids?: readonly number[];
  /** Channels whose mappings changed. */
  channel_ids?: readonly number[];
}

export const appendJournal = (tx: Tx, entry: JournalEntry): Promise<number> =>
  run(tx, APPEND, [entry.batch ?? null, entry.variant_ids ?? [], entry.channel_ids ?? []]);

const FIND_BATCHES = statement(
  'journal_find_batches',
  `select batch from change_journal where batch = any($1::uuid[])`,
);

export const findBatches = async (tx: Tx, batches: readonly string[]): Promise<string[]> =>
  (await rows<{ batch: string }>(tx, FIND_BATCHES, [batches])).map((row) => row.batch);

/** Far longer than a batch may take to find out what became of it. */
const JOURNAL_KEEP_MINUTES = 10;

const TRIM = statement(
  'journal_trim',
  `delete from change_journal where at < now() - make_interval(mins => $1)`,
);

export const trimJournal = (tx: Tx): Promise<number> => run(tx, TRIM, [JOURNAL_KEEP_MINUTES]);
