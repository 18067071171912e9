// The time between the wish to stop and the end of new connections: the process serves on, says that it is not ready, and
// asks every client to close its connection.

/** Somebody asks for /readyz at least this often where it decides about requests. */
const WATCHED_MS = 30_000;
/** Long enough for two probes that are 2 seconds apart. */
const DRAIN_MS = 5_000;

export class Drain {
  #isOn = false;
  #askedAt = -Infinity;

  get isOn(): boolean {
    return this.#isOn;
  }

  /** /readyz was asked. */
  asked(): void {
    this.#askedAt = performance.now();
  }

  /** How long a drain takes where the configuration does not say: none unless something watches /readyz. */
  get usualMs(): number {
    return performance.now() - this.#askedAt < WATCHED_MS ? DRAIN_MS : 0;
  }

  begin(): void {
    this.#isOn = true;
  }
}
