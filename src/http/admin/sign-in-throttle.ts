// Slows guessing down: after a few failures a key (an e-mail, an address) is locked, each time twice as long.
// Whether an account exists plays no part. In memory and bounded: the keys not seen the longest are forgotten.

const KEYS_MAX = 4_096;
const LOCK_FIRST_MS = 15_000;
const LOCK_MAX_MS = 15 * 60_000;
/** One failure is forgotten in this time: the slips of an office behind one address do not add up for ever. */
const FORGET_MS = 15 * 60_000;

interface Entry {
  /** Failures not yet forgotten, with fractions. */
  level: number;
  at: number;
  locked_until: number;
}

export class SignInThrottle {
  readonly #failuresMax: number;
  readonly #now: () => number;
  /** In the order of their last failure. */
  readonly #entries = new Map<string, Entry>();

  /** By a clock that never jumps: an hour back would lock everybody out for an hour. */
  constructor(failuresMax: number, now: () => number = () => performance.now()) {
    this.#failuresMax = failuresMax;
    this.#now = now;
  }

  /** How long the key is locked, in whole seconds; 0: it is not. */
  lockedSeconds(key: string): number {
    const entry = this.#entries.get(key);
    return entry ? Math.max(0, Math.ceil((entry.locked_until - this.#now()) / 1000)) : 0;
  }

  /** Called before the password is checked, so that guesses sent all at once count too. */
  count(key: string): void {
    const at = this.#now();
    const known = this.#entries.get(key);
    const level = (known ? Math.max(0, known.level - (at - known.at) / FORGET_MS) : 0) + 1;
    const beyond = Math.ceil(level) - this.#failuresMax;
    const lock = beyond < 0 ? 0 : Math.min(LOCK_MAX_MS, LOCK_FIRST_MS * 2 ** beyond);
    this.#entries.delete(key);
    this.#entries.set(key, { level, at, locked_until: at + lock });
    const oldest = this.#entries.keys().next();
    if (this.#entries.size > KEYS_MAX && oldest.value !== undefined) this.#entries.delete(oldest.value);
  }

  /** The one counted was no failure. */
  uncount(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    entry.level -= 1;
    if (Math.ceil(entry.level) < this.#failuresMax) entry.locked_until = 0;
    if (entry.level <= 0) this.#entries.delete(key);
  }

  /** The right password: what went before were slips of the same person. */
  forget(key: string): void {
    this.#entries.delete(key);
  }

  get size(): number {
    return this.#entries.size;
  }
}
