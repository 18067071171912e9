// One POST to the endpoint of a webhook. The status of the response counts; only the beginning of its body is read.
import { lookup as dnsLookup } from 'node:dns';
import * as http from 'node:http';
import * as https from 'node:https';
import type { LookupFunction } from 'node:net';
import { guardedLookup, isRefusedHost } from '../../platform/outbound/address.ts';
import { checkApiUrl } from '../../core/channels/api-url.ts';
import {
  bareHost,
  describeError,
  requestOptions,
  startRequest,
  unreachable,
  watchHandshake,
} from '../../platform/outbound/exchange.ts';
import { type CallFailure, failed } from '../../platform/outbound/failure.ts';

const WEBHOOK_TIMEOUT_MS = 10_000;
/** If a response is longer, its connection is closed. */
const ANSWER_READ_BYTES_MAX = 16 * 1024;
const IDLE_CONNECTION_MS = 30_000;

const COMMON_HEADERS = ['content-type', 'application/json', 'user-agent', 'sluice'];

export type WebhookAnswer = { kind: 'response'; status: number; body: Buffer } | CallFailure;

/** Kept-alive connections to one endpoint. Each address was checked when its connection was opened. */
export class WebhookConnections {
  readonly #url: URL | null;
  readonly #fault: CallFailure | null;
  readonly #agent: http.Agent;
  readonly #options: https.RequestOptions | null;
  /** Functions that end the requests in flight. */
  readonly #stops = new Set<() => void>();

  constructor(
    url: string,
    {
      allowPrivate,
      connections_max,
      lookup = dnsLookup,
    }: { allowPrivate: boolean; connections_max: number; lookup?: LookupFunction },
  ) {
    const checked = checkApiUrl(url);
    this.#url = checked.ok ? checked.url : null;
    this.#fault = faultOf(checked, allowPrivate);
    const options = { keepAlive: true, maxSockets: connections_max, timeout: IDLE_CONNECTION_MS };
    const agent = this.#url?.protocol === 'https:' ? new https.Agent(options) : new http.Agent(options);
    this.#agent = agent;
    const way = { lookup: guardedLookup(lookup, allowPrivate), method: 'POST', agent } as const;
    this.#options = this.#url && requestOptions(this.#url, way);
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Ends all requests in flight, as if the endpoint had closed its connections. */
  cancel(): void {
    for (const stop of this.#stops) stop();
  }

  /** `headers`: alternating names and values. */
  async post(
    body: string,
    headers: readonly string[],
    timeout_ms = WEBHOOK_TIMEOUT_MS,
  ): Promise<WebhookAnswer> {
    if (this.#url === null || this.#options === null || this.#fault !== null)
      return this.#fault ?? failed({ reason: 'bad_url', part: 'api_url', fault: { kind: 'not_an_address' } });
    const deadline = performance.now() + timeout_ms;
    for (;;) {
      const left_ms = Math.max(1, deadline - performance.now());
      // As an array, headers are written without being checked and copied one by one.
      const all = ['host', this.#url.host, ...COMMON_HEADERS, ...headers];
      const request = startRequest({
        ...this.#options,
        headers: [...all, 'content-length', String(Buffer.byteLength(body))],
      });
      const answer = await this.#exchange(request, this.#url, body, { timeout_ms, left_ms });
      // If the endpoint closed an idle connection at the moment it was reused, try again on another connection.
      if (answer !== 'stale_connection') return answer;
    }
  }

  #exchange(
    request: http.ClientRequest,
    url: URL,
    body: string,
    { timeout_ms, left_ms }: { timeout_ms: number; left_ms: number },
  ): Promise<WebhookAnswer | 'stale_connection'> {
    return new Promise((resolve) => {
      let isSettled = false;
      const settle = (answer: WebhookAnswer | 'stale_connection', keep = false): void => {
        if (isSettled) return;
        isSettled = true;
        clearTimeout(timer);
        this.#stops.delete(stop);
        if (!keep) request.destroy();
        resolve(answer);
      };
      const stop = (): void => settle(unreachable(url.host, 'closed'));
      let endReading: (() => void) | null = null;
      // One timer for everything: a socket timeout restarts with every byte. If the status has arrived, it counts,
      // even if the body never ends.
      const timer = setTimeout(() => {
        endReading?.();
        settle(failed({ reason: 'timeout', host: url.host, timeout_ms }));
      }, left_ms);
      this.#stops.add(stop);
      const isHandshaking = watchHandshake(request, url);
      request.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(error.code ?? '');
        settle(isStale ? 'stale_connection' : describeError(error, url, isHandshaking()));
      });
      request.on('close', () => settle(unreachable(url.host, 'closed')));
      request.on('response', (response) => (endReading = readBeginning(response, settle)));
      // With a body of type string, Node sends headers and body in one write.
      request.end(body);
    });
  }
}

function faultOf(checked: ReturnType<typeof checkApiUrl>, allowPrivate: boolean): CallFailure | null {
  if (!checked.ok) return failed({ reason: 'bad_url', part: 'api_url', fault: checked.fault });
  if (allowPrivate || !isRefusedHost(bareHost(checked.url))) return null;
  return failed({ reason: 'address_not_allowed', host: checked.url.host, address: null });
}

/** Returns a function that ends the reading immediately. */
function readBeginning(
  response: http.IncomingMessage,
  settle: (answer: WebhookAnswer, keep?: boolean) => void,
): () => void {
  const status = response.statusCode ?? 0;
  const chunks: Buffer[] = [];
  let bytes = 0;
  const answered = (keep: boolean): void =>
    settle({ kind: 'response', status, body: Buffer.concat(chunks) }, keep);
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk.subarray(0, ANSWER_READ_BYTES_MAX - bytes));
    bytes += chunk.length;
    if (bytes > ANSWER_READ_BYTES_MAX) answered(false);
  });
  response.on('error', () => answered(false));
  response.on('aborted', () => answered(false));
  // The connection can be reused only after a complete response.
  response.on('end', () => answered(true));
  return () => answered(false);
}
