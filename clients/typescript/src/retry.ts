// Retries. Every operation of the API is idempotent: reads change nothing, an order is identified by its number, and a
// report of a status that the order already has is answered 200.
import { SluiceError } from './error.ts';
import { milliseconds } from './limits.ts';

export interface RetryOptions {
  /** How often a request is sent at most; 1: no retries. */
  attempts: number;
  /** Upper limit of the first wait; it doubles with each further attempt. */
  baseMs: number;
  /** Upper limit of every wait. If the service asks for a longer one, the error is thrown immediately. */
  maxMs: number;
}

const DEFAULTS: RetryOptions = { attempts: 5, baseMs: 250, maxMs: 20_000 };

export function retryOptions(given: Partial<RetryOptions> = {}): RetryOptions {
  const { attempts, baseMs, maxMs } = { ...DEFAULTS, ...given };
  if (!(attempts >= 1)) throw new RangeError('attempts must be at least 1.');
  return { attempts, baseMs: milliseconds('baseMs', baseMs), maxMs: milliseconds('maxMs', maxMs) };
}

/**
 * `insufficient_stock` is not retried: it needs a delivery to the warehouse. 500 is not retried either: for temporary
 * failures the service answers 503, and an order whose number belongs to another channel gets 500 every time.
 */
const isSentAgain = ({ kind }: SluiceError): boolean => kind === 'unavailable' || kind === 'rate_limited';

export async function withRetries<T>(
  send: () => Promise<T>,
  options: RetryOptions,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof SluiceError) || !isSentAgain(error) || attempt >= options.attempts) throw error;
      const wait = waitAfter(attempt, error.retryAfterMs ?? 0, options, Math.random());
      if (wait === null) throw error;
      await pause(wait, signal);
    }
  }
}

/**
 * Exponential backoff with full jitter (`chance` is from 0 to 1), added to the wait that the service asks for, so that
 * clients refused at the same time do not retry at the same time. null: the service asks for more than `maxMs`.
 */
export function waitAfter(
  attempt: number,
  retryAfterMs: number,
  { baseMs, maxMs }: RetryOptions,
  chance: number,
): number | null {
  if (retryAfterMs > maxMs) return null;
  return Math.min(maxMs, retryAfterMs + chance * Math.min(maxMs, baseMs * 2 ** (attempt - 1)));
}

/** Rejects with the signal's reason if the signal is aborted before the end of the pause. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      if (signal?.aborted === true) reject(signal.reason as Error);
      else resolve();
    };
    const timer = setTimeout(end, ms);
    if (signal?.aborted === true) end();
    else signal?.addEventListener('abort', end);
  });
}
