// What changed since a snapshot, in SQL. A snapshot shows every transaction below its end, except those that were
// running, so a transaction that commits late is missing in every earlier snapshot and cannot be skipped.
import { rows, statement, type Tx } from '../../platform/database/database.ts';
import type { SeenTransactions, Snapshot } from './snapshot-rules.ts';

/** `SeenTransactions` as expressions. */
type SeenSql = Record<keyof SeenTransactions, string>;

/** For ids of type xid8, or cast to bigint, as orders store them. PostgreSQL sorts the running transactions. */
export const seenSql = (snapshot: string, cast: '' | '::text::bigint' = '::text::bigint'): SeenSql => ({
  end: `pg_snapshot_xmax(${snapshot})${cast}`,
  running: `array(select pg_snapshot_xip(${snapshot})${cast})`,
});

export const seenBy = ({ end, running }: SeenSql, xid: string): string =>
  `(${xid} < ${end} and ${xid} <> all(${running}))`;

/** Written as ranges, so that an index is used even if a transaction stays open for long. */
export const unseenBy = ({ end, running }: SeenSql, xid: string): string =>
  `(${xid} >= ${end} or ${xid} = any(${running}))`;

/** The entries `j` of the journal that a snapshot does not show. */
export const unseenIn = (snapshot: string): string => unseenBy(seenSql(snapshot, ''), 'j.xid');

/** True if no entry after the snapshot was trimmed. Trimmed entries have ids up to `t.xid`. */
export const reachesBackTo = (snapshot: string): string =>
  `(t.xid < pg_snapshot_xmax(${snapshot}) and not exists (
      select from pg_snapshot_xip(${snapshot}) as was_running (xid)
      where was_running.xid <= t.xid and pg_visible_in_snapshot(was_running.xid, pg_current_snapshot())))`;

/** Identifies the database: transaction ids in a copy, or in a dump that was restored elsewhere, are not comparable. */
export const PLACE = `(select c.system_identifier || ' ' || d.oid from pg_control_system() c, pg_database d
                where d.datname = current_database())`;

/** The steps of all orders: their statuses, and corrections of shipments, which do not change the status. */
export const STEPS = `(select order_id, from_status, to_status, source, at, xid, null::int as n from order_history
     union all
     select order_id, 3::smallint, 3::smallint, 'back_office'::text, at, xid, n from order_shipment_correction)`;

/**
 * For reading steps by transaction, until the transaction ends. The planner underestimates these indexes, so that each
 * poll read the whole history (3.5 s with ten million steps): statistics know nothing of new rows, which are at the end,
 * and nothing of a column that is null in all older rows, as after an upgrade from 0.1.0.
 */
export const USE_INDEX = `set_config('enable_seqscan', 'off', true)`;

/**
 * Reads what changed since `$1` in one statement, so that the returned snapshot belongs to it. Without `$1`, returns only
 * the current snapshot.
 */
function reader<Found>(name: string, text: string) {
  const read = statement(name, text);
  return async (tx: Tx, since: Snapshot | null): Promise<Found & { snapshot: Snapshot }> => {
    const [found] = await rows<Found & { snapshot: Snapshot }>(tx, read, [since]);
    if (!found) throw new RangeError(`${name} found no row`);
    return found;
  };
}

const SINCE = 'coalesce($1::pg_snapshot, pg_current_snapshot())';

interface UnseenChanges {
  /** False: some entries may have been trimmed. */
  is_known: boolean;
  /** Changed variants, without duplicates. */
  variant_ids: number[];
  /** Variants of which only quantities changed. Some may be in `variant_ids`, too. */
  moved_ids: number[];
  channel_ids: number[];
}

// Aggregated by the server: a minute of orders is 10,000 rows that name the same few variants.
export const readJournal = reader<UnseenChanges>(
  'journal_read',
  `with unseen as materialized (
     select j.variant_ids, j.only_quantities, j.channel_ids from change_journal j where ${unseenIn(SINCE)})
   select pg_current_snapshot()::text as snapshot, ${reachesBackTo(SINCE)} as is_known,
          array(select distinct unnest(u.variant_ids) from unseen u where not u.only_quantities) as variant_ids,
          array(select distinct unnest(u.variant_ids) from unseen u where u.only_quantities) as moved_ids,
          array(select distinct unnest(u.channel_ids) from unseen u) as channel_ids
   from journal_trim t`,
);

/** `orders_since`: the earliest time of orders that arrived late; null: none did. */
export const readLateOrders = reader<{ is_known: boolean; orders_since: Date | null }>(
  'journal_late_orders',
  `select pg_current_snapshot()::text as snapshot, ${reachesBackTo(SINCE)} as is_known,
          (select min(j.orders_since) from change_journal j where ${unseenIn(SINCE)}) as orders_since
   from journal_trim t`,
);

/** Ids of channels whose stock list may have changed; ids of channels with an order whose status has changed. */
export const readChangedChannels = reader<{ stock: number[]; orders: number[] }>(
  'change_watch_read',
  `with unseen as materialized (select j.variant_ids, j.channel_ids from change_journal j where ${unseenIn(SINCE)})
   select pg_current_snapshot()::text as snapshot,
          array(select unnest(u.channel_ids) from unseen u
                union
                select m.channel_id from mapping m
                where m.variant_id = any(array(select unnest(u.variant_ids) from unseen u))) as stock,
          array(select distinct o.channel_id from ${STEPS} h join orders o on o.id = h.order_id
                where h.from_status is not null and ${unseenBy(seenSql(SINCE), 'h.xid')}) as orders`,
);
