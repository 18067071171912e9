// What the fuzzers share as programs.
import { globalSetup, globalTeardown } from '../kit/global-setup.ts';

/** With the database server of the test suite. */
export async function onTestServer<T>(work: () => Promise<T>): Promise<T> {
  await globalSetup();
  try {
    return await work();
  } finally {
    await globalTeardown();
  }
}

const PROGRESS_MS = 5_000;

/** Reports progress while the work runs, and at its end. */
export async function reporting<T>(tell: (seconds: number) => void, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const report = (): void => tell((performance.now() - started) / 1_000);
  const timer = setInterval(report, PROGRESS_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    report();
  }
}
