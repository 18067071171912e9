// Sending again. Every operation of the API may be: reads change nothing, an order is known by its number, and a
// report of a state that the order has already is answered 200.
import { SluiceError } from './error.ts';
import { milliseconds } from './limits.ts';

export interface RetryOptions {
  /** How often a request is sent at the most; 1: never again. */
  attempts: number;
  /** The first wait is up to this long, each further one up to twice the one before. */
  baseMs: number;
  /** No wait is longer. Where the service asks for more, the error is thrown at once. */
  maxMs: number;
}

const DEFAULTS: RetryOptions = { attempts: 5, baseMs: 250, maxMs: 20_000 };

export function retryOptions(given: Partial<RetryOptions> = {}): RetryOptions {
  const { attempts, baseMs, maxMs } = { ...DEFAULTS, ...given };
  if (!(attempts >= 1)) throw new RangeError('attempts must be at least 1.');
  return { attempts, baseMs: milliseconds('baseMs', baseMs), maxMs: milliseconds('maxMs', maxMs) };
}

/**
 * Not `insufficient_stock`, which takes a delivery to the warehouse, and not a 500: the service says 503 to what
 * passes, and answers 500 to an order whose number belongs to another channel, however often it is sent.
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
 * Exponential with full jitter (`chance` is from 0 to 1), on top of what the service asks for: those it sent away
 * together do not come back together. Null: it asks for more than we wait.
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

/** Rejects with the signal's reason when it is aborted meanwhile. */
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
