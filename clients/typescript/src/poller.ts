// The stock list on a cycle: one request at a time, and only what changed is handed on.
import { SluiceError } from './error.ts';
import { milliseconds } from './limits.ts';
import { pause } from './retry.ts';
import type { CallOptions, InventoryAnswer, InventoryRow } from './types.ts';

const INTERVAL_MS_DEFAULT = 5 * 60 * 1000;
/** Waits are from this share of the interval up to the whole of it, so that shops drift apart. */
const SHORTEST_SHARE = 0.9;

export interface PollOptions {
  /** Five minutes unless told. */
  intervalMs?: number | undefined;
  /** Ends the polling. */
  signal?: AbortSignal | undefined;
  /** Gets the whole list, at first and after each change; the next poll waits for it. */
  onChange: (items: InventoryRow[]) => void | Promise<void>;
  /** Gets what failed, `onChange` included; polling goes on, unless this throws. */
  onError?: ((error: unknown) => void | Promise<void>) | undefined;
}

type List = (options: { etag: string | undefined } & CallOptions) => Promise<InventoryAnswer>;

export async function poll(list: List, options: PollOptions): Promise<void> {
  const { signal, onChange, onError } = options;
  const intervalMs = milliseconds('intervalMs', options.intervalMs ?? INTERVAL_MS_DEFAULT, 1);
  const isEnded = (): boolean => signal?.aborted === true;
  let etag: string | null = null;
  for (let round = 0; !isEnded(); round += 1) {
    const startedAt = performance.now();
    let askedToWait = 0;
    try {
      const answer = await list({ etag: etag ?? undefined, signal });
      if (answer.isChanged) await onChange(answer.items);
      // After onChange: what it could not take is handed to it again.
      etag = answer.etag;
    } catch (error) {
      if (isEnded() && error === signal?.reason) return;
      await onError?.(error);
      if (error instanceof SluiceError) askedToWait = Math.min(error.retryAfterMs ?? 0, intervalMs);
    }
    const wait = cycleOf(round, intervalMs, Math.random()) - (performance.now() - startedAt);
    // Aborted while waiting: the loop ends.
    await pause(Math.max(wait, askedToWait), signal).catch(() => {});
  }
}

/** The second poll comes at any moment of the first interval: shops that started together part at once. */
export const cycleOf = (round: number, intervalMs: number, chance: number): number =>
  intervalMs * (round === 0 ? chance : SHORTEST_SHARE + (1 - SHORTEST_SHARE) * chance);
