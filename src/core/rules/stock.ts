// The formulas of contract 2.3. `allocated_qty` is the live remainder of a pre-allocation (contract 2.3.2a).

/** The stock row of one variant. */
export interface Stock {
  quantity: number;
  unshipped: number;
  allocated: number;
  backordered: number;
}

/** One channel's share of one stock row; a missing row is all zeros. */
export interface Allocation {
  allocated_qty: number;
  reserve_quota: number;
  backordered_qty: number;
}

/** Base of a stock change: `{ ...NO_STOCK_CHANGE, quantity: 5 }`. */
export const NO_STOCK_CHANGE: Readonly<Stock> = { quantity: 0, unshipped: 0, allocated: 0, backordered: 0 };
export const NO_ALLOCATION: Readonly<Allocation> = { allocated_qty: 0, reserve_quota: 0, backordered_qty: 0 };

/** Contract 2.3.1; a negative result is 0. */
export const commonAvailable = (stock: Readonly<Stock>): number =>
  Math.max(0, stock.quantity - stock.unshipped - stock.allocated - stock.backordered);

/**
 * Contract 2.3.2, limited to the physical stock that unshipped normal orders leave (contract 2.3.2b). The limit applies
 * only where `overcommittedBy` is above 0.
 */
export const channelAvailable = (
  stock: Readonly<Stock>,
  { allocated_qty }: Readonly<Pick<Allocation, 'allocated_qty'>>,
): number => Math.max(0, Math.min(commonAvailable(stock) + allocated_qty, stock.quantity - stock.unshipped));

/**
 * By how much unshipped normal orders and pre-allocations exceed the physical stock. Backorders do not count: they
 * exceed the stock by definition.
 */
export const overcommittedBy = ({ quantity, unshipped, allocated }: Readonly<Stock>): number =>
  Math.max(0, unshipped + allocated - quantity);

/** Contract 2.3.3, shown as at least 0; an unlimited channel shows 0 (contract 2.3.3a). */
export const reserveRemaining = (allocation: Readonly<Allocation>): number =>
  Math.max(0, allocation.reserve_quota - allocation.backordered_qty);

/** Contract 4.3.8: a quota of 0 means no limit. */
export const fitsReserveQuota = (allocation: Readonly<Allocation>, quantity: number): boolean =>
  allocation.reserve_quota === 0 || allocation.reserve_quota - allocation.backordered_qty >= quantity;

/**
 * A normal order takes the common stock first and draws the rest from the pre-allocation. The result never exceeds the
 * allocation, because an accepted quantity is at most `channelAvailable`.
 */
export const drawnFromAllocation = (stock: Readonly<Stock>, quantity: number): number =>
  Math.max(0, quantity - commonAvailable(stock));
