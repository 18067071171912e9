// Which open backorders could ship with the stock that is there now.
import type { Stock } from '../../core/rules/stock.ts';

export interface WaitingBackorder {
  id: number;
  /** Unpaid orders take no stock here. */
  is_paid: boolean;
  /** Remaining quantity by internal SKU, summed over the lines. */
  needs: ReadonlyMap<number, number>;
}

export interface BackorderOutlook {
  can_ship: boolean;
  /** Missing quantity by internal SKU when it is this order's turn. SKUs with enough stock are left out. */
  missing: ReadonlyMap<number, number>;
}

/** Physical stock that unshipped normal orders leave for backorders. */
export const freeForBackorders = ({ quantity, unshipped }: Pick<Stock, 'quantity' | 'unshipped'>): number =>
  Math.max(0, quantity - unshipped);

/**
 * First come, first served: each order in turn takes its quantities if all are in stock. Otherwise it takes nothing, so
 * that the goods go to the next order that can be completed.
 */
export function outlookOf(
  backorders: readonly WaitingBackorder[],
  free: ReadonlyMap<number, number>,
): Map<number, BackorderOutlook> {
  const left = new Map(free);
  const outlooks = new Map<number, BackorderOutlook>();
  for (const { id, is_paid, needs } of backorders) {
    const missing = new Map<number, number>();
    for (const [variantId, quantity] of needs) {
      const short = quantity - (left.get(variantId) ?? 0);
      if (short > 0) missing.set(variantId, short);
    }
    const can_ship = is_paid && missing.size === 0;
    if (can_ship)
      for (const [variantId, quantity] of needs) left.set(variantId, (left.get(variantId) ?? 0) - quantity);
    outlooks.set(id, { can_ship, missing });
  }
  return outlooks;
}
