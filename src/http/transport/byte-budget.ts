// A memory budget that holders share fairly.
import assert from 'node:assert/strict';

/**
 * One holder may take up to twice the bytes that stay free: a single holder gets two thirds of the budget, two holders
 * get two fifths each, and so on. There is always room for a new holder.
 */
const HELD_PER_FREE_MAX = 2;

export class ByteBudget {
  readonly #bytesMax: number;
  #bytes = 0;
  readonly #byHolder = new Map<string, number>();

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** False: the holder would be refused, whatever it takes. */
  hasRoom(holder: string): boolean {
    return this.#fits(holder, 1);
  }

  /** False: no room, nothing is taken. A single item always fits into an empty budget. */
  take(holder: string, bytes: number): boolean {
    if (!this.#fits(holder, bytes)) return false;
    this.#bytes += bytes;
    this.#byHolder.set(holder, this.#heldBy(holder) + bytes);
    return true;
  }

  release(holder: string, bytes: number): void {
    const left = this.#heldBy(holder) - bytes;
    assert(left >= 0, 'more is released than was taken');
    this.#bytes -= bytes;
    if (left === 0) this.#byHolder.delete(holder);
    else this.#byHolder.set(holder, left);
  }

  #heldBy(holder: string): number {
    return this.#byHolder.get(holder) ?? 0;
  }

  #fits(holder: string, bytes: number): boolean {
    if (this.#bytes === 0) return true;
    const free = this.#bytesMax - this.#bytes - bytes;
    return free >= 0 && this.#heldBy(holder) + bytes <= HELD_PER_FREE_MAX * free;
  }
}
