// Whether the service can be reached: a small store shared by the request function, the banner and lazy screens.
import { useSyncExternalStore } from 'react';

const PROBE_PAUSE_MS = 2_000;
const PROBE_MS_MAX = 5_000;
/** A request without an answer for this long is suspicious. */
const SILENCE_MS = 10_000;
const listeners = new Set<() => void>();
let isAway = false;
let waiting: Promise<void> | null = null;

function set(next: boolean): void {
  if (isAway === next) return;
  isAway = next;
  for (const listener of listeners) listener();
}

/** Any answer arrived, including errors. */
export const reached = (): void => set(false);

/** No answer arrived. Probes the service until it answers. */
export function unreached(): void {
  set(true);
  void untilReached();
}

const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

async function isThere(): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(PROBE_MS_MAX);
    return (await fetch('/healthz', { cache: 'no-store', signal })).ok;
  } catch {
    return false;
  }
}

/**
 * For a request in flight: calls `giveUp` if neither it nor a probe is answered. On a connection that was lost without a
 * sign, a browser waits for minutes. The returned function ends the watch.
 */
export function watchSilence(giveUp: () => void): () => void {
  const look = async () => {
    if (!(await isThere())) giveUp();
  };
  const timer = window.setInterval(() => void look(), SILENCE_MS);
  return () => window.clearInterval(timer);
}

/** Resolves when the service answers. */
export function untilReached(): Promise<void> {
  const wait = async () => {
    while (!(await isThere())) {
      set(true);
      await sleep(PROBE_PAUSE_MS);
    }
    waiting = null;
    reached();
  };
  waiting ??= wait();
  return waiting;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useIsAway = (): boolean => useSyncExternalStore(subscribe, () => isAway);
