// Polls the stock list: one request at a time; the list is delivered only when it has changed.
import { SluiceError, throwUnlessPassing } from './error.ts';
import { milliseconds } from './limits.ts';
import { pause } from './retry.ts';
import type { CallOptions, InventoryAnswer, InventoryRow } from './types.ts';

const INTERVAL_MS_DEFAULT = 5 * 60 * 1000;
/** A wait is between this share of the interval and the whole interval, so that shops do not poll in step. */
const SHORTEST_SHARE = 0.9;

export interface PollOptions {
  /** Default: five minutes. */
  intervalMs?: number | undefined;
  /** Ends the polling. */
  signal?: AbortSignal | undefined;
  /** Gets the whole list, first and after each change. The next poll waits for the callback. */
  onChange: (items: InventoryRow[]) => void | Promise<void>;
  /**
   * Gets every error, also of `onChange`. Polling continues unless this callback throws. Without it, polling ends with
   * errors that a retry cannot repair, such as a wrong key.
   */
  onError?: ((error: unknown) => void | Promise<void>) | undefined;
}

type List = (options: { etag: string | undefined } & CallOptions) => Promise<InventoryAnswer>;

export async function poll(list: List, options: PollOptions): Promise<void> {
  const { signal, onChange, onError = throwUnlessPassing } = options;
  const intervalMs = milliseconds('intervalMs', options.intervalMs ?? INTERVAL_MS_DEFAULT, 1);
  const isEnded = (): boolean => signal?.aborted === true;
  let etag: string | null = null;
  for (let round = 0; !isEnded(); round += 1) {
    const startedAt = performance.now();
    let askedToWait = 0;
    try {
      const answer = await list({ etag: etag ?? undefined, signal });
      if (answer.isChanged) await onChange(answer.items);
      // Stored after onChange: if onChange fails, it gets the same list again.
      etag = answer.etag;
    } catch (error) {
      if (isEnded() && error === signal?.reason) return;
      await onError(error);
      if (error instanceof SluiceError) askedToWait = Math.min(error.retryAfterMs ?? 0, intervalMs);
    }
    const wait = cycleOf(round, intervalMs, Math.random()) - (performance.now() - startedAt);
    // Aborted while waiting: the loop ends.
    await pause(Math.max(wait, askedToWait), signal).catch(() => {});
  }
}

/** The second poll comes at a random time within the first interval: shops that started together spread out immediately. */
export const cycleOf = (round: number, intervalMs: number, chance: number): number =>
  intervalMs * (round === 0 ? chance : SHORTEST_SHARE + (1 - SHORTEST_SHARE) * chance);
