// Measures how long the driver got no acknowledgement.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Driver } from '../driver.ts';

const LOOK_MS = 50;

/** The longest time in milliseconds without a success from `from` to `to`. Both moments count as successes. */
export function longestSilence(successes: readonly number[], from: number, to: number): number {
  let last = successes.findLast((at) => at <= from) ?? from;
  let longest = 0;
  for (const at of [...successes.filter((one) => one > from && one <= to), to]) {
    longest = Math.max(longest, at - last);
    last = at;
  }
  return longest;
}

/** Polls the driver's count of acknowledged commands. */
export class Watch {
  readonly successes: number[] = [];
  acknowledged = 0;
  violations: readonly string[] = [];
  readonly #stopping = new AbortController();
  readonly #looking: Promise<void>;
  /** The error that ended the polling of the driver. */
  failure: Error | null = null;

  constructor(driver: Driver) {
    this.#looking = this.#look(driver).catch((error: unknown) => {
      this.failure = error instanceof Error ? error : new Error(String(error));
    });
  }

  async #look(driver: Driver): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const { acknowledged, violations } = await driver.progress();
      const now = Object.values(acknowledged).reduce((sum, count) => sum + count, 0);
      if (now > this.acknowledged) this.successes.push(Date.now());
      this.acknowledged = now;
      this.violations = violations;
      await sleep(LOOK_MS);
    }
  }

  /** Resolves at the first success after a moment. */
  async successAfter(moment: number, limitMs: number, signal: AbortSignal): Promise<void> {
    for (const deadline = Date.now() + limitMs; (this.successes.at(-1) ?? 0) <= moment;) {
      if (this.failure !== null) throw this.failure;
      if (Date.now() > deadline) throw new Error(`nothing was acknowledged for ${limitMs / 1000} s`);
      await sleep(LOOK_MS, undefined, { signal });
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#looking;
  }
}
