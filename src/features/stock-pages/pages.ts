// Paging and changes of the stock list. Stateless: the client's bookmark holds its position, and every process of the
// same database can read it.
import type { Tx } from '../../platform/database/database.ts';
import {
  listChanged,
  listInventory,
  type ChangedLine,
  type InventoryLine,
} from '../../core/inventory/store.ts';
import { readChanges, readMoment } from '../../core/journal/changes-store.ts';
import type { Moment } from '../../core/journal/snapshot-rules.ts';
import type { Read } from '../../core/inventory/channel-reads.ts';
import type { StockListCache } from '../../core/inventory/stock-list-cache.ts';
import { stockRow } from '../../core/inventory/stock-row.ts';
import { Turns, type TurnLimits } from '../../platform/queues/turns.ts';

/**
 * They share one connection, so that a read waits for those before it: at most one of each other channel. Overlapping
 * reads keep the database busy while the service builds rows.
 */
const TURN_LIMITS: TurnLimits = { at_once_max: 4, at_once_per_owner_max: 1, waiting_max: 1_024 };

/** Changes per response if the client sets no limit. */
const CHANGES_MAX = 10_000;

export interface Bookmark {
  channel_id: number;
  /** After the last page, the client has seen everything up to this snapshot. */
  moment: Moment;
  /** null: the client has read the last page. */
  part: {
    after_sku: string;
    /** Set while paging through changes since a snapshot; null while paging through the whole list. */
    since: Moment | null;
  } | null;
}

export interface StockPage {
  /** Rows as JSON, between `[` and `]`. */
  rows: readonly Buffer[];
  /** null on the last page. */
  next: Bookmark | null;
  /** For requesting changes after the last page; the same on every page. */
  changes: Bookmark;
}

export interface StockChanges {
  rows: readonly Buffer[];
  removed: string[];
  /** For the next request. */
  next: Bookmark;
  /** The bookmark is too old: the response starts the whole list from the beginning. */
  is_complete: boolean;
  has_more: boolean;
  /** Call once, when the rows are no longer read. */
  release: () => void;
}

/** `release` for rows that are not in the cache. */
const nothingRetained = (): void => {};

export class StockPages {
  readonly #read: Read;
  readonly #cache: StockListCache;
  readonly #turns = new Turns(TURN_LIMITS);

  constructor(read: Read, cache: StockListCache) {
    this.#read = read;
    this.#cache = cache;
  }

  /** The page after the bookmark, or the first one. */
  page(channelId: number, limit: number, cursor: Bookmark | null, gone?: AbortSignal): Promise<StockPage> {
    return this.#inTurn(channelId, gone, async (tx) => {
      const moment = cursor ? cursor.moment : await readMoment(tx);
      return readPage(tx, channelId, limit, moment, cursor?.part?.after_sku ?? '');
    });
  }

  /** Changes since the bookmark, or the whole list if the bookmark is too old. `limit` null: no limit. */
  async changes(
    channelId: number,
    limit: number | null,
    since: Bookmark,
    gone?: AbortSignal,
  ): Promise<StockChanges> {
    const found =
      since.channel_id === channelId
        ? await this.#inTurn(channelId, gone, (tx) => follow(tx, since, limit ?? CHANGES_MAX))
        : null;
    if (found) return found;
    // From the start.
    if (limit !== null) return changesFrom(await this.page(channelId, limit, null, gone), true);
    const moment = await this.#inTurn(channelId, gone, readMoment);
    // The list is at least as fresh as the snapshot.
    const { pages, release } = await this.#cache.list(channelId);
    const next = { channel_id: channelId, moment, part: null };
    return { rows: pages, removed: [], next, is_complete: true, has_more: false, release };
  }

  #inTurn<T>(channelId: number, gone: AbortSignal | undefined, read: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#turns.run(channelId, () => this.#read(read), gone);
  }
}

async function readPage(
  tx: Tx,
  channelId: number,
  limit: number,
  moment: Moment,
  afterSku: string,
): Promise<StockPage> {
  const lines = await listInventory(tx, channelId, afterSku, limit + 1);
  const shown = lines.slice(0, limit);
  const last = lines.length > limit ? shown.at(-1)?.sku : undefined;
  const changes = { channel_id: channelId, moment, part: null };
  return {
    rows: rowsOf(shown),
    next: last === undefined ? null : { ...changes, part: { after_sku: last, since: null } },
    changes,
  };
}

/** null: the bookmark is too old. */
async function follow(tx: Tx, bookmark: Bookmark, limit: number): Promise<StockChanges | null> {
  const { channel_id, moment, part } = bookmark;
  const since = part ? part.since : moment;
  const afterSku = part?.after_sku ?? '';
  if (since === null) {
    const { era } = await readMoment(tx);
    return era === moment.era
      ? changesFrom(await readPage(tx, channel_id, limit, moment, afterSku), false)
      : null;
  }
  const changed = await readChanges(tx, channel_id, since);
  if (!changed) return null;
  // Rows before the position may change between two pages, so the snapshot of the first page counts.
  const until = part ? moment : changed.moment;
  const lines = await listChanged(tx, channel_id, changed, afterSku, limit + 1);
  const shown = lines.slice(0, limit);
  const last = lines.length > limit ? shown.at(-1)?.asked : undefined;
  return {
    rows: rowsOf(shown.filter(isMapped)),
    removed: shown.filter((line) => !isMapped(line)).map((line) => line.asked),
    next: {
      channel_id,
      moment: until,
      part: last === undefined ? null : { after_sku: last, since },
    },
    is_complete: false,
    has_more: last !== undefined,
    release: nothingRetained,
  };
}

const changesFrom = (page: StockPage, isComplete: boolean): StockChanges => ({
  rows: page.rows,
  removed: [],
  next: page.next ?? page.changes,
  is_complete: isComplete,
  has_more: page.next !== null,
  release: nothingRetained,
});

const isMapped = (line: ChangedLine): line is ChangedLine & InventoryLine => line.sku !== null;

const rowsOf = (lines: readonly InventoryLine[]): Buffer[] =>
  lines.length === 0 ? [] : [Buffer.from(lines.map(stockRow).join(','))];
