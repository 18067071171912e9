// The two functions that change counters in a batch. Each updates the working row and the net delta together.
import { allocationKey, type Changes, type BatchState } from './commands.ts';
import { NO_ALLOCATION, type Allocation, type Stock } from './stock.ts';

/** Counters are never clamped: a value below 0 is a bug and fails the command. */
function assertCounter(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${name} would become ${value}`);
}

export function moveStock(
  state: BatchState,
  changes: Changes,
  variantId: number,
  delta: Partial<Stock>,
): Stock {
  const stock = state.stock.get(variantId);
  if (!stock) throw new RangeError(`stock row ${variantId} is not locked`);
  const net = changes.stock.get(variantId) ?? { quantity: 0, unshipped: 0, allocated: 0, backordered: 0 };
  for (const counter of ['quantity', 'unshipped', 'allocated', 'backordered'] as const) {
    stock[counter] += delta[counter] ?? 0;
    net[counter] += delta[counter] ?? 0;
    assertCounter(counter, stock[counter]);
  }
  changes.stock.set(variantId, net);
  return stock;
}

/** Like `moveStock`, for one channel's allocation. A missing row starts at zero. */
export function moveAllocation(
  state: BatchState,
  changes: Changes,
  channelId: number,
  variantId: number,
  delta: Partial<Pick<Allocation, 'allocated_qty' | 'backordered_qty'>>,
): void {
  const key = allocationKey(channelId, variantId);
  const allocation = state.allocations.get(key) ?? { ...NO_ALLOCATION };
  const net = changes.allocations.get(key) ?? {
    channel_id: channelId,
    variant_id: variantId,
    allocated_qty: 0,
    backordered_qty: 0,
  };
  for (const counter of ['allocated_qty', 'backordered_qty'] as const) {
    allocation[counter] += delta[counter] ?? 0;
    net[counter] += delta[counter] ?? 0;
    assertCounter(counter, allocation[counter]);
  }
  state.allocations.set(key, allocation);
  changes.allocations.set(key, net);
}
