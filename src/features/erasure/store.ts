// Erases personal data of orders. Amounts, statuses, history and order number are preserved, so that resends are still
// recognized. Only final orders are erased, which the gate never writes again.
import { isUnshipped, STATUSES, type Status } from '../../core/rules/transitions.ts';
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';

/** Replaces name, phone and address, which are required columns. */
const ERASED_TEXT = 'erased';
const FINAL = STATUSES.filter((status) => !isUnshipped(status));
const BATCH_ORDERS_MAX = 1_000;

export interface Retention {
  /** Final for longer than this. */
  older_than_days: number;
  /** null: all channels */
  channel_id: number | null;
}

const CUTOFF = statement('erasure_cutoff', 'select now() - make_interval(days => $1::int) as cutoff');

/** The time before which orders are erased, by the database's clock. Read once for the whole run. */
export async function cutoffOf(tx: Tx, { older_than_days }: Retention): Promise<Date> {
  const [row] = await rows<{ cutoff: Date }>(tx, CUTOFF, [older_than_days]);
  if (!row) throw new RangeError('no clock');
  return row.cutoff;
}

// Batches in order of id, each continuing after the last one. The added interval keeps the planner from using the index
// by time, which each batch would scan from the start.
const DUE = `o.id > $1 and o.created_at + interval '0' < $2 and ($3::int is null or o.channel_id = $3)
  and o.erased_at is null and o.status = any($4::smallint[])
  and exists (select from order_history h where h.order_id = o.id and h.to_status = o.status and h.at < $2)`;

const SET_ERASED = `recipient_name = '${ERASED_TEXT}', recipient_phone = '${ERASED_TEXT}',
  shipping_address = '${ERASED_TEXT}', tracking_number = null, cancel_reason = null, erased_at = now()`;

const COUNT = statement('erasure_count', `select count(*) as n from orders o where ${DUE}`);

export const countDue = async (tx: Tx, { channel_id }: Retention, cutoff: Date): Promise<number> =>
  (await rows<{ n: number }>(tx, COUNT, [0, cutoff, channel_id, FINAL]))[0]?.n ?? 0;

const LOCK_DUE = statement(
  'erasure_lock_due',
  `select o.id from orders o where ${DUE} order by o.id limit ${BATCH_ORDERS_MAX} for update of o`,
);

/** Locks the next orders that are due. Returns their ids, ascending; empty when nothing is left. */
export async function lockDue(
  tx: Tx,
  { channel_id, cutoff, afterId }: { channel_id: number | null; cutoff: Date; afterId: number },
): Promise<number[]> {
  const found = await rows<{ id: number }>(tx, LOCK_DUE, [afterId, cutoff, channel_id, FINAL]);
  return found.map((row) => row.id);
}

const LOCK_ONE = statement(
  'erasure_lock_one',
  `select id, status, erased_at is not null as is_erased from orders where order_number = $1
   order by id for update`,
);
export interface ErasableOrder {
  id: number;
  status: Status;
  is_erased: boolean;
}

/** Finds the order by its number, which is unique across all channels, and locks it. */
export const lockErasable = async (tx: Tx, orderNumber: string): Promise<ErasableOrder | undefined> =>
  (await rows<ErasableOrder>(tx, LOCK_ONE, [orderNumber]))[0];

// A statement after the lock: the one that waited for it would not see a note that was added meanwhile.
const ERASE = statement(
  'erasure_erase',
  `with notes as (update order_note set text = '${ERASED_TEXT}' where order_id = any($1::bigint[]))
   update orders set ${SET_ERASED} where id = any($1::bigint[])`,
);

/** The orders must be locked. */
export const eraseOrders = (tx: Tx, ids: readonly number[]): Promise<number> => run(tx, ERASE, [ids]);
