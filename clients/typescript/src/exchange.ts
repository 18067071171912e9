// One request and its answer, including the body, within a timeout.
import { errorOf, SluiceError } from './error.ts';

/** The part of `fetch` that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface ExchangeOptions {
  fetch: Fetch;
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

export interface Answer {
  status: number;
  headers: Headers;
  json: unknown;
}

/** Success is 2xx and 304; everything else is thrown. */
export async function exchange(url: URL, init: RequestInit, options: ExchangeOptions): Promise<Answer> {
  const { response, text } = await receive(url, init, options);
  const { status, headers } = response;
  const isRedirect = response.type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304);
  if (isRedirect)
    throw new SluiceError('The answer is a redirect, which is not followed.', { status, kind: 'unexpected' });
  if (status === 304) return { status, headers, json: null };
  const json = parsed(text);
  if (!response.ok) throw errorOf(status, headers, json);
  if (json === undefined)
    throw new SluiceError('The answer is not JSON: is this the base address of the service?', {
      status,
      kind: 'unexpected',
    });
  return { status, headers, json };
}

async function receive(url: URL, init: RequestInit, { fetch, timeoutMs, signal }: ExchangeOptions) {
  signal?.throwIfAborted();
  const limit = new AbortController();
  const giveUp = (): void => limit.abort();
  const timer = setTimeout(giveUp, timeoutMs);
  signal?.addEventListener('abort', giveUp);
  try {
    // Following a redirect would send the API key to another address.
    const request: RequestInit = { ...init, redirect: 'manual', cache: 'no-store', signal: limit.signal };
    const response = await fetch(url.href, request);
    return { response, text: await response.text() };
  } catch (cause) {
    signal?.throwIfAborted();
    const text = limit.signal.aborted ? `No answer within ${timeoutMs} ms.` : 'No answer from the service.';
    throw new SluiceError(text, { status: 0, kind: 'unavailable' }, { cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
  }
}

/** undefined: not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
