// Rules for back-office changes of stock and allocations, as pure functions.
import { INT32_MAX } from '../../platform/values/int32.ts';
import { NO_ALLOCATION, type Allocation } from './stock.ts';

type QuantityRefusal =
  /** `expected_quantity` does not match; null: there is no stock row */
  | { kind: 'quantity_changed'; quantity: number | null }
  | { kind: 'below_zero'; quantity: number }
  | { kind: 'beyond_limit'; quantity: number };

export type QuantityDecision = { kind: 'change'; delta: number; quantity_after: number } | QuantityRefusal;

/** `current` is null without a stock row, which counts as 0 but matches no expected quantity. */
export function decideSet(
  current: number | null,
  quantity: number,
  expected: number | null,
): QuantityDecision {
  if (expected !== null && expected !== current) return { kind: 'quantity_changed', quantity: current };
  return { kind: 'change', delta: quantity - (current ?? 0), quantity_after: quantity };
}

export function decideAdjustment(
  current: number,
  delta: number,
): Exclude<QuantityDecision, { kind: 'quantity_changed' }> {
  const quantity_after = current + delta;
  if (quantity_after < 0) return { kind: 'below_zero', quantity: current };
  if (quantity_after > INT32_MAX) return { kind: 'beyond_limit', quantity: current };
  return { kind: 'change', delta, quantity_after };
}

export interface AllocationChange {
  /** change of the live remainder and of the sum in the stock row (contract 2.3.2a) */
  delta: number;
  before: Allocation | null;
  after: Allocation;
}

/** An allocation may exceed the physical stock; `channelAvailable` then limits sales (contract 2.3.2b). */
export function decideAllocation(
  before: Allocation | null,
  wanted: Pick<Allocation, 'allocated_qty' | 'reserve_quota'>,
): AllocationChange {
  const { allocated_qty, backordered_qty } = before ?? NO_ALLOCATION;
  return { delta: wanted.allocated_qty - allocated_qty, before, after: { ...wanted, backordered_qty } };
}
