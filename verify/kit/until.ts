// Waits for a condition instead of a fixed time.
import { setTimeout as sleep } from 'node:timers/promises';

/** Long: on a machine with ten times its capacity of load, a server took a minute to restart. */
const UNTIL_MS = 240_000;
const POLL_MS = 20;

/** Throws if the condition is not true in time. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = condition.toString(),
  ms = UNTIL_MS,
): Promise<void> {
  for (const deadline = performance.now() + ms; !(await condition()); await sleep(POLL_MS)) {
    if (performance.now() > deadline) throw new Error(`not within ${ms} ms: ${what}`);
  }
}

/** Repeats until it no longer throws; throws the last error on timeout. */
export async function eventually<T>(check: () => T | Promise<T>, ms = UNTIL_MS): Promise<T> {
  for (const deadline = performance.now() + ms; ; await sleep(POLL_MS)) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
  }
}
