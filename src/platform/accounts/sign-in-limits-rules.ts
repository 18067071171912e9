// Slows down password guessing. After a number of failures a counter is locked, twice as long each time; failures
// expire slowly. Existing and unknown accounts are treated alike.

const LOCK_FIRST_MS = 15_000;
const LOCK_MAX_MS = 15 * 60_000;
const MINUTE_MS = 60_000;

export interface FailureLimit {
  readonly failures_max: number;
  /** One failure expires after this time, so that occasional typing errors from a shared address do not add up. */
  readonly forget_ms: number;
}

export const SIGN_IN_LIMITS = {
  /** An account from one address, or from one known device. */
  account_and_place: { failures_max: 5, forget_ms: 15 * MINUTE_MS },
  /** An account from all addresses except known devices: against distributed guessing. */
  account: { failures_max: 50, forget_ms: 5 * MINUTE_MS },
  /** All accounts from one address. Higher, because an office may share one address. */
  address: { failures_max: 20, forget_ms: 15 * MINUTE_MS },
  /** Counted for the audit log only. */
  none: { failures_max: Number.POSITIVE_INFINITY, forget_ms: 15 * MINUTE_MS },
} as const satisfies Record<string, FailureLimit>;

export interface FailureCounter {
  /** Failures that have not expired; each expires gradually. */
  level: number;
  /** All failures since the counter was created. */
  failures: number;
  at_ms: number;
  locked_until_ms: number;
}

/** Capped at the longest lock, so that a clock set back by an hour does not extend locks by an hour. */
export const lockedSeconds = ({ locked_until_ms }: FailureCounter, now_ms: number): number =>
  Math.min(LOCK_MAX_MS / 1000, Math.max(0, Math.ceil((locked_until_ms - now_ms) / 1000)));

export function afterFailure(
  before: FailureCounter,
  now_ms: number,
  { failures_max, forget_ms }: FailureLimit,
): FailureCounter {
  const forgotten = Math.max(0, now_ms - before.at_ms) / forget_ms;
  const level = Math.max(0, before.level - forgotten) + 1;
  const beyond = Math.ceil(level) - failures_max;
  const lock_ms = beyond < 0 ? 0 : Math.min(LOCK_MAX_MS, LOCK_FIRST_MS * 2 ** beyond);
  return { level, failures: before.failures + 1, at_ms: now_ms, locked_until_ms: now_ms + lock_ms };
}

/** Takes the last counted failure back. */
export function withoutLastFailure(counted: FailureCounter, { failures_max }: FailureLimit): FailureCounter {
  const level = Math.max(0, counted.level - 1);
  return {
    ...counted,
    level,
    failures: Math.max(0, counted.failures - 1),
    locked_until_ms: Math.ceil(level) < failures_max ? 0 : counted.locked_until_ms,
  };
}

const AUDITED_FACTOR = 5;

/** Which failures are written to the audit log: the 1st, 5th, 25th, 125th, …, so that an attack does not fill it. */
export function isAudited(failures: number): boolean {
  let audited = 1;
  while (audited < failures) audited *= AUDITED_FACTOR;
  return audited === failures;
}
