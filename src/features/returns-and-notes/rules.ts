// Returns: goods of a shipped order come back into physical stock, never more than were shipped.
import { SHIPPED, type Status } from '../../core/rules/transitions.ts';

export interface ReturnableLine {
  line: number;
  variant_id: number;
  /** Ordered quantity that was not cancelled. */
  shipped: number;
  /** Quantity of earlier returns. */
  returned: number;
}

export interface ReturnItem {
  line: number;
  quantity: number;
}

export type ReturnDecision =
  | {
      kind: 'return';
      /** Each line once. */
      items: ReturnItem[];
      /** Returned quantities by variant. */
      quantities: Map<number, number>;
    }
  | { kind: 'order_not_shipped'; status: Status }
  /** `positions` in the list of the request, from 0. */
  | { kind: 'order_lines_unknown'; positions: number[] }
  | { kind: 'return_exceeds_shipped'; line: number; requested: number; returnable: number };

/** If the request names a line several times, the quantities are summed. */
export function decideReturn(
  status: Status,
  lines: readonly ReturnableLine[],
  wanted: readonly ReturnItem[],
): ReturnDecision {
  if (status !== SHIPPED) return { kind: 'order_not_shipped', status };
  const byLine = new Map(lines.map((one) => [one.line, one]));
  const positions = wanted.flatMap(({ line }, at) => (byLine.has(line) ? [] : [at]));
  if (positions.length > 0) return { kind: 'order_lines_unknown', positions };
  const sums = new Map<number, number>();
  for (const { line, quantity } of wanted) sums.set(line, (sums.get(line) ?? 0) + quantity);
  const quantities = new Map<number, number>();
  for (const { line, variant_id, shipped, returned } of lines) {
    const requested = sums.get(line) ?? 0;
    const returnable = shipped - returned;
    if (requested > returnable) return { kind: 'return_exceeds_shipped', line, requested, returnable };
    if (requested > 0) quantities.set(variant_id, (quantities.get(variant_id) ?? 0) + requested);
  }
  const items = [...sums].map(([line, quantity]) => ({ line, quantity }));
  return { kind: 'return', items, quantities };
}
