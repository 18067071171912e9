// Follows changes by their tokens: a loop of waiting requests that survives failures and can be resumed.
import { milliseconds } from './limits.ts';
import { pause } from './retry.ts';
import type {
  CallOptions,
  ChangesOptions,
  InventoryChanges,
  InventoryPage,
  InventoryRow,
  OrderChange,
  OrderChanges,
} from './types.ts';

const WAIT_SECONDS_DEFAULT = 25;
const PAUSE_MS_DEFAULT = 5_000;

interface FollowOptions {
  /** Where an earlier run has stopped. */
  since?: string | undefined;
  /** How long the service holds back an answer without changes; 25 unless told, up to 30. */
  waitSeconds?: number | undefined;
  /** After a failure; 5 seconds unless told. */
  pauseMs?: number | undefined;
  /** Ends it. */
  signal?: AbortSignal | undefined;
  /** Everything up to this token was handed on: keep it, to go on from there. The next request waits for it. */
  onToken?: ((token: string) => void | Promise<void>) | undefined;
  /** Gets what failed, the other callbacks included; it goes on from the last token, unless this throws. */
  onError?: ((error: unknown) => void | Promise<void>) | undefined;
}

export interface SyncOptions extends FollowOptions {
  /** Gets each row of the list at first, and then each row that has changed. */
  onRow: (row: InventoryRow) => void | Promise<void>;
  /** The channel no longer has this SKU. */
  onRemoved: (sku: string) => void | Promise<void>;
  /** The whole list follows: forget the rows from before. Also at the start of a run without a token. */
  onRestart?: (() => void | Promise<void>) | undefined;
}

export interface WatchOrdersOptions extends FollowOptions {
  /** Gets each order whose status has changed. */
  onChange: (order: OrderChange) => void | Promise<void>;
}

/** The part of the client that is used. */
interface Asked {
  inventoryPages(options: { limit: number } & CallOptions): AsyncIterable<InventoryPage>;
  changesSince(token: string, options: ChangesOptions): Promise<InventoryChanges>;
  orderChanges(token: string, options: ChangesOptions): Promise<OrderChanges>;
}

const PAGE_ROWS = 1_000;

export function sync(client: Asked, options: SyncOptions): Promise<void> {
  const { onRow, onRemoved, onRestart, signal } = options;
  const readAll = async (): Promise<string> => {
    await onRestart?.();
    let first: string | null = null;
    for await (const { items, changesSince } of client.inventoryPages({ limit: PAGE_ROWS, signal })) {
      // It covers what changes while the other pages are read.
      first ??= changesSince;
      for (const row of items) await onRow(row);
    }
    if (first === null) throw new RangeError('The list has no page.');
    return first;
  };
  const readChanges = async (token: string, how: ChangesOptions): Promise<string> => {
    const { items, removed, isComplete, changesSince } = await client.changesSince(token, how);
    if (isComplete) await onRestart?.();
    for (const row of items) await onRow(row);
    for (const sku of removed) await onRemoved(sku);
    return changesSince;
  };
  return follow(options, readAll, readChanges);
}

export function watchOrders(client: Asked, options: WatchOrdersOptions): Promise<void> {
  const { onChange, signal } = options;
  const begin = async (): Promise<string> => (await client.orderChanges('now', { signal })).changesSince;
  return follow(options, begin, async (token, how) => {
    const { changes, changesSince } = await client.orderChanges(token, how);
    for (const order of changes) await onChange(order);
    return changesSince;
  });
}

/** `begin` and `readOn` hand on what there is, and give the token behind it. */
async function follow(
  options: FollowOptions,
  begin: () => Promise<string>,
  readOn: (token: string, how: ChangesOptions) => Promise<string>,
): Promise<void> {
  const { since, waitSeconds = WAIT_SECONDS_DEFAULT, signal, onToken, onError } = options;
  const pauseMs = milliseconds('pauseMs', options.pauseMs ?? PAUSE_MS_DEFAULT);
  const isEnded = (): boolean => signal?.aborted === true;
  let token = since;
  while (!isEnded()) {
    try {
      const next = token === undefined ? await begin() : await readOn(token, { waitSeconds, signal });
      if (next !== token) await onToken?.(next);
      token = next;
    } catch (error) {
      if (isEnded() && error === signal?.reason) return;
      await onError?.(error);
      // Aborted while waiting: the loop ends.
      await pause(pauseMs, signal).catch(() => {});
    }
  }
}
