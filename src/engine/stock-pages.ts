// The stock list in parts, and what has changed in it since. Nothing is kept here: where a reader stands is written in
// its bookmark, which any process over the same database understands.
import type { Tx } from '../store/database.ts';
import { listChanged, listInventory, type ChangedLine, type InventoryLine } from '../store/inventory.ts';
import { readChanges, readMoment, type Moment } from '../store/journal-changes.ts';
import { Coalescer, type CoalescerLimits, type Settled } from './coalescer.ts';
import type { Read, StockListCache } from './stock-list-cache.ts';
import { stockRow } from './stock-row.ts';

/** How many are read at a time, and how many may wait for it. */
const TURN_LIMITS: CoalescerLimits = { queue_items_max: 1_024, batch_items_max: 4, batch_weight_max: 4 };

/** How many changes are told at once when nobody says how many. */
const CHANGES_MAX = 10_000;

export interface Bookmark {
  channel_id: number;
  /** Once the reader has all parts, it has seen all that this moment shows. */
  moment: Moment;
  /** null: it has all parts. */
  part: {
    after_sku: string;
    /** The parts tell what has changed since; null: they are those of the whole list. */
    since: Moment | null;
  } | null;
}

export interface StockPage {
  /** Rows as JSON, between `[` and `]`. */
  rows: readonly Buffer[];
  /** null: this was the last part. */
  next: Bookmark | null;
  /** What to ask for changes with after the last part; the same for all parts. */
  changes: Bookmark;
}

export interface StockChanges {
  rows: readonly Buffer[];
  removed: string[];
  /** What to ask with next. */
  next: Bookmark;
  /** The bookmark could not be followed: these are the first rows of the whole list. */
  is_complete: boolean;
  has_more: boolean;
  /** To be called once, when nothing is read from the rows any more. */
  release: () => void;
}

/** Rows that are nobody else's. */
const notHeld = (): void => {};

type Turn = () => Promise<void>;

export class StockPages {
  readonly #read: Read;
  readonly #cache: StockListCache;
  readonly #turns = new Coalescer<Turn, void>((turns) => Promise.all(turns.map(settledTurn)), TURN_LIMITS);

  constructor(read: Read, cache: StockListCache) {
    this.#read = read;
    this.#cache = cache;
  }

  /** The part behind the bookmark, or the first one. */
  page(channelId: number, limit: number, cursor: Bookmark | null): Promise<StockPage> {
    return this.#inTurn(async (tx) => {
      const moment = cursor ? cursor.moment : await readMoment(tx);
      return readPage(tx, channelId, limit, moment, cursor?.part?.after_sku ?? '');
    });
  }

  /** Everything that has changed since; again from the start where that cannot be told. `limit` null: all of it. */
  async changes(channelId: number, limit: number | null, bookmark: Bookmark): Promise<StockChanges> {
    const found =
      bookmark.channel_id === channelId
        ? await this.#inTurn((tx) => follow(tx, bookmark, limit ?? CHANGES_MAX))
        : null;
    return found ?? this.#fromTheStart(channelId, limit);
  }

  async #fromTheStart(channelId: number, limit: number | null): Promise<StockChanges> {
    if (limit !== null) return changesFrom(await this.page(channelId, limit, null), true);
    const moment = await this.#inTurn(readMoment);
    // As fresh as the database from here on: it shows all that the moment shows, and perhaps more.
    const { pages, release } = await this.#cache.list(channelId);
    const next = { channel_id: channelId, moment, part: null };
    return { rows: pages, removed: [], next, is_complete: true, has_more: false, release };
  }

  async #inTurn<T>(read: (tx: Tx) => Promise<T>): Promise<T> {
    const answers: T[] = [];
    await this.#turns.submit(async () => {
      answers.push(await this.#read(read));
    });
    return answers[0] as T;
  }
}

const settledTurn = (turn: Turn): Promise<Settled<void>> =>
  turn().then(
    () => ({ result: undefined }),
    (error: unknown) => ({ error }),
  );

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

/** null: the bookmark cannot be followed. */
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
  // Between two parts more may have changed, in front of where the reader stands too: the moment of the first part counts.
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
    release: notHeld,
  };
}

const changesFrom = (page: StockPage, isComplete: boolean): StockChanges => ({
  rows: page.rows,
  removed: [],
  next: page.next ?? page.changes,
  is_complete: isComplete,
  has_more: page.next !== null,
  release: notHeld,
});

const isMapped = (line: ChangedLine): line is ChangedLine & InventoryLine => line.sku !== null;

const rowsOf = (lines: readonly InventoryLine[]): Buffer[] =>
  lines.length === 0 ? [] : [Buffer.from(lines.map(stockRow).join(','))];
