// Physical stock of many variants set at once, with its rows in the ledger: imports of stock, and their undo.
import type { MovementKind } from '../domain/stock-count.ts';
import { columnsOf, rows, run, statement, type Columns, type Tx } from './database.ts';

export interface QuantityChange {
  variant_id: number;
  /** Read without a lock; 0 for a new row. */
  before: number;
  quantity: number;
  reason: string | null;
}

/** Another transaction changed stock after the ledger rows were written without a lock. */
export class StockMoved extends Error {
  readonly variant_ids: readonly number[];

  constructor(variant_ids: readonly number[]) {
    super('stock changed during the import');
    this.name = 'StockMoved';
    this.variant_ids = variant_ids;
  }
}

const LAST_MOVEMENT = statement(
  'quantity_last_movement',
  'select coalesce(max(id), 0) as id from stock_movement',
);
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
// Movements of other transactions only; the import itself may have written 100,000.
const MOVED_SINCE = statement(
  'quantity_moved_since',
  `select distinct variant_id from stock_movement where id > $1 and xmin <> pg_current_xact_id()::xid`,
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

export const lastMovementId = async (tx: Tx): Promise<number> =>
  (await rows<{ id: number }>(tx, LAST_MOVEMENT))[0]?.id ?? 0;

/** Throws `StockMoved` if another transaction has changed the stock of one of these variants since. */
export async function requireUnchangedStock(
  tx: Tx,
  changes: readonly QuantityChange[],
  sinceId: number,
): Promise<void> {
  const found = await rows<{ variant_id: number }>(tx, MOVED_SINCE, [sinceId]);
  if (found.length === 0) return;
  const ours = new Set(idsOf(changes));
  const moved = found.map(({ variant_id }) => variant_id).filter((id) => ours.has(id));
  if (moved.length > 0) throw new StockMoved(moved);
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
  if (written !== changes.length) throw new StockMoved(idsOf(await readAgain(tx, changes)));
}
