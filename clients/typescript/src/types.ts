// What goes in and out. Rows, orders and reports are those of the OpenAPI document, under short names.
import type { Operations } from './schema.ts';

export type InventoryRow = Operations['getInventory']['answers'][200]['data'][number];
export type Lookup = Operations['getInventoryBySku']['answers'][200];
export type OrderRequest = Operations['postOrders']['body'];
export type Order = Operations['postOrders']['answers'][201]['data'];
export type StatusReport = Operations['postOrdersByOrderNumberStatus']['body'];

export interface CallOptions {
  /** Ends the call, its waits and retries included; the promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export type InventoryAnswer =
  | { isChanged: true; items: InventoryRow[]; etag: string | null }
  /** The list is still the one of the ETag that was sent. */
  | { isChanged: false; items: null; etag: string };

export interface SubmittedOrder {
  order: Order;
  /** False: the service had it already, perhaps from an earlier attempt of the same call. */
  isNew: boolean;
}

export interface LookupAnswer {
  items: Lookup[];
  /** SKUs that are not mapped to the channel. */
  unknown: string[];
}

export interface InventoryPage {
  items: InventoryRow[];
  /** For `changesSince`. That of the first page covers all that changes while the others are read. */
  changesSince: string;
}

export interface InventoryChanges {
  /** Changed rows, in full. */
  items: InventoryRow[];
  /** SKUs that the channel no longer has. */
  removed: string[];
  /** For the next call. */
  changesSince: string;
  /** True: the token was too old; `items` begins the whole list, which replaces yours. */
  isComplete: boolean;
  /** True: there is more; ask again at once, with the new token. */
  hasMore: boolean;
}

/** An order whose status has changed, as it is now. */
export type OrderChange = Operations['getOrders']['answers'][200]['changes'][number];

export interface OrderChanges {
  changes: OrderChange[];
  /** For the next call. */
  changesSince: string;
  /** True: there is more; ask again at once, with the new token. */
  hasMore: boolean;
}

/** For calls that ask for changes. */
export interface ChangesOptions extends CallOptions {
  limit?: number | undefined;
  /** Up to 30: without a change, the service holds the answer back for so long. */
  waitSeconds?: number | undefined;
}

export type OrderChangesBody = Operations['getOrders']['answers'][200];
type ListBody = Operations['getInventory']['answers'][200];
export type PageBody = Required<Pick<ListBody, 'data' | 'next_cursor' | 'changes_since'>>;
export type ChangesBody = Required<
  Pick<ListBody, 'data' | 'removed' | 'changes_since' | 'is_complete' | 'has_more'>
>;
export type LookupManyBody = Operations['postInventoryLookup']['answers'][200];
