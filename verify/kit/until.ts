// Waiting for a condition instead of a time.
import { setTimeout as sleep } from 'node:timers/promises';

/** Long: on a machine with ten times more to do than it can, a server took a minute to come back. */
const UNTIL_MS = 240_000;
const POLL_MS = 20;

/** Throws when it does not come true in time. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = condition.toString(),
  ms = UNTIL_MS,
): Promise<void> {
  for (const deadline = performance.now() + ms; !(await condition()); await sleep(POLL_MS)) {
    if (performance.now() > deadline) throw new Error(`not within ${ms} ms: ${what}`);
  }
}

/** Repeats until it no longer throws; the last failure counts. */
export async function eventually<T>(check: () => T | Promise<T>, ms = UNTIL_MS): Promise<T> {
  for (const deadline = performance.now() + ms; ; await sleep(POLL_MS)) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
  }
}
