// The change journal: one row for each transaction that changes data which channels see. A row also proves that a
// back-office transaction was committed (lost-commit.ts).
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';

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

const APPEND_BATCH = statement(
  'journal_append_batch',
  'insert into change_journal (batch) values ($1::uuid)',
);

/** Adds a row without changes, which only proves later that the transaction was committed. */
export const appendBatch = (tx: Tx, batch: string): Promise<number> => run(tx, APPEND_BATCH, [batch]);

const FIND_BATCHES = statement(
  'journal_find_batches',
  `select batch from change_journal where batch = any($1::uuid[])`,
);

export const findBatches = async (tx: Tx, batches: readonly string[]): Promise<string[]> =>
  (await rows<{ batch: string }>(tx, FIND_BATCHES, [batches])).map((row) => row.batch);

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

/** A snapshot in PostgreSQL's text form: xmin:xmax:transactions in progress. */
export type Snapshot = string;

// The transactions that a snapshot does not show. This is exact, even for transactions that commit late. Written as
// ranges, so that an index is used even if a transaction stays open for long.
export const unseenIn = (snapshot: string): string =>
  `(j.xid >= pg_snapshot_xmax(${snapshot}) or j.xid = any(array(select pg_snapshot_xip(${snapshot}))))`;

/** True if no entry after the snapshot was trimmed. Trimmed entries have ids up to `t.xid`. */
export const reachesBackTo = (snapshot: string): string =>
  `(t.xid < pg_snapshot_xmax(${snapshot}) and not exists (
      select from pg_snapshot_xip(${snapshot}) as was_running (xid)
      where was_running.xid <= t.xid and pg_visible_in_snapshot(was_running.xid, pg_current_snapshot())))`;

export interface UnseenChanges {
  /** The snapshot of this read. */
  snapshot: Snapshot;
  /** False: some entries may have been trimmed. */
  is_known: boolean;
  /** Changed variants, without duplicates. */
  variant_ids: number[];
  /** Variants of which only quantities changed. Some may be in `variant_ids`, too. */
  moved_ids: number[];
  channel_ids: number[];
}

const SINCE = 'coalesce($1::pg_snapshot, pg_current_snapshot())';

// One statement, so that the snapshot belongs to the entries. Aggregated by the server: a minute of orders is 10,000
// rows that name the same few variants.
const READ = statement(
  'journal_read',
  `with unseen as materialized (
     select j.variant_ids, j.only_quantities, j.channel_ids from change_journal j where ${unseenIn(SINCE)})
   select pg_current_snapshot()::text as snapshot, ${reachesBackTo(SINCE)} as is_known,
          array(select distinct unnest(u.variant_ids) from unseen u where not u.only_quantities) as variant_ids,
          array(select distinct unnest(u.variant_ids) from unseen u where u.only_quantities) as moved_ids,
          array(select distinct unnest(u.channel_ids) from unseen u) as channel_ids
   from journal_trim t`,
);

const LATE_ORDERS = statement(
  'journal_late_orders',
  `select pg_current_snapshot()::text as snapshot, ${reachesBackTo(SINCE)} as is_known,
          (select min(j.orders_since) from change_journal j where ${unseenIn(SINCE)}) as orders_since
   from journal_trim t`,
);

/** The earliest time of orders that arrived late since a snapshot; null: none did. */
export async function readLateOrders(
  tx: Tx,
  since: Snapshot | null,
): Promise<{ snapshot: Snapshot; is_known: boolean; orders_since: Date | null }> {
  const [found] = await rows<Awaited<ReturnType<typeof readLateOrders>>>(tx, LATE_ORDERS, [since]);
  if (!found) throw new RangeError('no journal_trim');
  return found;
}

/** Without `since`, returns only the current snapshot. */
export async function readJournal(tx: Tx, since: Snapshot | null): Promise<UnseenChanges> {
  const [unseen] = await rows<UnseenChanges>(tx, READ, [since]);
  if (!unseen) throw new RangeError('no journal_trim');
  return unseen;
}
