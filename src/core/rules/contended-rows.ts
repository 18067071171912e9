// Stock rows that several workers lock all the time: hot SKUs. Without this, each order for such a row is read twice:
// in a batch that cannot lock the row, and in the batch that waited for it. Orders for a contended row therefore wait
// for the row from the start, and all that have arrived by then share one batch. The score counts events; it uses no
// clock.
import { skuKey, type Command } from './commands.ts';

/** A row becomes contended at this score: +1 for each command set aside for it, -1 for each batch without one. */
const SCORE_MIN = 4;
/** A contended row must be free immediately this many times in succession to stop being contended. */
export const SCORE_MAX = 16;
/** Each contended row occupies one lane of the gate. The other lanes are for rows that are held occasionally. */
export const CONTENDED_ROWS_MAX = 2;
/** Channel SKUs remembered for one row. */
const SKUS_MAX = 256;

interface Row {
  score: number;
  isContended: boolean;
  sku_keys: Set<string>;
}

/** A command that could not lock the row to which this SKU of its channel leads. */
export interface SetAside {
  variant_id: number;
  sku_key: string;
}

export class ContendedRows {
  /** By variant id. */
  readonly #rows = new Map<number, Row>();
  /** Variant id of contended rows, by `skuKey`. */
  readonly #bySku = new Map<string, number>();
  #contended = 0;

  /** The first contended row, in lock order, that the command needs; null: it needs none. */
  variantFor(command: Command): number | null {
    if (this.#bySku.size === 0 || command.kind !== 'intake') return null;
    let first: number | null = null;
    for (const { sku } of command.lines) {
      const id = this.#bySku.get(skuKey(command.channel_id, sku));
      if (id !== undefined && (first === null || id < first)) first = id;
    }
    return first;
  }

  /** Called after each batch that did not wait for a row. */
  batchEnded(aside: readonly SetAside[]): void {
    if (aside.length === 0 && this.#rows.size === this.#contended) return;
    const seen = new Set<number>();
    for (const { variant_id, sku_key } of aside) {
      seen.add(variant_id);
      this.#add(variant_id, sku_key);
    }
    for (const [id, row] of this.#rows) if (!row.isContended && !seen.has(id)) this.#cool(id, row);
  }

  /** The row was locked for commands that waited for it. `waited`: another transaction had locked it. */
  locked(variantId: number, waited: boolean): void {
    const row = this.#rows.get(variantId);
    if (!row?.isContended) return;
    if (waited) row.score = SCORE_MAX;
    else this.#cool(variantId, row);
  }

  #add(id: number, sku_key: string): void {
    const row = this.#rows.get(id) ?? { score: 0, isContended: false, sku_keys: new Set() };
    this.#rows.set(id, row);
    if (row.sku_keys.size < SKUS_MAX) row.sku_keys.add(sku_key);
    if (row.isContended) {
      if (row.sku_keys.has(sku_key)) this.#bySku.set(sku_key, id);
      return;
    }
    row.score = Math.min(SCORE_MAX, row.score + 1);
    if (row.score < SCORE_MIN || this.#contended === CONTENDED_ROWS_MAX) return;
    row.isContended = true;
    row.score = SCORE_MAX;
    this.#contended += 1;
    for (const key of row.sku_keys) this.#bySku.set(key, id);
  }

  #cool(id: number, row: Row): void {
    row.score -= 1;
    if (row.score > 0) return;
    this.#rows.delete(id);
    if (!row.isContended) return;
    this.#contended -= 1;
    // A SKU may have been mapped to another contended row meanwhile.
    for (const key of row.sku_keys) if (this.#bySku.get(key) === id) this.#bySku.delete(key);
  }
}
