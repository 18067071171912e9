// Tells whether the process is so busy with clients that background work has to slow down.

/** Minimum time between measurements: a rate over a shorter time means little. */
const LOOK_MS = 250;

export class BusyMeter {
  readonly #count: () => number;
  readonly #perSecond: number;
  #last: { count: number; at: number };
  #isBusy = false;

  /** `count` returns the number of events so far. The process is busy above `perSecond` events. */
  constructor(count: () => number, perSecond: number) {
    this.#count = count;
    this.#perSecond = perSecond;
    this.#last = { count: count(), at: performance.now() };
  }

  /** Judged by the events since the last measurement. */
  isBusy(): boolean {
    const now = { count: this.#count(), at: performance.now() };
    const ms = now.at - this.#last.at;
    if (ms < LOOK_MS) return this.#isBusy;
    this.#isBusy = now.count - this.#last.count > (this.#perSecond * ms) / 1_000;
    this.#last = now;
    return this.#isBusy;
  }
}
