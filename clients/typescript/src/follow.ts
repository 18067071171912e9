// Follows changes by long polling with tokens. The loop continues after failures and can be resumed from a token.
import { throwUnlessPassing } from './error.ts';
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
  /** The last token of an earlier run. */
  since?: string | undefined;
  /** How long the service may wait for changes before it answers; at most 30. Default: 25. */
  waitSeconds?: number | undefined;
  /** Pause after a failure. Default: 5 seconds. */
  pauseMs?: number | undefined;
  /** Ends the loop. */
  signal?: AbortSignal | undefined;
  /** All changes up to this token were delivered: store it to resume from there. The next request waits for the callback. */
  onToken?: ((token: string) => void | Promise<void>) | undefined;
  /**
   * Gets every error, also of the other callbacks. The loop continues from the last token unless this callback throws.
   * Without it, the loop ends with errors that a retry cannot repair, such as a wrong key.
   */
  onError?: ((error: unknown) => void | Promise<void>) | undefined;
}

export interface SyncOptions extends FollowOptions {
  /** Gets every row of the list first, then each changed row. */
  onRow: (row: InventoryRow) => void | Promise<void>;
  /** The channel no longer has this SKU. */
  onRemoved: (sku: string) => void | Promise<void>;
  /** The whole list follows: discard all earlier rows. Also called at the start of a run without a token. */
  onRestart?: (() => void | Promise<void>) | undefined;
}

export interface WatchOrdersOptions extends FollowOptions {
  /** Gets each order whose status has changed. */
  onChange: (order: OrderChange) => void | Promise<void>;
}

/** The methods of the client that are used here. */
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
      // The token of the first page also covers changes made while the other pages are read.
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

/** `begin` and `readOn` deliver what they read and return the next token. */
async function follow(
  options: FollowOptions,
  begin: () => Promise<string>,
  readOn: (token: string, how: ChangesOptions) => Promise<string>,
): Promise<void> {
  const {
    since,
    waitSeconds = WAIT_SECONDS_DEFAULT,
    signal,
    onToken,
    onError = throwUnlessPassing,
  } = options;
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
      await onError(error);
      // Aborted while waiting: the loop ends.
      await pause(pauseMs, signal).catch(() => {});
    }
  }
}
