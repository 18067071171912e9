// What a channel may sell, computed from one joined row.
import {
  channelAvailable,
  NO_ALLOCATION,
  reserveRemaining,
  type Allocation,
  type Stock,
} from '../rules/stock.ts';

export interface Sellable {
  available: number;
  reserve_remaining: number;
}

/** Columns of outer joins; all null if there is no row. */
type Joined = { [K in keyof (Stock & Allocation)]: number | null };

const hasStock = (row: Joined): row is Joined & Stock => row.quantity !== null;
const hasAllocation = (row: Joined): row is Joined & Allocation => row.allocated_qty !== null;

/** A mapped SKU without a stock row has four zeros (contract 2.3.5). */
export function sellable(row: Joined): Sellable {
  if (!hasStock(row)) return { available: 0, reserve_remaining: 0 };
  const allocation = hasAllocation(row) ? row : NO_ALLOCATION;
  return { available: channelAvailable(row, allocation), reserve_remaining: reserveRemaining(allocation) };
}
