// Changes of physical stock by operators: with the gate's locks and lock order, counters as deltas, with a ledger row.
import { decideAdjustment, decideSet, type QuantityDecision } from '../rules/stock-changes.ts';
import { decideCount } from '../rules/stock-count.ts';
import { NO_STOCK_CHANGE } from '../rules/stock.ts';
import type { Tx } from '../../platform/database/database.ts';
import { addToStock } from '../gate/deltas-store.ts';
import { findVariant, type Variant } from '../products/store.ts';
import { readBooks, recordCounts } from './counts-store.ts';
import { ensureStock, insertMovement, lockStockOf, readStockLevel, type StockLevel } from './store.ts';
import { changing, type Actor } from '../journal/change.ts';

/** The stock row after the change, read under its lock. */
interface Stocked {
  level: StockLevel;
}

/** Sets the counted quantity; creates a missing stock row. */
export const setQuantity = (
  tx: Tx,
  by: Actor,
  wanted: {
    variant_code: string;
    quantity: number;
    reason: string | null;
    expected_quantity: number | null;
    /** null: now. */
    counted_at: Date | null;
  },
) =>
  changing<
    Stocked,
    | 'variant_unknown'
    | 'quantity_changed'
    | 'below_zero'
    | 'beyond_limit'
    | 'count_outdated'
    | 'count_below_zero'
    | 'count_beyond_limit'
  >(tx, by, async () => {
    const { variant_code, expected_quantity, reason, counted_at } = wanted;
    const variant = await findVariant(tx, variant_code);
    if (!variant) return { kind: 'variant_unknown', variant_code };
    let current = await lockStockOf(tx, variant.id);
    let created = false;
    if (!current && expected_quantity === null) {
      created = (await ensureStock(tx, [variant.id])) > 0;
      current = await lockStockOf(tx, variant.id);
    }
    const quantity = current?.quantity ?? null;
    const before = created ? null : quantity;
    const entry = { kind: 'set', before, reason, counted_at } as const;
    const decision = decideSet(quantity, wanted.quantity, expected_quantity);
    if (counted_at === null || decision.kind !== 'change') return write(tx, by, variant, decision, entry);
    const books = (await readBooks(tx, [variant.id], counted_at)).get(variant.id);
    if (!books) throw new RangeError(`the stock row of ${variant_code} was locked and is not there`);
    const count = decideCount(books, { quantity: wanted.quantity, counted_at });
    if (count.kind === 'change') return write(tx, by, variant, count, entry);
    if (count.kind === 'count_outdated')
      return { kind: count.kind, variant_code, counted_at: count.counted_at.toISOString() };
    return { ...count, variant_code };
  });

/** Changes the quantity by a difference: goods received, damaged or lost. */
export const adjustQuantity = (
  tx: Tx,
  by: Actor,
  { variant_code, delta, reason }: { variant_code: string; delta: number; reason: string },
) =>
  changing<Stocked, 'variant_unknown' | 'stock_missing' | 'quantity_changed' | 'below_zero' | 'beyond_limit'>(
    tx,
    by,
    async () => {
      const variant = await findVariant(tx, variant_code);
      if (!variant) return { kind: 'variant_unknown', variant_code };
      const current = await lockStockOf(tx, variant.id);
      if (!current) return { kind: 'stock_missing', variant_code };
      const decision = decideAdjustment(current.quantity, delta);
      return write(tx, by, variant, decision, { kind: 'adjustment', before: current.quantity, reason });
    },
  );

/** Setting the current quantity again is audited, but it is not a movement and not in the ledger. */
async function write(
  tx: Tx,
  by: Actor,
  { id, code }: Variant,
  decision: QuantityDecision,
  entry: {
    kind: 'set' | 'adjustment';
    before: number | null;
    reason: string | null;
    counted_at?: Date | null;
  },
) {
  if (decision.kind !== 'change') return { ...decision, variant_code: code };
  const { delta, quantity_after } = decision;
  const { kind, before, reason, counted_at = null } = entry;
  if (delta !== 0) {
    await addToStock(tx, new Map([[id, { ...NO_STOCK_CHANGE, quantity: delta }]]));
    await insertMovement(tx, id, {
      delta,
      quantity_after,
      kind,
      order_id: null,
      actor: by.actor,
      reason,
    });
  }
  if (kind === 'set') await recordCounts(tx, [id], counted_at);
  return {
    done: { level: await levelOf(tx, code) },
    audit: {
      action: kind === 'set' ? 'stock.set' : 'stock.adjust',
      subject: `variant:${code}`,
      before: before === null ? null : { quantity: before },
      after: {
        quantity: quantity_after,
        ...(reason === null ? {} : { reason }),
        ...(counted_at === null ? {} : { counted_at: counted_at.toISOString() }),
      },
    },
    journal: { variant_ids: [id], only_quantities: true },
  };
}

/** The variant's stock row must be locked. */
async function levelOf(tx: Tx, variantCode: string): Promise<StockLevel> {
  const level = await readStockLevel(tx, variantCode);
  if (!level) throw new RangeError(`the stock row of ${variantCode} is not there`);
  return level;
}
