/** A timer with a longer delay fires immediately. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Returns the value, or throws if no timer can be set to it. */
export function milliseconds(name: string, value: number, least = 0): number {
  if (value >= least && value <= TIMER_MS_MAX) return value;
  throw new RangeError(`${name} must be from ${least} to ${TIMER_MS_MAX}.`);
}
