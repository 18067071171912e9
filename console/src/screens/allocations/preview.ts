// The numbers after saving the current edits: contract 2.3, applied to live numbers.
import {
  channelAvailable,
  commonAvailable,
  overcommittedBy,
  reserveRemaining,
} from '../../../../src/core/rules/stock.ts';
import type { AllocationRow } from '../../api/types.ts';

/** The input for one channel's share; other values stay unchanged. */
export interface Change {
  allocated_qty: number;
  reserve_quota: number;
}

export interface Preview {
  allocated: number;
  common: number;
  /** By channel: the common stock changes for every channel, not only for the edited one. */
  channels: Map<number, { available: number; reserve_remaining: number }>;
  /** By how much unshipped orders and pre-allocations exceed the physical stock. */
  overcommittedBy: number;
  /** The same including backorders; above 0, the common stock is 0. */
  beyondPromised: number;
}

export function preview(row: AllocationRow, changes: ReadonlyMap<number, Change>): Preview {
  const cells = row.cells.map((cell) => ({ ...cell, ...changes.get(cell.channel_id) }));
  // The sum may include channels without a cell: only the differences are added to it.
  const added = cells.reduce(
    (sum, cell, at) => sum + cell.allocated_qty - (row.cells[at]?.allocated_qty ?? 0),
    0,
  );
  const stock = { ...row, allocated: row.allocated + added };
  return {
    allocated: stock.allocated,
    common: commonAvailable(stock),
    channels: new Map(
      cells.map((cell) => [
        cell.channel_id,
        {
          available: channelAvailable(stock, cell),
          reserve_remaining: reserveRemaining(cell),
        },
      ]),
    ),
    overcommittedBy: overcommittedBy(stock),
    beyondPromised: Math.max(0, stock.unshipped + stock.allocated + stock.backordered - stock.quantity),
  };
}
