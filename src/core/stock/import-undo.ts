// Undoes a stock list, completely or not at all, by movements that reverse the differences it made.
import { decideUndo } from '../rules/stock-count.ts';
import type { Tx } from '../../platform/database/database.ts';
import { readVariantCode } from '../products/store.ts';
import { lockCounts, readBooks, revertCounts } from './counts-store.ts';
import { lockStockImport, markUndone } from './imports-store.ts';
import { lockStockRows } from './store.ts';
import { setQuantities, writeLedger, type QuantityChange } from './quantities-store.ts';
import { changing, type Actor } from '../journal/change.ts';
import { unitsOf } from './import.ts';

/** `count`: number of quantities that were changed. */
export const undoStockImport = (
  tx: Tx,
  by: Actor,
  { import_id, reason }: { import_id: number; reason: string },
) =>
  changing<
    { count: number },
    'stock_import_unknown' | 'stock_import_undone' | 'counted_again' | 'below_zero' | 'beyond_limit'
  >(tx, by, async () => {
    const made = await lockStockImport(tx, import_id);
    if (!made) return { kind: 'stock_import_unknown', import_id };
    const { mode, variant_ids, deltas, counted_before, entries, entered_at, undone_at } = made;
    if (undone_at !== null)
      return { kind: 'stock_import_undone', import_id, undone_at: undone_at.toISOString() };
    await lockStockRows(tx, variant_ids);
    await lockCounts(tx, variant_ids);
    const books = await readBooks(tx, variant_ids, null);
    const changes: QuantityChange[] = [];
    const countedAgain: number[] = [];
    for (const [index, variant_id] of variant_ids.entries()) {
      const current = books.get(variant_id);
      if (!current) throw new RangeError(`variant ${variant_id} has no stock row`);
      const entered = { delta: deltas[index] ?? 0, entered_at, entries: entries?.[index] ?? null };
      const decision = decideUndo(current, entered);
      if (decision.kind === 'counted_again') countedAgain.push(variant_id);
      else if (decision.kind !== 'change')
        return { ...decision, variant_code: await readVariantCode(tx, variant_id) };
      else if (decision.delta !== 0)
        changes.push({ variant_id, before: current.quantity, quantity: decision.quantity_after, reason });
    }
    const [first] = countedAgain;
    if (first !== undefined)
      return {
        kind: 'counted_again',
        import_id,
        variant_code: await readVariantCode(tx, first),
        variant_count: countedAgain.length,
      };
    // A count moves no goods, and neither does its reversal.
    await writeLedger(tx, changes, by.actor, mode === 'set' ? 'set' : 'adjustment');
    await setQuantities(tx, changes);
    if (counted_before !== null) await revertCounts(tx, variant_ids, counted_before);
    await markUndone(tx, import_id);
    return {
      done: { count: changes.length },
      audit: {
        action: 'stock.import_undo',
        subject: 'stock',
        before: null,
        after: { import_id, mode, reason, rows: variant_ids.length, ...unitsOf(changes) },
      },
      journal: { variant_ids: [...variant_ids], only_quantities: true },
    };
  });
