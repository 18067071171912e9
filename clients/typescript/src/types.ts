// Parameters and results of the client. Rows, orders and reports are the types of the OpenAPI document under short names.
import type { Operations } from './schema.ts';

export type InventoryRow = Operations['getInventory']['answers'][200]['data'][number];
export type Lookup = Operations['getInventoryBySku']['answers'][200];
export type OrderRequest = Operations['postOrders']['body'];
export type Order = Operations['postOrders']['answers'][201]['data'];
export type StatusReport = Operations['postOrdersByOrderNumberStatus']['body'];

export interface CallOptions {
  /** Cancels the call, including its waits and retries; the promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export type InventoryAnswer =
  | { isChanged: true; items: InventoryRow[]; etag: string | null }
  /** The list still matches the ETag that was sent. */
  | { isChanged: false; items: null; etag: string };

export interface SubmittedOrder {
  order: Order;
  /** false: the service already had the order, possibly from an earlier attempt of the same call. */
  isNew: boolean;
}

export interface LookupAnswer {
  items: Lookup[];
  /** SKUs that are not mapped to the channel. */
  unknown: string[];
}

export interface InventoryPage {
  items: InventoryRow[];
  /** Token for `changesSince()`. The token of the first page also covers changes made while the other pages are read. */
  changesSince: string;
}

export interface InventoryChanges {
  /** Changed rows, in full. */
  items: InventoryRow[];
  /** SKUs that the channel no longer has. */
  removed: string[];
  /** For the next call. */
  changesSince: string;
  /** true: the token was too old; `items` starts the whole list, which replaces the earlier rows. */
  isComplete: boolean;
  /** True: there is more; ask again at once, with the new token. */
  hasMore: boolean;
}

/** The current state of an order whose status has changed. */
export type OrderChange = Operations['getOrders']['answers'][200]['changes'][number];

export interface OrderChanges {
  changes: OrderChange[];
  /** For the next call. */
  changesSince: string;
  /** True: there is more; ask again at once, with the new token. */
  hasMore: boolean;
}

/** Options of `changesSince()` and `orderChanges()`. */
export interface ChangesOptions extends CallOptions {
  limit?: number | undefined;
  /** How long the service may wait for a change before it answers; at most 30. */
  waitSeconds?: number | undefined;
}

export type OrderChangesBody = Operations['getOrders']['answers'][200];
type ListBody = Operations['getInventory']['answers'][200];
export type PageBody = Required<Pick<ListBody, 'data' | 'next_cursor' | 'changes_since'>>;
export type ChangesBody = Required<
  Pick<ListBody, 'data' | 'removed' | 'changes_since' | 'is_complete' | 'has_more'>
>;
export type LookupManyBody = Operations['postInventoryLookup']['answers'][200];
