// Latencies in buckets that grow by one percent: bounded memory for runs of any length, and precise enough.

const GROWTH = Math.log(1.01);
/** From a microsecond to about ten minutes. */
const BUCKETS = 2_048;

export class Latencies {
  readonly #counts = new Uint32Array(BUCKETS);
  #total = 0;

  add(ms: number): void {
    const bucket = Math.floor(Math.log(Math.max(1, ms * 1000)) / GROWTH);
    const index = Math.min(BUCKETS - 1, bucket);
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#total += 1;
  }

  /** In milliseconds; 0 if there are no values. */
  quantile(share: number): number {
    let left = Math.ceil(this.#total * share);
    for (const [index, count] of this.#counts.entries()) {
      left -= count;
      if (left <= 0 && count > 0) return Math.exp((index + 0.5) * GROWTH) / 1000;
    }
    return 0;
  }
}
