// The random source of fuzzers, drills, simulator, benchmark and tests: the same seed gives the same choices on every
// machine.
export const SEED_BELOW = 2 ** 32;

/** Derives the seed of one part (a run, a client, a request); consecutive parts are uncorrelated. */
export function seedOf(seed: number, part: number): number {
  let h = Math.imul(seed ^ (part >>> 0), 0x9e3779b1) ^ Math.imul(part + 1, 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return (h ^ (h >>> 16)) >>> 0;
}

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / SEED_BELOW;
  }

  /** A whole number from 0 to below the end. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  /** A whole number, both ends included. */
  between(first: number, last: number): number {
    return first + this.below(last - first + 1);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new RangeError('nothing to pick from');
    return list[this.below(list.length)] as T;
  }

  /** Removes a random item from the list and returns it. */
  draw<T>(list: T[]): T {
    if (list.length === 0) throw new RangeError('nothing to draw from');
    return list.splice(this.below(list.length), 1)[0] as T;
  }

  /** Every item once in random order, repeatedly. */
  *rounds<T>(list: readonly T[]): Generator<T, never> {
    for (;;) {
      const deck = [...list];
      while (deck.length > 0) yield this.draw(deck);
    }
  }

  /** A random item by weight; the weights need not sum to anything. */
  weighted<T>(list: readonly (readonly [weight: number, item: T])[]): T {
    let left = this.next() * list.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, item] of list) {
      left -= weight;
      if (left < 0) return item;
    }
    return (list.at(-1) as readonly [number, T])[1];
  }

  /** A random name by weight. */
  named<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    return this.weighted(Object.entries<number>(weights).map(([name, weight]) => [weight, name as Name]));
  }
}
