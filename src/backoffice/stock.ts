// Changes of physical stock by operators: with the gate's locks and lock order, counters as deltas, with a ledger row.
import { decideAdjustment, decideSet, type QuantityDecision } from '../domain/stock-changes.ts';
import { NO_STOCK_CHANGE } from '../domain/stock.ts';
import type { Tx } from '../store/database.ts';
import { addToStock } from '../store/gate-writes.ts';
import { findVariant, type Variant } from '../store/products.ts';
import { recordCounts } from '../store/stock-counts.ts';
import { ensureStock, insertMovement, lockStockOf, readStockLevel, type StockLevel } from '../store/stock.ts';
import { changing, type Actor } from './changing.ts';

/** The stock row after the change, read under its lock. */
interface Stocked {
  level: StockLevel;
}

/** Sets the counted quantity; creates a missing stock row. */
export const setQuantity = (
  tx: Tx,
  by: Actor,
  wanted: { variant_code: string; quantity: number; reason: string | null; expected_quantity: number | null },
) =>
  changing<Stocked, 'variant_unknown' | 'quantity_changed' | 'below_zero' | 'beyond_limit'>(
    tx,
    by,
    async () => {
      const { variant_code, expected_quantity, reason } = wanted;
      const variant = await findVariant(tx, variant_code);
      if (!variant) return { kind: 'variant_unknown', variant_code };
      let current = await lockStockOf(tx, variant.id);
      let created = false;
      if (!current && expected_quantity === null) {
        created = (await ensureStock(tx, variant.id)) > 0;
        current = await lockStockOf(tx, variant.id);
      }
      const quantity = current?.quantity ?? null;
      const decision = decideSet(quantity, wanted.quantity, expected_quantity);
      const before = created ? null : quantity;
      return write(tx, by, variant, decision, { kind: 'set', before, reason });
    },
  );

/** A difference: goods received, damaged, lost. */
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
  entry: { kind: 'set' | 'adjustment'; before: number | null; reason: string | null },
) {
  if (decision.kind !== 'change') return { ...decision, variant_code: code };
  const { delta, quantity_after } = decision;
  const { kind, before, reason } = entry;
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
  if (kind === 'set') await recordCounts(tx, [id]);
  return {
    done: { level: await levelOf(tx, code) },
    audit: {
      action: kind === 'set' ? 'stock.set' : 'stock.adjust',
      subject: `variant:${code}`,
      before: before === null ? null : { quantity: before },
      after: { quantity: quantity_after, ...(reason === null ? {} : { reason }) },
    },
    journal: { variant_ids: [id] },
  };
}

/** The variant's stock row must be locked. */
export async function levelOf(tx: Tx, variantCode: string): Promise<StockLevel> {
  const level = await readStockLevel(tx, variantCode);
  if (!level) throw new RangeError(`the stock row of ${variantCode} is not there`);
  return level;
}
