// The board behind GET /inventory: each channel's list as ready-made bytes, brought up to date by the change
// journal at every request. Always as fresh as the database at the moment of the request; the cost follows what
// changed, not the size of the catalogue.
import type { Tx } from '../store/database.ts';
import { listInventory, listTouched, type InventoryLine } from '../store/inventory.ts';
import { readJournal, type Snapshot } from '../store/journal.ts';
import { Coalescer, type CoalescerLimits, type Settled } from './coalescer.ts';
import { PAGE_ROWS, Sheet, type HeldPages, type SheetRow } from './sheet.ts';
import { stockRow } from './stock-row.ts';

const BOARD_LIMITS: CoalescerLimits = {
  queue_items_max: 4_096,
  batch_items_max: 4_096,
  batch_weight_max: 4_096,
};
/** All sheets together; the ones not asked for the longest go first. */
const BOARD_BYTES_MAX = 256 * 1024 * 1024;

/** A list is read in pieces: 100,000 rows at once took 300 MB that were never given back. */
const PIECE_ROWS = 32 * PAGE_ROWS;

/** With more to bring up to date, a sheet is as soon read anew. */
const TOUCHED_MAX = 8 * PIECE_ROWS;

/** What a channel is answered: `pages` between `{"data":[` and `]}`. */
export interface StockList extends HeldPages {
  /** The same content has the same tag, in every process. */
  etag: string;
  bytes: number;
}

/** Runs a read on the database, again after a lost connection. */
export type Read = <T>(query: (tx: Tx) => Promise<T>) => Promise<T>;

interface Kept {
  sheet: Sheet;
  /** What has changed since somebody last asked for it: nothing is read for nobody. */
  touched: Set<number>;
}

interface Loading {
  result: Promise<Loaded>;
  /** What changed while it was being read. */
  missed: Set<number>;
  /** The mappings changed meanwhile: what is being read is of no use. */
  stale: boolean;
}

interface Loaded {
  sheet: Sheet;
  /** False: it was outdated before it was complete, good only for the request that had it read. */
  isCurrent: boolean;
}

export class StockBoard {
  readonly #read: Read;
  readonly #readWhole: Read;
  readonly #bytesMax: number;
  /** In order of last use. */
  readonly #sheets = new Map<number, Kept>();
  readonly #loading = new Map<number, Loading>();
  readonly #refreshes: Coalescer<number, void>;
  /** Every transaction that it shows has been taken note of. */
  #noted: Snapshot | null = null;
  /** The connection it was read on. A server that took over, or crashed, may give out the same numbers again. */
  #source: Tx | null = null;

  /** `read` for the journal and single rows, `readWhole` for a channel's first list, which may take long. */
  constructor(read: Read, readWhole: Read, bytesMax = BOARD_BYTES_MAX) {
    this.#read = read;
    this.#readWhole = readWhole;
    this.#bytesMax = bytesMax;
    this.#refreshes = new Coalescer(async (channels) => this.#refresh(channels), BOARD_LIMITS);
  }

