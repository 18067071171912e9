// What the numbers become when the changes typed so far are saved: contract 2.3, on live numbers.
import {
  channelAvailable,
  commonAvailable,
  overcommittedBy,
  reserveRemaining,
} from '../../../../src/domain/stock.ts';
import type { AllocationRow } from '../../api/types.ts';

/** The input for one channel's share; other values stay unchanged. */
export interface Change {
  allocated_qty: number;
  reserve_quota: number;
}

export interface Preview {
  allocated: number;
  common: number;
  /** By channel: every channel's share of the common stock changes, not only that of the one edited. */
  channels: Map<number, { available: number; reserve_remaining: number }>;
  /** Unshipped orders and pre-allocations beyond what is in the warehouse. */
  overcommittedBy: number;
  /** The same with backorders: the common stock counts as 0. */
  beyondPromised: number;
}

export function preview(row: AllocationRow, changes: ReadonlyMap<number, Change>): Preview {
  const cells = row.cells.map((cell) => ({ ...cell, ...changes.get(cell.channel_id) }));
  // The sum may hold more than the cells shown: only the differences are added to it.
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
