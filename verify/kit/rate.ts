// Load at a fixed rate.
import { setTimeout as sleep } from 'node:timers/promises';

const CATCH_UP_MS_MAX = 200;

/** Sends one request after the other at a fixed rate, whatever becomes of the earlier ones. */
export async function atRate<T>(
  perSecond: number,
  signal: AbortSignal,
  send: (n: number) => Promise<T>,
): Promise<T[]> {
  const sent: Promise<T>[] = [];
  for (let next = performance.now(); !signal.aborted; await sleep(Math.max(1, next - performance.now()))) {
    // A machine that stood still for long does not make up for it in one burst.
    next = Math.max(next, performance.now() - CATCH_UP_MS_MAX);
    for (; next <= performance.now(); next += 1_000 / perSecond) sent.push(send(sent.length));
  }
  return Promise.all(sent);
}
