// Orders that were not paid in time.
import { rows, statement, type Tx } from '../../platform/database/database.ts';

// `exists` comes first, so that nothing else is read if no channel has an expiry.
const FIND_EXPIRED = statement(
  'prepayment_expiry_find',
  `select o.id from orders o
   join channel c on c.id = o.channel_id
   where exists (select from channel where prepayment_expiry_minutes is not null)
     and o.status = 0 and o.id > $1
     and o.created_at <= now() - make_interval(mins => c.prepayment_expiry_minutes)
   order by o.id limit $2`,
);

/** Ids in ascending order, after the given one. */
export const findExpired = async (tx: Tx, afterId: number, limit: number): Promise<number[]> =>
  (await rows<{ id: number }>(tx, FIND_EXPIRED, [afterId, limit])).map(({ id }) => id);
