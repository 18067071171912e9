// A count of physical stock is taken at one moment and entered later. Goods that moved in between are added to it.
import { decideAdjustment, type QuantityDecision } from './stock-changes.ts';
import { INT32_MAX } from '../../platform/values/int32.ts';

/** Whether goods moved. A count corrects the quantity but moves no goods. */
const MOVES_GOODS = { set: false, import: false, adjustment: true, shipment: true, return: true };

export type MovementKind = keyof typeof MOVES_GOODS;

interface Books {
  quantity: number;
  /** Time of the latest count; null: never counted. */
  counted_at: Date | null;
  /** Ledger movements after the time of the new count, in any order or summed by kind. */
  moved: readonly { kind: MovementKind; delta: number }[];
}

interface Count {
  quantity: number;
  /** null: now. */
  counted_at: Date | null;
}

export type CountDecision =
  | (Extract<QuantityDecision, { kind: 'change' }> & { moved_since: number })
  /** The variant was counted later, at `counted_at`. */
  | { kind: 'count_outdated'; counted_at: Date }
  /** More goods have left since the count than were counted. */
  | { kind: 'count_below_zero'; counted: number; moved_since: number }
  | { kind: 'count_beyond_limit'; counted: number; moved_since: number };

/** Quantity now = counted quantity + later movements. Entering the same count twice gives the same quantity. */
export function decideCount(books: Books, count: Count): CountDecision {
  const isNow = count.counted_at === null;
  if (count.counted_at !== null && books.counted_at !== null && books.counted_at > count.counted_at)
    return { kind: 'count_outdated', counted_at: books.counted_at };
  const moved_since = isNow
    ? 0
    : books.moved.reduce((sum, { kind, delta }) => sum + (MOVES_GOODS[kind] ? delta : 0), 0);
  const quantity_after = count.quantity + moved_since;
  const facts = { counted: count.quantity, moved_since };
  if (quantity_after < 0) return { kind: 'count_below_zero', ...facts };
  if (quantity_after > INT32_MAX) return { kind: 'count_beyond_limit', ...facts };
  return { kind: 'change', delta: quantity_after - books.quantity, quantity_after, moved_since };
}

/** What a stock list changed for one variant. */
interface Entered {
  delta: number;
  entered_at: Date;
  /** For a count: the number of counts of the variant, including this one. null: a delivery or a removal. */
  entries: number | null;
}

type UndoDecision = ReturnType<typeof decideAdjustment> | { kind: 'counted_again' };

/**
 * Reverses the difference and does not restore the earlier quantity, so later shipments and returns are preserved. If
 * the variant was counted again, the later count has already corrected the quantity, and there is nothing to undo.
 */
export function decideUndo(
  books: { quantity: number; counted_at: Date | null; entries: number },
  { delta, entered_at, entries }: Entered,
): UndoDecision {
  const isCountedAgain =
    entries === null ? books.counted_at !== null && books.counted_at > entered_at : books.entries !== entries;
  return isCountedAgain ? { kind: 'counted_again' } : decideAdjustment(books.quantity, -delta);
}
