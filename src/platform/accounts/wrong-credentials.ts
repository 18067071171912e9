// Counts wrong API keys and admin tokens by address. Guessing is throttled and reported to operators; valid credentials
// are never throttled. In memory and bounded: the oldest addresses are dropped.

const WINDOW_MS = 60_000;
/** Counts are collected for this long before they are sent to the other workers. */
const TELL_MS = 20;
const ADDRESSES_MAX = 4_096;
/** Addresses per log line, those with the highest counts first. */
const ADDRESSES_LOGGED_MAX = 20;

interface Window {
  began: number;
  count: number;
}

export type CountsByAddress = readonly (readonly [address: string, count: number])[];

interface WrongCredentialsOptions {
  per_minute_max: number;
  /** Called once a minute if there were wrong credentials, with the total and the counts by address. */
  report: (wrong: number, byAddress: Readonly<Record<string, number>>) => void;
  /** Sends the counts of this worker to the others. */
  tell?: (counts: CountsByAddress) => void;
  /** A monotonic clock. */
  now?: () => number;
}

export class WrongCredentials {
  readonly #options: WrongCredentialsOptions;
  readonly #now: () => number;
  /** Ordered by the start of their minute. */
  readonly #windows = new Map<string, Window>();
  #unreported = new Map<string, number>();
  #untold = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: WrongCredentialsOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Counts a wrong credential. Returns the seconds until the address may try again; 0: within the limit. */
  count(address: string): number {
    this.#note(address);
    this.#tellLater(address);
    return this.#add(address, 1);
  }

  /** Whether the address has reached the limit of this minute. */
  isThrottled(address: string): boolean {
    const known = this.#windows.get(address);
    return (
      known !== undefined &&
      this.#now() - known.began < WINDOW_MS &&
      known.count >= this.#options.per_minute_max
    );
  }

  /** Adds the counts of another worker, which reports them itself. */
  learn(counts: CountsByAddress): void {
    for (const [address, count] of counts) this.#add(address, count);
  }

  #add(address: string, count: number): number {
    const now = this.#now();
    const known = this.#windows.get(address);
    if (known && now - known.began < WINDOW_MS) {
      known.count += count;
      if (known.count <= this.#options.per_minute_max) return 0;
      return Math.max(1, Math.ceil((known.began + WINDOW_MS - now) / 1_000));
    }
    this.#windows.delete(address);
    this.#windows.set(address, { began: now, count });
    const oldest = this.#windows.keys().next();
    if (this.#windows.size > ADDRESSES_MAX && oldest.value !== undefined) this.#windows.delete(oldest.value);
    return 0;
  }

  #tellLater(address: string): void {
    const { tell } = this.#options;
    if (!tell || (this.#untold.size >= ADDRESSES_MAX && !this.#untold.has(address))) return;
    if (this.#untold.size === 0)
      setTimeout(() => {
        tell([...this.#untold]);
        this.#untold = new Map();
      }, TELL_MS);
    this.#untold.set(address, (this.#untold.get(address) ?? 0) + 1);
  }

  get size(): number {
    return this.#windows.size;
  }

  /** Reports the counts since the last report. */
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
    // Beyond ADDRESSES_MAX, a new address is counted in the metric but missing in the log.
    if (count === undefined && this.#unreported.size >= ADDRESSES_MAX) return;
    this.#unreported.set(address, (count ?? 0) + 1);
    if (this.#timer) return;
    this.#timer = setTimeout(() => this.flush(), WINDOW_MS);
    this.#timer.unref();
  }
}
