// One channel's stock list as serialized JSON, in pages. Changing a row rebuilds one page; sending the list needs no
// serialization. No strings are kept: 100,000 rows of 150 bytes take 16 MB; objects or a map by SKU took three times as
// much.
import { PageMemory } from './page-memory.ts';

export interface ListRow {
  variant_id: number;
  /** The row's JSON object. Begins with the SKU, see `skuBytes`. */
  json: string;
}

/** The first of a row's quantities, which are its last fields (`rowQuantities`). */
const QUANTITIES_START = '"quantity":';

/** A page is rebuilt when one of its rows changes: smaller pages are cheaper to change and more expensive to send. */
export const PAGE_ROWS = 128;

interface Page {
  /** Rows joined by commas; every page except the first starts with one. */
  bytes: Buffer;
  /** Start of each row, and end of the last one. */
  offsets: Uint32Array;
  /** The list's version that added this page. */
  since: number;
}

/** The current list, which stays readable until `release`. */
export interface RetainedPages {
  /** To be sent in this order between `[` and `]`. */
  pages: readonly Buffer[];
  /** Call when the pages are no longer read; their memory is then released. */
  release: () => void;
}

interface ChangedRow {
  row: number;
  was: Buffer;
  is: Buffer;
}

const byRow = (a: ChangedRow, b: ChangedRow): number => a.row - b.row;

/** Memory per row besides its page: two keys and an offset. */
const KEPT_BYTES_PER_ROW = 20;

/** Up to this many SKUs of a variant are compared one by one. Nearly every variant has fewer SKUs in a channel. */
const COMPARED_ROWS_MAX = 8;

const COMMA = 0x2c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const VARIANT_STRIDE = 2 ** 22; // rows a channel may have; a composite key stays below 2^53

export class ChannelList {
  readonly #pages: Page[] = [];
  readonly #memory = new PageMemory();
  /** variant id × stride + row */
  readonly #keys: number[] = [];
  /** Sorted, to find the rows of a variant. */
  #rowsByVariant: Float64Array | null = null;
  #view: Buffer[] | null = null;
  #bytes = 0;
  /** Sums of row hashes: a fingerprint of the content, equal in every process and updated incrementally. */
  #sumA = 0;
  #sumB = 0;

  /** Adds rows in order of SKU. Every call except the last must fill whole pages. */
  append(rows: readonly ListRow[]): void {
    const rowsBefore = this.#keys.length;
    if (rowsBefore % PAGE_ROWS !== 0)
      throw new RangeError(`the last page is incomplete after ${rowsBefore} rows`);
    if (rowsBefore + rows.length >= VARIANT_STRIDE) throw new RangeError('the list has too many rows');
    for (let first = 0; first < rows.length; first += PAGE_ROWS) {
      const slice = rows.slice(first, first + PAGE_ROWS).map((row) => Buffer.from(row.json));
      for (const row of slice) this.#addHash(row, 1);
      this.#pages.push(this.#assemble(slice, rowsBefore + first > 0));
    }
    for (const { variant_id } of rows) this.#keys.push(variant_id * VARIANT_STRIDE + this.#keys.length);
    this.#view = null;
    this.#rowsByVariant = null;
  }

