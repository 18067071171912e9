// Stock lists on their way. Readers of one version share its pages, which count once; but a busy catalogue has a new
// version every moment, and each lives until its slowest reader has it: 500 readers of 5 MB that did not read were 2.5 GB.
import { ByteBudget } from '../byte-budget.ts';

export class Outbox {
  readonly #budget: ByteBudget;
  readonly #readers = new Map<Buffer, number>();

  constructor(bytesMax: number) {
    this.#budget = new ByteBudget(bytesMax);
  }

  get bytes(): number {
    return this.#budget.bytes;
  }

  /** False: there is no room for the holder, whose pages they are, and nothing is taken. */
  take(holder: string, pages: readonly Buffer[]): boolean {
    let more = 0;
    for (const page of pages) if (!this.#readers.has(page)) more += page.length;
    if (!this.#budget.take(holder, more)) return false;
    for (const page of pages) this.#readers.set(page, (this.#readers.get(page) ?? 0) + 1);
    return true;
  }

  release(holder: string, pages: readonly Buffer[]): void {
    let less = 0;
    for (const page of pages) {
      const readers = this.#readers.get(page) ?? 0;
      if (readers > 1) {
        this.#readers.set(page, readers - 1);
        continue;
      }
      this.#readers.delete(page);
      less += page.length;
    }
    this.#budget.release(holder, less);
  }
}
