// Whether the process has so much to do for its clients that work in the background has to give way.

/** A shorter time says little about a rate. */
const LOOK_MS = 250;

export class BusyMeter {
  readonly #count: () => number;
  readonly #perSecond: number;
  #last: { count: number; at: number };
  #isBusy = false;

  /** `count`: what was done so far; more than `perSecond` is busy. */
  constructor(count: () => number, perSecond: number) {
    this.#count = count;
    this.#perSecond = perSecond;
    this.#last = { count: count(), at: performance.now() };
  }

  /** Since the last look. */
  isBusy(): boolean {
    const now = { count: this.#count(), at: performance.now() };
    const ms = now.at - this.#last.at;
    if (ms < LOOK_MS) return this.#isBusy;
    this.#isBusy = now.count - this.#last.count > (this.#perSecond * ms) / 1_000;
    this.#last = now;
    return this.#isBusy;
  }
}