  /** Pages are immutable; a change creates new ones. */
  retain(): RetainedPages {
    this.#view ??= this.#pages.map((page) => page.bytes);
    return { pages: this.#view, release: this.#memory.retain() };
  }

  get bytes(): number {
    return this.#bytes;
  }

  get memoryBytes(): number {
    return this.#bytes + this.#keys.length * KEPT_BYTES_PER_ROW;
  }

  get fingerprint(): string {
    return `${this.#sumA.toString(36)}-${this.#sumB.toString(36)}-${this.#bytes.toString(36)}`;
  }

  /** Replaces the rows that differ. False: a row is not on the list, so the list is outdated. */
  update(rows: readonly ListRow[]): boolean {
    const changed = new Map<number, Buffer>();
    const catalogues = new Map<number, Map<string, number>>();
    for (const { variant_id, json } of rows) {
      const bytes = Buffer.from(json);
      const index = this.#find(variant_id, bytes, catalogues);
      if (index === -1) return false;
      changed.set(index, bytes);
    }
    this.#replace(changed);
    return true;
  }

  /** Replaces the quantities in all rows of these variants: JSON from `rowQuantities` by variant id. */
  updateQuantities(quantities: ReadonlyMap<number, string>): void {
    const changed = new Map<number, Buffer>();
    for (const [variantId, json] of quantities) {
      const end = Buffer.from(json);
      for (const index of this.#rowsOf(variantId)) {
        const row = this.#row(index);
        changed.set(index, Buffer.concat([row.subarray(0, row.lastIndexOf(QUANTITIES_START)), end]));
      }
    }
    this.#replace(changed);
  }

  /** `rows` by index. */
  #replace(rows: ReadonlyMap<number, Buffer>): void {
    const byPage = new Map<number, Map<number, Buffer>>();
    for (const [index, bytes] of rows) {
      const page = Math.floor(index / PAGE_ROWS);
      const changed = byPage.get(page) ?? new Map<number, Buffer>();
      byPage.set(page, changed.set(index % PAGE_ROWS, bytes));
    }
    this.#memory.next();
    for (const [page, changed] of byPage) this.#rebuild(page, changed);
  }

  /** Copies the unchanged ranges and inserts the changed rows between them. */
  #rebuild(index: number, rows: ReadonlyMap<number, Buffer>): void {
    const old = this.#page(index);
    const changes: ChangedRow[] = [];
    let growth = 0;
    for (const [row, is] of rows) {
      const was = rowOf(old, row);
      if (was.equals(is)) continue;
      changes.push({ row, was, is });
      growth += is.length - was.length;
    }
    if (changes.length === 0) return;
    changes.sort(byRow);
    const bytes = Buffer.allocUnsafeSlow(old.bytes.length + growth);
    const offsets = Uint32Array.from(old.offsets);
    let copied = 0;
    let shift = 0;
    for (const { row, was, is } of changes) {
      const start = offsetOf(old.offsets, row);
      old.bytes.copy(bytes, copied + shift, copied, start);
      is.copy(bytes, start + shift);
      copied = start + was.length;
      const difference = is.length - was.length;
      shift += difference;
      if (difference !== 0) {
        for (let next = row + 1; next < offsets.length; next++)
          offsets[next] = offsetOf(offsets, next) + difference;
      }
      this.#addHash(was, -1);
      this.#addHash(is, 1);
    }
    old.bytes.copy(bytes, copied + shift, copied);
    this.#bytes += growth;
    this.#pages[index] = { bytes, offsets, since: this.#memory.version };
    this.#memory.replace(old.bytes, old.since);
    this.#view = null;
  }

  #assemble(rows: readonly Buffer[], leadingComma: boolean): Page {
    const offsets = new Uint32Array(rows.length + 1);
    let length = leadingComma ? 1 : 0;
    for (const [index, row] of rows.entries()) {
      offsets[index] = length;
      length += row.length + 1;
    }
    offsets[rows.length] = length;
    // Not from Buffer's shared pool, because a slice would keep the whole pool in memory.
    const bytes = Buffer.allocUnsafeSlow(length - 1).fill(COMMA);
    for (const [index, row] of rows.entries()) row.copy(bytes, offsets[index]);
    this.#bytes += bytes.length;
    return { bytes, offsets, since: this.#memory.version };
  }

  /**
   * Several SKUs may belong to one variant; the SKU bytes identify the row. With many SKUs a map is built once per
   * update: comparing 10,000 SKUs pairwise took seconds.
   */
  #find(variantId: number, bytes: Buffer, catalogues: Map<number, Map<string, number>>): number {
    const first = this.#firstKey(variantId);
    const sku = skuBytes(bytes);
    for (let at = first; at < first + COMPARED_ROWS_MAX; at++) {
      const index = this.#rowAt(at, variantId);
      if (index === -1) return -1;
      if (this.#skuOf(index).equals(sku)) return index;
    }
    let catalogue = catalogues.get(variantId);
    if (!catalogue) {
      catalogue = new Map();
      for (const index of this.#rowsOf(variantId))
        catalogue.set(this.#skuOf(index).toString('latin1'), index);
      catalogues.set(variantId, catalogue);
    }
    return catalogue.get(sku.toString('latin1')) ?? -1;
  }

  *#rowsOf(variantId: number): Generator<number> {
    for (let at = this.#firstKey(variantId); ; at++) {
      const index = this.#rowAt(at, variantId);
      if (index === -1) return;
      yield index;
    }
  }

  /** Index of the first key of a variant. */
  #firstKey(variantId: number): number {
    const keys = (this.#rowsByVariant ??= Float64Array.from(this.#keys).toSorted());
    let low = 0;
    let high = keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((keys[middle] ?? Infinity) < variantId * VARIANT_STRIDE) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The row of a key, or -1 if the key belongs to another variant. */
  #rowAt(at: number, variantId: number): number {
    const index = (this.#rowsByVariant?.[at] ?? Infinity) - variantId * VARIANT_STRIDE;
    return index < VARIANT_STRIDE ? index : -1;
  }

  #skuOf(index: number): Buffer {
    return skuBytes(this.#row(index));
  }

  #row(index: number): Buffer {
    return rowOf(this.#page(Math.floor(index / PAGE_ROWS)), index % PAGE_ROWS);
  }

  #page(index: number): Page {
    const page = this.#pages[index];
    if (!page) throw new RangeError(`the list has no page ${index}`);
    return page;
  }

  #addHash(row: Buffer, sign: 1 | -1): void {
    const [a, b] = hashes(row);
    this.#sumA = (this.#sumA + sign * a) >>> 0;
    this.#sumB = (this.#sumB + sign * b) >>> 0;
  }
}

