// Measures how long the driver got no acknowledgement.
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../kit/until.ts';
import { acknowledgedIn } from '../account.ts';
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
      const progress = await driver.progress();
      const now = acknowledgedIn(progress);
      if (now > this.acknowledged) this.successes.push(Date.now());
      this.acknowledged = now;
      this.violations = progress.violations;
      await sleep(LOOK_MS);
    }
  }

  /** Resolves at the first success after a moment. */
  async successAfter(moment: number, limitMs: number, signal: AbortSignal): Promise<void> {
    const isThere = (): boolean => {
      if (this.failure !== null) throw this.failure;
      return (this.successes.at(-1) ?? 0) > moment;
    };
    await until(isThere, 'a command is acknowledged', limitMs, signal);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#looking;
  }
}
