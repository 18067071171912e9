// stock.csv: sets physical stock, through the ledger, under the locks of the stock rows.
import type { Tx } from '../store/database.ts';
import {
  changeQuantities,
  ensureStock,
  findVariants,
  lockQuantities,
  type FoundVariant,
  type StockChange,
} from '../store/import.ts';
import { CODE_CHARACTERS_MAX, REASON_CHARACTERS_MAX, RowReader, SeenKeys } from '../engine/import/fields.ts';
import {
  inChunks,
  lookUp,
  type Applied,
  type Counts,
  type Import,
  type Plan,
  type Progress,
} from '../engine/import/plan.ts';
import { quoted, type Problems } from '../engine/import/problems.ts';

export interface StockRow {
  line: number;
  variant_code: string;
  quantity: number;
  reason: string | null;
}

export function importStock(actor: string): Import {
  const list: StockRow[] = [];
  const codes = new SeenKeys();
  return {
    shape: { required: ['variant_code', 'quantity'], optional: ['reason'] },
    read(row, problems) {
      const reader = new RowReader(row, problems);
      const variant_code = reader.text('variant_code', CODE_CHARACTERS_MAX);
      const quantity = reader.quantity('quantity');
      const reason = reader.optional('reason', REASON_CHARACTERS_MAX);
      const earlier = reader.ok ? codes.earlier(variant_code, row.line) : null;
      if (earlier !== null)
        reader.fail(`variant_code ${quoted(variant_code)} is on line ${earlier} already.`);
      if (reader.ok) list.push({ line: row.line, variant_code, quantity, reason });
    },
    lock: async () => {}, // rows, in order, when they are changed
    plan: (tx, problems, progress) => planStock(tx, list, actor, problems, progress),
  };
}

interface Wanted {
  variant_id: number;
  quantity: number;
  /** as it was without a lock; null: no stock row */
  before: number | null;
  reason: string | null;
}

export async function planStock(
  tx: Tx,
  list: readonly StockRow[],
  actor: string,
  problems: Problems,
  progress: Progress,
): Promise<Plan> {
  const variants = await lookUp<FoundVariant>(
    list.map((row) => row.variant_code),
    (codes) => findVariants(tx, codes),
    ({ code }) => code,
  );
  const wanted: Wanted[] = [];
  for (const { line, variant_code, quantity, reason } of list) {
    const found = variants.get(variant_code);
    if (!found) problems.add(line, `variant ${quoted(variant_code)} does not exist.`);
    // What is as the file has it needs no lock: a shipment meanwhile is as good as one right after the import.
    else if (found.quantity !== quantity)
      wanted.push({ variant_id: found.id, quantity, before: found.quantity, reason });
  }
  wanted.sort((a, b) => a.variant_id - b.variant_id); // the one order of locks
  const created = wanted.filter(({ before }) => before === null).length;
  const changes = wanted.flatMap((row) => changeOf(row, row.before ?? 0));
  return {
    counts: countsOf(list.length, created, changes),
    changes: created + changes.length > 0,
    apply: () => applyStock(tx, list.length, wanted, actor, progress),
  };
}

function changeOf(row: Wanted, before: number): StockChange[] {
  const { variant_id, quantity, reason } = row;
  return quantity === before
    ? []
    : [{ variant_id, delta: quantity - before, quantity_after: quantity, reason }];
}

const countsOf = (rows: number, created: number, changes: readonly StockChange[]): Counts => ({
  rows,
  stock_rows_created: created,
  quantities_changed: changes.length,
  units_added: changes.reduce((sum, { delta }) => sum + Math.max(0, delta), 0),
  units_removed: changes.reduce((sum, { delta }) => sum + Math.max(0, -delta), 0),
});

/**
 * Missing rows are made first, all of them, and only then the first lock is taken: both in the order of the
 * variant ids, so that two imports and the gate never wait for each other in a circle.
 */
async function applyStock(
  tx: Tx,
  rows: number,
  wanted: readonly Wanted[],
  actor: string,
  progress: Progress,
): Promise<Applied> {
  const missing = wanted.filter(({ before }) => before === null).map(({ variant_id }) => variant_id);
  let created = 0;
  await inChunks(progress, missing, async (chunk) => (created += await ensureStock(tx, chunk)));
  const applied: StockChange[] = [];
  await inChunks(progress, wanted, async (chunk) => {
    const locked = await lockQuantities(
      tx,
      chunk.map(({ variant_id }) => variant_id),
    );
    const changes = chunk.flatMap((row) => changeOf(row, lockedQuantity(locked, row.variant_id)));
    if (changes.length > 0) await changeQuantities(tx, changes, actor);
    applied.push(...changes);
  });
  const touched = new Set([...missing, ...applied.map(({ variant_id }) => variant_id)]);
  return { counts: countsOf(rows, created, applied), variant_ids: [...touched], channel_ids: [] };
}

function lockedQuantity(locked: ReadonlyMap<number, number>, variantId: number): number {
  const quantity = locked.get(variantId);
  if (quantity === undefined) throw new RangeError(`the stock row of variant ${variantId} is not there`);
  return quantity;
}
