// Returns of shipped orders: returnable and returned quantities.
import type { ReturnableLine, ReturnItem } from './rules.ts';
import type { Status } from '../../core/rules/transitions.ts';
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';

const LOCK_ORDER = statement('return_lock_order', 'select status from orders where id = $1 for update');

/** Call before locking stock rows, as in the gate. Undefined: no such order. */
export const lockOrderStatus = async (tx: Tx, orderId: number): Promise<Status | undefined> =>
  (await rows<{ status: Status }>(tx, LOCK_ORDER, [orderId]))[0]?.status;

const READ_LINES = statement(
  'return_read_lines',
  `select i.line, i.variant_id, v.code as variant_code, i.quantity - i.cancelled_quantity as shipped,
          coalesce((select sum(r.quantity) from order_return r where r.order_id = i.order_id and r.line = i.line), 0)::int
            as returned
   from order_item i
   join variant v on v.id = i.variant_id
   where i.order_id = $1
   order by i.line`,
);

/** Call after locking the order, so that no other return is in progress. */
export const readReturnable = (
  tx: Tx,
  orderId: number,
): Promise<(ReturnableLine & { variant_code: string })[]> => rows(tx, READ_LINES, [orderId]);

const INSERT = statement(
  'return_insert',
  `insert into order_return (order_id, line, quantity, reason, actor)
   select $1, r.line, r.quantity, $4, $5 from unnest($2::smallint[], $3::int[]) as r (line, quantity)`,
);

export const insertReturns = (
  tx: Tx,
  orderId: number,
  items: readonly ReturnItem[],
  { reason, actor }: { reason: string; actor: string },
): Promise<number> =>
  run(tx, INSERT, [
    orderId,
    items.map(({ line }) => line),
    items.map(({ quantity }) => quantity),
    reason,
    actor,
  ]);
