// Stock lists that were entered: what each list changed. Kept as long as it can be undone.
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';

const KEPT_HOURS = 24;

export interface StockImport {
  mode: 'set' | 'add' | 'subtract';
  variant_ids: readonly number[];
  deltas: readonly number[];
  /** For a count, by variant: the time of the previous count; null: there was none. */
  counted_before: readonly (Date | null)[] | null;
  /** For a count, by variant: the number of counts, including this one. */
  entries: readonly number[] | null;
}

export interface StoredStockImport extends StockImport {
  entered_at: Date;
  undone_at: Date | null;
}

const INSERT = statement(
  'stock_import_insert',
  `insert into stock_import (mode, variant_ids, deltas, counted_before, entries)
   values ($1, $2, $3, $4, $5) returning id`,
);
const TRIM = statement(
  'stock_import_trim',
  `delete from stock_import where entered_at < now() - interval '${KEPT_HOURS} hours'`,
);

/** Returns the id. Also deletes lists that are too old to be undone. */
export async function insertStockImport(tx: Tx, made: StockImport): Promise<number> {
  await run(tx, TRIM);
  const { mode, variant_ids, deltas, counted_before, entries } = made;
  const [row] = await rows<{ id: number }>(tx, INSERT, [mode, variant_ids, deltas, counted_before, entries]);
  if (!row) throw new RangeError('no row');
  return row.id;
}

const EXTEND = statement(
  'stock_import_extend',
  `update stock_import set variant_ids = variant_ids || $2::int[], deltas = deltas || $3::int[],
          counted_before = counted_before || $4::timestamptz[], entries = entries || $5::int[]
   where id = $1`,
);

/** Adds the next part of a list that is entered in parts. */
export async function extendStockImport(
  tx: Tx,
  id: number,
  { variant_ids, deltas, counted_before, entries }: Omit<StockImport, 'mode'>,
): Promise<void> {
  const count = await run(tx, EXTEND, [id, variant_ids, deltas, counted_before, entries]);
  if (count !== 1) throw new RangeError(`stock import ${id} is not there`);
}

const LOCK = statement(
  'stock_import_lock',
  `select mode, variant_ids, deltas, counted_before, entries, entered_at, undone_at from stock_import
   where id = $1 and entered_at >= now() - interval '${KEPT_HOURS} hours' for update`,
);
export const lockStockImport = async (tx: Tx, id: number): Promise<StoredStockImport | undefined> =>
  (await rows<StoredStockImport>(tx, LOCK, [id]))[0];

const MARK = statement(
  'stock_import_mark',
  'update stock_import set undone_at = clock_timestamp() where id = $1',
);
export const markUndone = (tx: Tx, id: number): Promise<number> => run(tx, MARK, [id]);
