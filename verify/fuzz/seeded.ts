// Random choices from a seed: the same seed makes the same choices on every machine.
const SEED_BELOW = 2 ** 32;

/** The seed of one run of many: far apart for neighbours, so that runs have nothing in common. */
export function seedOfRun(seed: number, run: number): number {
  let h = Math.imul(seed ^ (run >>> 0), 0x9e3779b1) ^ Math.imul(run + 1, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return (h ^ (h >>> 16)) >>> 0;
}

export class Seeded {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0, below the limit (mulberry32). */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / SEED_BELOW) * limit);
  }

  between(min: number, max: number): number {
    return min + this.below(max - min + 1);
  }

  /** True in so many of a hundred cases. */
  percent(share: number): boolean {
    return this.below(100) < share;
  }

  pick<T>(list: readonly T[]): T {
    const chosen = list[this.below(list.length)];
    if (chosen === undefined) throw new RangeError('nothing to pick from');
    return chosen;
  }
}