  async list(channelId: number): Promise<StockList> {
    for (;;) {
      // A refresh that begins after the request arrived; those that wait for it share it.
      await this.#refreshes.submit(channelId);
      const kept = this.#sheets.get(channelId);
      if (kept) {
        this.#sheets.delete(channelId);
        this.#sheets.set(channelId, kept);
        return listFrom(kept.sheet);
      }
      const joined = this.#loading.get(channelId);
      const loaded = await (joined ?? this.#load(channelId)).result;
      if (loaded.isCurrent || !joined) return listFrom(loaded.sheet);
    }
  }

  /** Keeps up with the journal while nobody asks, so that it can be trimmed. */
  async keepUp(): Promise<void> {
    if (this.#sheets.size > 0) await this.#refreshes.submit(0);
  }

  async #refresh(channels: readonly number[]): Promise<Settled<void>[]> {
    const { snapshot, is_known, variant_ids, channel_ids } = await this.#read((tx) => {
      if (tx !== this.#source) this.#startOver();
      this.#source = tx;
      return readJournal(tx, this.#noted);
    });
    if (!is_known) this.#startOver();
    for (const channelId of channel_ids) this.#forget(channelId);
    this.#note(variant_ids);
    this.#noted = snapshot;
    await this.#bringUpToDate(new Set(channels));
    return channels.map(() => ({ result: undefined }));
  }

  #note(variants: readonly number[]): void {
    for (const { missed } of this.#loading.values()) for (const variant of variants) missed.add(variant);
    for (const [channelId, { touched }] of this.#sheets) {
      for (const variant of variants) touched.add(variant);
      if (touched.size > TOUCHED_MAX) this.#forget(channelId);
    }
  }

  async #bringUpToDate(channels: ReadonlySet<number>): Promise<void> {
    const asked = new Map([...this.#sheets].filter(([channelId]) => channels.has(channelId)));
    const touched = new Set<number>();
    for (const kept of asked.values()) for (const variant of kept.touched) touched.add(variant);
    const variants = [...touched];
    for (let first = 0; first < variants.length; first += PIECE_ROWS)
      await this.#update(asked, variants.slice(first, first + PIECE_ROWS));
  }

  async #update(asked: ReadonlyMap<number, Kept>, variants: readonly number[]): Promise<void> {
    const lines = await this.#read((tx) => listTouched(tx, [...asked.keys()], variants));
    for (const [channelId, touched] of Map.groupBy(lines, channelOf)) {
      // A row that is not on the sheet: a mapping that this refresh has not been told of yet. Read it all anew.
      if (asked.get(channelId)?.sheet.update(touched.map(sheetRow)) === false) this.#forget(channelId);
    }
    // Only now: had the read failed, the same would have to be read again.
    for (const kept of asked.values()) for (const variant of variants) kept.touched.delete(variant);
  }

  #load(channelId: number): Loading {
    const progress = { missed: new Set<number>(), stale: false };
    const result = this.#readSheet(channelId, progress).finally(() => this.#loading.delete(channelId));
    const loading = Object.assign(progress, { result });
    this.#loading.set(channelId, loading);
    return loading;
  }

  async #readSheet(channelId: number, loading: Omit<Loading, 'result'>): Promise<Loaded> {
    const sheet = new Sheet();
    for (let after: string | undefined = ''; after !== undefined;) {
      const sku: string = after;
      const lines = await this.#readWhole((tx) => listInventory(tx, channelId, sku, PIECE_ROWS));
      sheet.append(lines.map(sheetRow));
      after = lines.length < PIECE_ROWS ? undefined : lines.at(-1)?.sku;
    }
    while (loading.missed.size > 0 && !loading.stale) {
      const missed = [...loading.missed];
      loading.missed.clear();
      const touched = await this.#read((tx) => listTouched(tx, [channelId], missed));
      if (!sheet.update(touched.map(sheetRow))) loading.stale = true;
    }
    if (loading.stale) return { sheet, isCurrent: false };
    this.#sheets.set(channelId, { sheet, touched: new Set() });
    this.#evict();
    return { sheet, isCurrent: true };
  }

  #evict(): void {
    let bytes = 0;
    for (const { sheet } of this.#sheets.values()) bytes += sheet.memoryBytes;
    for (const [channelId, { sheet }] of this.#sheets) {
      if (bytes <= this.#bytesMax || this.#sheets.size === 1) return;
      bytes -= sheet.memoryBytes;
      this.#sheets.delete(channelId);
    }
  }

  #forget(channelId: number): void {
    this.#sheets.delete(channelId);
    const loading = this.#loading.get(channelId);
    if (loading) loading.stale = true;
  }

  /** The journal does not reach back to what was last noted. */
  #startOver(): void {
    this.#noted = null;
    this.#sheets.clear();
    for (const loading of this.#loading.values()) loading.stale = true;
  }
}

const listFrom = (sheet: Sheet): StockList => ({
  etag: `W/"${sheet.fingerprint}"`,
  bytes: sheet.bytes,
  ...sheet.hold(),
});

const channelOf = ({ channel_id }: { channel_id: number }): number => channel_id;

const sheetRow = (line: InventoryLine): SheetRow => ({ variant_id: line.variant_id, json: stockRow(line) });
