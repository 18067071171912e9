// Finds the channels whose stock list or orders have changed since a snapshot.
import { rows, statement, type Tx } from '../../platform/database/database.ts';
import { unseenIn, type Snapshot } from './store.ts';

const SINCE = 'coalesce($1::pg_snapshot, pg_current_snapshot())';

// Selects the same steps that `features/order-feed/store.ts` reports to a channel.
const READ = statement(
  'change_watch_read',
  `with unseen as materialized (select j.variant_ids, j.channel_ids from change_journal j where ${unseenIn(SINCE)})
   select pg_current_snapshot()::text as snapshot,
          array(select unnest(u.channel_ids) from unseen u
                union
                select m.channel_id from mapping m
                where m.variant_id = any(array(select unnest(u.variant_ids) from unseen u))) as stock,
          array(select distinct o.channel_id from
                  (select order_id, xid from order_history where from_status is not null
                   union all select order_id, xid from order_shipment_correction) h join orders o on o.id = h.order_id
                where (h.xid >= pg_snapshot_xmax(${SINCE})::text::bigint
                       or h.xid = any(array(select x::text::bigint from pg_snapshot_xip(${SINCE}) x)))) as orders`,
);

export interface ChangedChannels {
  /** The snapshot of this read. */
  snapshot: Snapshot;
  /** Ids of channels whose stock list may have changed. */
  stock: number[];
  /** Ids of channels with an order whose status has changed. */
  orders: number[];
}

/** Without `since`, returns only the current snapshot. */
export async function readChangedChannels(tx: Tx, since: Snapshot | null): Promise<ChangedChannels> {
  const [found] = await rows<ChangedChannels>(tx, READ, [since]);
  if (!found) throw new RangeError('no snapshot');
  return found;
}
