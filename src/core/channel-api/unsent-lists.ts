// Limits the memory of stock lists that clients have not read yet. Clients of one version share its pages, and each page
// counts once. A busy catalogue still has many versions, and each is retained until its slowest client has read it:
// 500 idle clients of a 5 MB list took 2.5 GB.
import { ByteBudget } from '../../platform/http/byte-budget.ts';

interface UnsentPage {
  readers: number;
  /** Two channels may share pages; a page counts against the budget of the first. */
  readonly owner: string;
}

export class UnsentListBudget {
  readonly #budget: ByteBudget;
  readonly #pages = new Map<Buffer, UnsentPage>();

  constructor(bytesMax: number) {
    this.#budget = new ByteBudget(bytesMax);
  }

  get bytes(): number {
    return this.#budget.bytes;
  }

  /** False: the owner has no budget left, and nothing is taken. */
  take(owner: string, pages: readonly Buffer[]): boolean {
    let more = 0;
    for (const page of pages) if (!this.#pages.has(page)) more += page.length;
    if (!this.#budget.take(owner, more)) return false;
    for (const page of pages) {
      const unsent = this.#pages.get(page);
      if (unsent) unsent.readers += 1;
      else this.#pages.set(page, { readers: 1, owner });
    }
    return true;
  }

  release(pages: readonly Buffer[]): void {
    for (const page of pages) {
      const unsent = this.#pages.get(page);
      if (!unsent) throw new RangeError('a page is released that was not taken');
      unsent.readers -= 1;
      if (unsent.readers > 0) continue;
      this.#pages.delete(page);
      this.#budget.release(unsent.owner, page.length);
    }
  }
}