/**
 * Two 32-bit hashes of a row. Each bit depends on all bytes, so that the sums identify the whole list. Attackers cannot
 * choose rows, so the hash need not be cryptographic: SHA-256 took a third of the time of an update.
 */
function hashes(row: Buffer): [number, number] {
  let a = 0x9e3779b1;
  let b = 0x85ebca6b;
  for (let index = 0; index < row.length; index++) {
    // oxlint-disable-next-line typescript/consistent-type-assertions -- the index is below the length; this runs for every byte.
    const byte = row[index] as number;
    a = Math.imul(a ^ byte, 0x01000193);
    b = Math.imul(b ^ byte, 0xcc9e2d51);
    b = (b << 13) | (b >>> 19);
  }
  return [mixed(a ^ Math.imul(b, 0x27d4eb2f)), mixed(b ^ row.length)];
}

function mixed(value: number): number {
  let mix = value;
  mix = Math.imul(mix ^ (mix >>> 16), 0x7feb352d);
  mix = Math.imul(mix ^ (mix >>> 15), 0x846ca68b);
  return (mix ^ (mix >>> 16)) >>> 0;
}

const offsetOf = (offsets: Uint32Array, row: number): number =>
  // oxlint-disable-next-line typescript/consistent-type-assertions -- callers pass rows of the page; this runs for every row.
  offsets[row] as number;

const rowOf = ({ bytes, offsets }: Page, row: number): Buffer =>
  bytes.subarray(offsets[row], offsetOf(offsets, row + 1) - 1);

/** `{"sku":"…"`: from the start of the row to the end of its first string. */
function skuBytes(row: Buffer): Buffer {
  let end = row.indexOf(QUOTE, '{"sku":"'.length);
  while (isEscaped(row, end)) end = row.indexOf(QUOTE, end + 1);
  return row.subarray(0, end + 1);
}

function isEscaped(row: Buffer, quote: number): boolean {
  let backslashes = 0;
  while (row[quote - 1 - backslashes] === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}
