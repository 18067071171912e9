/** Beginnings of the readings that a move makes stale. */
export const TOUCHED = ['/orders', '/stock', '/allocations', '/overview', '/audit'];
