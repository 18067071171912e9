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

/** A snapshot as PostgreSQL writes it down: xmin:xmax:those still running in between. */
export type Snapshot = string;

// Which transactions a snapshot shows is known for ever; one that commits late is not among them, whatever its id or
// its time. Named by what it does not show, so that an index finds it, however long somebody's transaction stays open.
export const unseenIn = (snapshot: string): string =>
  `(j.xid >= pg_snapshot_xmax(${snapshot}) or j.xid = any(array(select pg_snapshot_xip(${snapshot}))))`;

/** Nothing that the snapshot does not show has been trimmed: all that may have been is at or below `t.xid`. */
export const reachesBackTo = (snapshot: string): string =>
  `(t.xid < pg_snapshot_xmax(${snapshot}) and not exists (
      select from pg_snapshot_xip(${snapshot}) as was_running (xid)
      where was_running.xid <= t.xid and pg_visible_in_snapshot(was_running.xid, pg_current_snapshot())))`;

export interface Unseen {
  /** Of the moment of reading. */
  snapshot: Snapshot;
  /** False: what is missing may have been trimmed. */
  is_known: boolean;
  /** What has changed, each once. */
  variant_ids: number[];
  channel_ids: number[];
}

const SINCE = 'coalesce($1::pg_snapshot, pg_current_snapshot())';

// One statement, one snapshot: what it shows and what it is called belong together. Put together by the server: a minute
// of orders is 10,000 rows that name the same few variants, and reading them one by one held up everything else.
const READ = statement(
  'journal_read',
  `with unseen as materialized (select j.variant_ids, j.channel_ids from change_journal j where ${unseenIn(SINCE)})
   select pg_current_snapshot()::text as snapshot, ${reachesBackTo(SINCE)} as is_known,
          array(select distinct unnest(u.variant_ids) from unseen u) as variant_ids,
          array(select distinct unnest(u.channel_ids) from unseen u) as channel_ids
   from journal_trim t`,
);

/** Without a snapshot, nothing but the one to begin with. */
export async function readJournal(tx: Tx, since: Snapshot | null): Promise<Unseen> {
  const [unseen] = await rows<Unseen>(tx, READ, [since]);
  if (!unseen) throw new RangeError('no journal_trim');
  return unseen;
}
