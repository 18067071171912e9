// How guessing of passwords is slowed down: beyond a few failures a counter is locked, each time twice as long, and
// failures are forgotten slowly. Whether an account exists plays no part.

const LOCK_FIRST_MS = 15_000;
const LOCK_MAX_MS = 15 * 60_000;
const MINUTE_MS = 60_000;

export interface Limit {
  readonly failures_max: number;
  /** One failure is forgotten in this time: the slips of an office behind one address do not add up for ever. */
  readonly forget_ms: number;
}

export const SIGN_IN_LIMITS = {
  /** An account from one address, or from one known device. */
  account_and_place: { failures_max: 5, forget_ms: 15 * MINUTE_MS },
  /** An account from everywhere but its known devices: against guesses from many addresses. */
  account: { failures_max: 50, forget_ms: 5 * MINUTE_MS },
  /** All accounts from one address: more, because a whole office may sit behind it. */
  address: { failures_max: 20, forget_ms: 15 * MINUTE_MS },
  /** Only counted, for the audit log. */
  none: { failures_max: Number.POSITIVE_INFINITY, forget_ms: 15 * MINUTE_MS },
} as const satisfies Record<string, Limit>;

export interface Failures {
  /** Those not yet forgotten, with fractions. */
  level: number;
  /** All since the counter was made. */
  failures: number;
  at_ms: number;
  locked_until_ms: number;
}

/** Never more than the longest lock: a clock that was set back an hour must not lock everybody out for an hour. */
export const lockedSeconds = ({ locked_until_ms }: Failures, now_ms: number): number =>
  Math.min(LOCK_MAX_MS / 1000, Math.max(0, Math.ceil((locked_until_ms - now_ms) / 1000)));

export function afterFailure(before: Failures, now_ms: number, { failures_max, forget_ms }: Limit): Failures {
  const forgotten = Math.max(0, now_ms - before.at_ms) / forget_ms;
  const level = Math.max(0, before.level - forgotten) + 1;
  const beyond = Math.ceil(level) - failures_max;
  const lock_ms = beyond < 0 ? 0 : Math.min(LOCK_MAX_MS, LOCK_FIRST_MS * 2 ** beyond);
  return { level, failures: before.failures + 1, at_ms: now_ms, locked_until_ms: now_ms + lock_ms };
}

/** The failure counted last was none. */
export function withoutLast(counted: Failures, { failures_max }: Limit): Failures {
  const level = Math.max(0, counted.level - 1);
  return {
    ...counted,
    level,
    failures: Math.max(0, counted.failures - 1),
    locked_until_ms: Math.ceil(level) < failures_max ? 0 : counted.locked_until_ms,
  };
}

const TOLD_EVERY_FACTOR = 5;

/** Which failures the audit log tells: the 1st, 5th, 25th, 125th, …, so that a flood does not fill it. */
export function isTold(failures: number): boolean {
  let told = 1;
  while (told < failures) told *= TOLD_EVERY_FACTOR;
  return told === failures;
}
