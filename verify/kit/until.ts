// Waits for a condition instead of a fixed time.
import { setTimeout as sleep } from 'node:timers/promises';

/** Long: on a machine with ten times its capacity of load, a server took a minute to restart. */
const UNTIL_MS = 120_000;
const POLL_MS_MIN = 20;
const POLL_MS_MAX = 200;
/** Of the time waited so far: what takes seconds is not asked for fifty times in each of them. */
const POLL_SHARE = 0.05;

function pause(started: number, signal?: AbortSignal): Promise<void> {
  const ms = (performance.now() - started) * POLL_SHARE;
  return sleep(Math.min(POLL_MS_MAX, Math.max(POLL_MS_MIN, ms)), undefined, { signal });
}

/** Whether the condition becomes true in time. */
export async function isWithin(
  ms: number,
  condition: () => boolean | Promise<boolean>,
  signal?: AbortSignal,
): Promise<boolean> {
  for (const started = performance.now(); !(await condition()); await pause(started, signal)) {
    if (performance.now() > started + ms) return false;
  }
  return true;
}

/** Throws if the condition is not true in time. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = condition.toString(),
  ms = UNTIL_MS,
  signal?: AbortSignal,
): Promise<void> {
  if (!(await isWithin(ms, condition, signal))) throw new Error(`not within ${ms} ms: ${what}`);
}

/** Repeats until it no longer throws; throws the last error on timeout. */
export async function eventually<T>(
  check: () => T | Promise<T>,
  ms = UNTIL_MS,
  signal?: AbortSignal,
): Promise<T> {
  for (const started = performance.now(); ; await pause(started, signal)) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > started + ms) throw error;
    }
  }
}
