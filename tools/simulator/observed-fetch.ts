// Passes every raw request and answer to the observer. It sits below the client, which retries and classifies
// errors.
import type { Fetch } from '../../clients/typescript/src/index.ts';
import type { Observer } from '../../verify/observer/observer.ts';
import type { Status } from '../../verify/observer/order-states.ts';
import type { OrderBody, ServiceRequest } from '../../verify/observer/requests.ts';

const REPORT = /^\/orders\/([^/?]+)\/status$/;
const LOOKUP = /^\/inventory\/([^/?]+)$/;

function requestOf(channel: number, path: string, init: RequestInit): ServiceRequest {
  const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : null;
  const isPost = init.method === 'POST';
  const [, report] = (isPost && REPORT.exec(path)) || [];
  const [, lookup] = (!isPost && LOOKUP.exec(path)) || [];
  if (isPost && path === '/orders') return { kind: 'order', channel, body: body as OrderBody };
  if (report !== undefined) {
    const { status } = body as { status: Status };
    return { kind: 'report', channel, order_number: decodeURIComponent(report), status };
  }
  if (lookup !== undefined) return { kind: 'lookup', channel, sku: decodeURIComponent(lookup) };
  if (!isPost && path === '/inventory')
    return { kind: 'list', channel, etag: new Headers(init.headers).get('if-none-match') };
  throw new RangeError(`no check for ${init.method} ${path}`);
}

/** `timed` gets the duration of each answer. */
export function observedFetch(
  observer: Observer,
  channel: number,
  baseUrl: string,
  timed: (ms: number) => void,
): Fetch {
  return async (url, init) => {
    const arrives = observer.leaves(requestOf(channel, url.slice(baseUrl.length), init));
    const started = performance.now();
    const { status, headers, text } = await receive(url, init).catch((error: unknown) => {
      arrives(null);
      throw error;
    });
    timed(performance.now() - started);
    arrives({
      status,
      text,
      request_id: headers.get('x-request-id'),
      retry_after: headers.get('retry-after'),
    });
    return new Response(status === 304 ? null : text, { status, headers });
  };
}

async function receive(
  url: string,
  init: RequestInit,
): Promise<{ status: number; headers: Headers; text: string }> {
  const answer = await fetch(url, init);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}
