// A memory budget that owners share fairly.
import assert from 'node:assert/strict';

/**
 * One owner may take up to twice the bytes that stay free: a single owner gets two thirds of the budget, two owners
 * get two fifths each, and so on. There is always room for a new owner.
 */
const TAKEN_PER_FREE_MAX = 2;

export class ByteBudget {
  readonly #bytesMax: number;
  #bytes = 0;
  readonly #byOwner = new Map<string, number>();

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** False: the owner would be refused, whatever it takes. */
  hasRoom(owner: string): boolean {
    return this.#fits(owner, 1);
  }

  /** False: no room, nothing is taken. A single item always fits into an empty budget. */
  take(owner: string, bytes: number): boolean {
    if (!this.#fits(owner, bytes)) return false;
    this.#bytes += bytes;
    this.#byOwner.set(owner, this.#takenBy(owner) + bytes);
    return true;
  }

  release(owner: string, bytes: number): void {
    const left = this.#takenBy(owner) - bytes;
    assert(left >= 0, 'more is released than was taken');
    this.#bytes -= bytes;
    if (left === 0) this.#byOwner.delete(owner);
    else this.#byOwner.set(owner, left);
  }

  #takenBy(owner: string): number {
    return this.#byOwner.get(owner) ?? 0;
  }

  #fits(owner: string, bytes: number): boolean {
    if (this.#bytes === 0) return true;
    const free = this.#bytesMax - this.#bytes - bytes;
    return free >= 0 && this.#takenBy(owner) + bytes <= TAKEN_PER_FREE_MAX * free;
  }
}
