// Notes of operators about orders.
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';

// The same lock as of a foreign key. It waits for an erasure in progress and sees its result.
const LOCK_ORDER = statement(
  'order_note_lock_order',
  'select erased_at is not null as is_erased from orders where id = $1 for key share',
);

export const lockOrderForNote = async (
  tx: Tx,
  orderId: number,
): Promise<{ is_erased: boolean } | undefined> =>
  (await rows<{ is_erased: boolean }>(tx, LOCK_ORDER, [orderId]))[0];

const INSERT = statement(
  'order_note_insert',
  'insert into order_note (order_id, text, actor) values ($1, $2, $3)',
);

export const insertNote = (
  tx: Tx,
  orderId: number,
  { text, actor }: { text: string; actor: string },
): Promise<number> => run(tx, INSERT, [orderId, text, actor]);
