// Of the API.
export const TRACKING_CHARACTERS_MAX = 100;
export const REASON_CHARACTERS_MAX = 255;
/** Changes in one call. */
export const MOVED_MAX = 200;
/** Rows of a carrier's list. */
export const SHIPMENTS_MAX = 2_000;

/** Beginnings of the readings that a move makes stale. */
export const TOUCHED = ['/orders', '/stock', '/allocations', '/overview', '/audit'];
