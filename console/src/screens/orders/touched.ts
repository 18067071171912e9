/** Prefixes of the API paths that a status change makes stale. */
export const TOUCHED = ['/orders', '/stock', '/allocations', '/overview', '/audit'];
