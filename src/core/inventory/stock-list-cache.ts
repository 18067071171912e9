// The cache behind GET /inventory: each channel's list as serialized bytes, updated from the change journal at every
// request. A list is as fresh as the database; the cost depends on the number of changes, not on the size of the
// catalogue.
import type { Tx } from '../../platform/database/database.ts';
import {
  listInventory,
  listQuantities,
  listTouched,
  type InventoryLine,
  type MaybeQuantities,
} from './store.ts';
import { readJournal } from '../journal/since-store.ts';
import type { Snapshot } from '../journal/snapshot-rules.ts';
import { Coalescer, type CoalescerLimits, type Settled } from '../../platform/queues/coalescer.ts';
import { PAGE_ROWS, ChannelList, type RetainedPages, type ListRow } from './channel-list.ts';
import type { Read } from './channel-reads.ts';
import { rowQuantities, stockRow } from './stock-row.ts';

const REFRESH_LIMITS: CoalescerLimits = {
  queue_items_max: 4_096,
  batch_items_max: 4_096,
  batch_weight_max: 4_096,
};
/** For all lists; the least recently used are evicted first. */
export const LIST_CACHE_BYTES_MAX = 256 * 1024 * 1024;

/** Rows per read: loading 100,000 rows at once took 300 MB, which the allocator kept. */
const PIECE_ROWS = 32 * PAGE_ROWS;

/** Above this number of changed variants, loading the whole list is as fast. */
const TOUCHED_MAX = 8 * PIECE_ROWS;

/** The list for a response: `pages` between `{"data":[` and `]}`. */
export interface StockList extends RetainedPages {
  /** Equal content has the same tag in every process. */
  etag: string;
  bytes: number;
}

interface Kept {
  list: ChannelList;
  /** Variants that changed since the last request. Their rows are read when the list is requested again. */
  touched: Set<number>;
  /** The same for variants of which only quantities changed. */
  moved: Set<number>;
}

type Lists = ReadonlyMap<number, Kept>;

interface Loading {
  result: Promise<Loaded>;
  /** Variants that changed during the load. */
  missed: Set<number>;
  /** The mappings changed during the load, so its result is stale. */
  stale: boolean;
}

interface Loaded {
  list: ChannelList;
  /** False: stale before it was complete; used only for the request that started the load. */
  isCurrent: boolean;
}

export class StockListCache {
  readonly #read: Read;
  readonly #readWhole: Read;
  readonly #bytesMax: number;
  /** Cached lists by channel id, least recently used first. */
  readonly #lists = new Map<number, Kept>();
  readonly #loading = new Map<number, Loading>();
  readonly #refreshes: Coalescer<number, void>;
  /** The journal has been read up to this snapshot. */
  #noted: Snapshot | null = null;
  /** The connection of that read. On another connection the cache starts over: a crash may reuse transaction ids. */
  #source: Tx | null = null;

