// How many bytes may be held for something at once.
import assert from 'node:assert/strict';

export class ByteBudget {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get isFull(): boolean {
    return this.#bytes >= this.#bytesMax;
  }

  /** False: there is no room, and nothing is taken. One alone has room, however large it is. */
  take(bytes: number): boolean {
    if (this.#bytes > 0 && this.#bytes + bytes > this.#bytesMax) return false;
    this.#bytes += bytes;
    return true;
  }

  release(bytes: number): void {
    assert(bytes <= this.#bytes, 'more is released than was taken');
    this.#bytes -= bytes;
  }
}
