// The drain phase of a stop: the process still serves, /readyz returns 503, and every response closes its connection.

/** A poll of /readyz within this time means that a load balancer depends on it. */
const WATCHED_MS = 30_000;
/** Long enough for two probes at an interval of 2 seconds. */
const DRAIN_MS = 5_000;

export class Drain {
  readonly #onAsked: () => void;
  #isOn = false;
  #askedAt = -Infinity;

  constructor(onAsked: () => void = () => {}) {
    this.#onAsked = onAsked;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** Called for each request of /readyz. */
  asked(): void {
    this.#askedAt = performance.now();
    this.#onAsked();
  }

  /** Default duration: none unless /readyz is polled. */
  get usualMs(): number {
    return performance.now() - this.#askedAt < WATCHED_MS ? DRAIN_MS : 0;
  }

  begin(): void {
    this.#isOn = true;
  }
}