  /** `read` for the journal and single rows; `readWhole` for loading a list, which may take long. */
  constructor(read: Read, readWhole: Read, bytesMax = LIST_CACHE_BYTES_MAX) {
    this.#read = read;
    this.#readWhole = readWhole;
    this.#bytesMax = bytesMax;
    this.#refreshes = new Coalescer(
      async (channels) => this.#refresh(channels),
      REFRESH_LIMITS,
      () => 1,
      (channelId) => channelId,
    );
  }

  async list(channelId: number): Promise<StockList> {
    for (;;) {
      // A refresh that begins after this request; concurrent requests share it.
      await this.#refreshes.submit(channelId);
      const kept = this.#lists.get(channelId);
      if (kept) {
        this.#lists.delete(channelId);
        this.#lists.set(channelId, kept);
        return listFrom(kept.list);
      }
      const joined = this.#loading.get(channelId);
      const loaded = await (joined ?? this.#load(channelId)).result;
      if (loaded.isCurrent || !joined) return listFrom(loaded.list);
    }
  }

  /** Reads the journal while there are no requests, so that it can be trimmed. */
  async keepUp(): Promise<void> {
    if (this.#lists.size > 0) await this.#refreshes.submit(0);
  }

  async #refresh(channels: readonly number[]): Promise<Settled<void>[]> {
    const { snapshot, is_known, variant_ids, moved_ids, channel_ids } = await this.#read((tx) => {
      if (tx !== this.#source) this.#startOver();
      this.#source = tx;
      return readJournal(tx, this.#noted);
    });
    if (!is_known) this.#startOver();
    for (const channelId of channel_ids) this.#forget(channelId);
    this.#note(variant_ids, moved_ids);
    this.#noted = snapshot;
    await this.#bringUpToDate(new Set(channels));
    return channels.map(() => ({ result: undefined }));
  }

  #note(touchedNow: readonly number[], movedNow: readonly number[]): void {
    for (const { missed } of this.#loading.values()) addAll(missed, touchedNow, movedNow);
    for (const [channelId, { touched, moved }] of this.#lists) {
      addAll(touched, touchedNow);
      addAll(moved, movedNow);
      if (touched.size + moved.size > TOUCHED_MAX) this.#forget(channelId);
    }
  }

  async #bringUpToDate(channels: ReadonlySet<number>): Promise<void> {
    const asked = new Map([...this.#lists].filter(([channelId]) => channels.has(channelId)));
    const touched = new Set<number>();
    const moved = new Set<number>();
    for (const kept of asked.values()) {
      addAll(touched, kept.touched);
      addAll(moved, kept.moved);
    }
    for (const variants of piecesOf(touched)) await this.#update(asked, variants);
    for (const variants of piecesOf(moved)) await this.#updateQuantities(asked, variants);
  }

  async #update(asked: Lists, variants: readonly number[]): Promise<void> {
    const lines = await this.#read((tx) => listTouched(tx, [...asked.keys()], variants));
    for (const [channelId, touched] of Map.groupBy(lines, channelOf)) {
      // A row that is not on the list belongs to a mapping that this refresh has not seen yet: load the list again.
      if (asked.get(channelId)?.list.update(touched.map(listRow)) === false) this.#forget(channelId);
    }
    // After the update: a failed read must be repeated.
    for (const kept of asked.values()) for (const variant of variants) kept.touched.delete(variant);
  }

  async #updateQuantities(asked: Lists, variants: readonly number[]): Promise<void> {
    const found = await this.#read((tx) => listQuantities(tx, [...asked.keys()], variants));
    for (const [channelId, quantities] of Map.groupBy(found, channelOf))
      asked.get(channelId)?.list.updateQuantities(new Map(quantities.map(byVariant)));
    for (const { moved } of asked.values()) for (const variant of variants) moved.delete(variant);
  }

  #load(channelId: number): Loading {
    const progress = { missed: new Set<number>(), stale: false };
    const result = this.#readList(channelId, progress).finally(() => this.#loading.delete(channelId));
    const loading = Object.assign(progress, { result });
    this.#loading.set(channelId, loading);
    return loading;
  }

  async #readList(channelId: number, loading: Omit<Loading, 'result'>): Promise<Loaded> {
    const list = new ChannelList();
    for (let after: string | undefined = ''; after !== undefined;) {
      const sku: string = after;
      const lines = await this.#readWhole((tx) => listInventory(tx, channelId, sku, PIECE_ROWS));
      list.append(lines.map(listRow));
      after = lines.length < PIECE_ROWS ? undefined : lines.at(-1)?.sku;
    }
    while (loading.missed.size > 0 && !loading.stale) {
      const missed = [...loading.missed];
      loading.missed.clear();
      const touched = await this.#read((tx) => listTouched(tx, [channelId], missed));
      if (!list.update(touched.map(listRow))) loading.stale = true;
    }
    if (loading.stale) return { list, isCurrent: false };
    this.#lists.set(channelId, { list, touched: new Set(), moved: new Set() });
    this.#evict();
    return { list, isCurrent: true };
  }

  #evict(): void {
    let bytes = 0;
    for (const { list } of this.#lists.values()) bytes += list.memoryBytes;
    for (const [channelId, { list }] of this.#lists) {
      if (bytes <= this.#bytesMax || this.#lists.size === 1) return;
      bytes -= list.memoryBytes;
      this.#lists.delete(channelId);
    }
  }

  #forget(channelId: number): void {
    this.#lists.delete(channelId);
    const loading = this.#loading.get(channelId);
    if (loading) loading.stale = true;
  }

  /** Drops all lists: the journal was trimmed beyond the last snapshot, or the connection is another one. */
  #startOver(): void {
    this.#noted = null;
    this.#lists.clear();
    for (const loading of this.#loading.values()) loading.stale = true;
  }
}

const listFrom = (list: ChannelList): StockList => ({
  etag: `W/"${list.fingerprint}"`,
  bytes: list.bytes,
  ...list.retain(),
});

const channelOf = ({ channel_id }: { channel_id: number }): number => channel_id;

const listRow = (line: InventoryLine): ListRow => ({ variant_id: line.variant_id, json: stockRow(line) });

const byVariant = (row: MaybeQuantities & { variant_id: number }): [number, string] => [
  row.variant_id,
  rowQuantities(row),
];

function addAll(set: Set<number>, ...added: readonly Iterable<number>[]): void {
  for (const ids of added) for (const id of ids) set.add(id);
}

function* piecesOf(ids: ReadonlySet<number>): Generator<number[]> {
  const list = [...ids];
  for (let first = 0; first < list.length; first += PIECE_ROWS) yield list.slice(first, first + PIECE_ROWS);
}
