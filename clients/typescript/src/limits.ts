/** A timer that is set for longer fires at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** The value, unless it is one that no timer can be set to. */
export function milliseconds(name: string, value: number, least = 0): number {
  if (value >= least && value <= TIMER_MS_MAX) return value;
  throw new RangeError(`${name} must be from ${least} to ${TIMER_MS_MAX}.`);
}
