// Load at a fixed rate.
import { setTimeout as sleep } from 'node:timers/promises';

const CATCH_UP_MS_MAX = 200;

/** Sends requests at a fixed rate, independent of earlier ones. */
export async function atRate<T>(
  perSecond: number,
  signal: AbortSignal,
  send: (n: number) => Promise<T>,
): Promise<T[]> {
  const sent: Promise<T>[] = [];
  for (let next = performance.now(); !signal.aborted; await sleep(Math.max(1, next - performance.now()))) {
    // After a long pause of the machine, do not catch up in one burst.
    next = Math.max(next, performance.now() - CATCH_UP_MS_MAX);
    for (; next <= performance.now(); next += 1_000 / perSecond) sent.push(send(sent.length));
  }
  return Promise.all(sent);
}
