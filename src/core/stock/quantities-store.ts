// Physical stock of many variants set at once, with its rows in the ledger: imports of stock, and their undo.
import type { MovementKind } from '../rules/stock-count.ts';
import { columnsOf, rows, run, statement, type Columns, type Tx } from '../../platform/database/database.ts';

export interface QuantityChange {
  variant_id: number;
  /** Read without a lock; 0 for a new row. */
  before: number;
  quantity: number;
  reason: string | null;
}

const INSERT_MOVEMENTS = statement(
  'quantity_insert_movements',
  `insert into stock_movement (variant_id, delta, quantity_after, kind, actor, reason)
   select d.variant_id, d.quantity - d.before, d.quantity, $6, $5, d.reason
   from unnest($1::int[], $2::int[], $3::int[], $4::text[]) as d (variant_id, before, quantity, reason)`,
);
const READ_QUANTITIES = statement(
  'quantity_read',
  'select variant_id, quantity from stock where variant_id = any($1::int[])',
);
// The difference first: the sum of two quantities can exceed the integer range.
const SET_QUANTITIES = statement(
  'quantity_set',
  `update stock s set quantity = s.quantity + (d.quantity - d.before)
   from unnest($1::int[], $2::int[], $3::int[]) as d (variant_id, before, quantity)
   where s.variant_id = d.variant_id and s.quantity = d.before`,
);
const QUANTITY_COLUMNS: Columns<QuantityChange> = [
  (change) => change.variant_id,
  (change) => change.before,
  (change) => change.quantity,
];

export const idsOf = (changes: readonly QuantityChange[]): number[] =>
  changes.map(({ variant_id }) => variant_id);

export async function writeLedger(
  tx: Tx,
  changes: readonly QuantityChange[],
  actor: string,
  kind: MovementKind,
): Promise<void> {
  if (changes.length === 0) return;
  const reasons = changes.map(({ reason }) => reason);
  await run(tx, INSERT_MOVEMENTS, [...columnsOf(QUANTITY_COLUMNS, changes), reasons, actor, kind]);
}

/** For locked rows: reads the current quantities again and drops changes that change nothing. */
export async function readAgain(tx: Tx, changes: readonly QuantityChange[]): Promise<QuantityChange[]> {
  if (changes.length === 0) return [];
  const found = await rows<{ variant_id: number; quantity: number }>(tx, READ_QUANTITIES, [idsOf(changes)]);
  const stored = new Map(found.map(({ variant_id, quantity }) => [variant_id, quantity]));
  return changes
    .map((row) => ({ ...row, before: stored.get(row.variant_id) ?? 0 }))
    .filter(({ before, quantity }) => before !== quantity);
}

/** For locked rows. Throws if a quantity differs from `before`. */
export async function setQuantities(tx: Tx, changes: readonly QuantityChange[]): Promise<void> {
  const written = await run(tx, SET_QUANTITIES, columnsOf(QUANTITY_COLUMNS, changes));
  if (written !== changes.length) throw new RangeError('a locked stock row differs from what was read');
}
