// Wrong API keys and admin tokens, counted by address. Guessing is slowed down and told to the operators; whoever sends
// the right one is never held up. In memory and bounded: the addresses whose minute began the longest ago are forgotten.

const WINDOW_MS = 60_000;
const ADDRESSES_MAX = 4_096;
/** So many addresses are named in one log line, those with the most first. */
const ADDRESSES_LOGGED_MAX = 20;

interface Window {
  began: number;
  count: number;
}

interface WrongCredentialsOptions {
  per_minute_max: number;
  /** Once a minute, if there were any: how many, and by address. */
  report: (wrong: number, byAddress: Readonly<Record<string, number>>) => void;
  /** By a clock that never jumps. */
  now?: () => number;
}

export class WrongCredentials {
  readonly #options: WrongCredentialsOptions;
  readonly #now: () => number;
  /** By the beginning of their minute. */
  readonly #windows = new Map<string, Window>();
  #unreported = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: WrongCredentialsOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Counts one. How long the address has to wait, in whole seconds; 0: it is told that it was wrong. */
  count(address: string): number {
    this.#note(address);
    const now = this.#now();
    const known = this.#windows.get(address);
    if (known && now - known.began < WINDOW_MS) {
      known.count += 1;
      if (known.count <= this.#options.per_minute_max) return 0;
      return Math.max(1, Math.ceil((known.began + WINDOW_MS - now) / 1_000));
    }
    this.#windows.delete(address);
    this.#windows.set(address, { began: now, count: 1 });
    const oldest = this.#windows.keys().next();
    if (this.#windows.size > ADDRESSES_MAX && oldest.value !== undefined) this.#windows.delete(oldest.value);
    return 0;
  }

  get size(): number {
    return this.#windows.size;
  }

  /** Reports what was not reported yet. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#unreported.size === 0) return;
    const counts = [...this.#unreported].toSorted(([, a], [, b]) => b - a);
    this.#unreported = new Map();
    const wrong = counts.reduce((sum, [, count]) => sum + count, 0);
    this.#options.report(wrong, Object.fromEntries(counts.slice(0, ADDRESSES_LOGGED_MAX)));
  }

  #note(address: string): void {
    const count = this.#unreported.get(address);
    // Beyond the limit a new address is part of no line, but it is counted in the metric.
    if (count === undefined && this.#unreported.size >= ADDRESSES_MAX) return;
    this.#unreported.set(address, (count ?? 0) + 1);
    if (this.#timer) return;
    this.#timer = setTimeout(() => this.flush(), WINDOW_MS);
    this.#timer.unref();
  }
}
