// The operations of the channel API, as methods.
import { exchange, type Answer, type Fetch } from './exchange.ts';
import { sync, watchOrders, type SyncOptions, type WatchOrdersOptions } from './follow.ts';
import { milliseconds } from './limits.ts';
import { poll, type PollOptions } from './poller.ts';
import { retryOptions, withRetries, type RetryOptions } from './retry.ts';
import { signerOf, type Sign } from './signing.ts';
import type {
  CallOptions,
  ChangesBody,
  ChangesOptions,
  InventoryAnswer,
  InventoryChanges,
  InventoryPage,
  InventoryRow,
  Lookup,
  LookupAnswer,
  LookupManyBody,
  Order,
  OrderChanges,
  OrderChangesBody,
  OrderRequest,
  PageBody,
  StatusReport,
  SubmittedOrder,
} from './types.ts';

const TIMEOUT_MS_DEFAULT = 30_000;
/** The service's limit for one request. */
const LOOKUP_SKUS_MAX = 1_000;

export interface ClientOptions {
  /** Ends in /api/v1. */
  baseUrl: string;
  apiKey: string;
  /** Signs every request. */
  signingSecret?: string | undefined;
  /** Replaces the global `fetch`, for example to use a proxy or a custom agent. */
  fetch?: Fetch | undefined;
  /** Timeout of one attempt, until the last byte of the answer. Default: 30 seconds. */
  timeoutMs?: number | undefined;
  retry?: Partial<RetryOptions> | undefined;
}

interface Call {
  method: 'GET' | 'POST';
  path: string;
  body?: object;
  headers?: Record<string, string>;
  /** How long the service may delay the answer (long polling); added to the timeout. */
  waitMs?: number;
}

export class SluiceClient {
  readonly #base: string;
  readonly #apiKey: string;
  readonly #fetch: Fetch;
  readonly #timeoutMs: number;
  readonly #retry: RetryOptions;
  readonly #sign: Sign | null;

  constructor({ baseUrl, apiKey, signingSecret, fetch, timeoutMs, retry }: ClientOptions) {
    this.#base = new URL(baseUrl).href.replace(/\/+$/, '');
    // Headers accept bytes only: a key that was taken over from another service can be any text, and is sent as UTF-8.
    this.#apiKey = String.fromCharCode(...new TextEncoder().encode(apiKey));
    this.#fetch = fetch ?? ((url, init) => globalThis.fetch(url, init));
    this.#timeoutMs = milliseconds('timeoutMs', timeoutMs ?? TIMEOUT_MS_DEFAULT, 1);
    this.#retry = retryOptions(retry);
    this.#sign = signingSecret === undefined ? null : signerOf(signingSecret);
  }

  /** The whole stock list. With the ETag of an earlier answer, the list is sent only if it has changed since. */
  async listInventory({
    etag,
    signal,
  }: { etag?: string | undefined } & CallOptions = {}): Promise<InventoryAnswer> {
    const headers: Record<string, string> = etag === undefined ? {} : { 'if-none-match': etag };
    const answer = await this.#call({ method: 'GET', path: '/inventory', headers }, signal);
    if (answer.status === 304) return { isChanged: false, items: null, etag: etag ?? '' };
    const { data } = answer.json as { data: InventoryRow[] };
    return { isChanged: true, items: data, etag: answer.headers.get('etag') };
  }

  /** The current stock of one SKU, for the cart and the checkout. */
  async lookup(sku: string, { signal }: CallOptions = {}): Promise<Lookup> {
    const { json } = await this.#call({ method: 'GET', path: `/inventory/${segmentOf(sku)}` }, signal);
    return json as Lookup;
  }

  /** The current stock of several SKUs; up to 1,000 SKUs are sent per request. */
  async lookupMany(skus: readonly string[], { signal }: CallOptions = {}): Promise<LookupAnswer> {
    const all: LookupAnswer = { items: [], unknown: [] };
    for (let start = 0; start < skus.length; start += LOOKUP_SKUS_MAX) {
      const body = { skus: skus.slice(start, start + LOOKUP_SKUS_MAX) };
      const { json } = await this.#call({ method: 'POST', path: '/inventory/lookup', body }, signal);
      const { data, unknown } = json as LookupManyBody;
      all.items.push(...data);
      all.unknown.push(...unknown);
    }
    return all;
  }

  /** The stock list in pages of at most `limit` rows. */
  async *inventoryPages({
    limit,
    signal,
  }: { limit: number } & CallOptions): AsyncGenerator<InventoryPage, void> {
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = queryOf({ limit: String(limit), ...(cursor === '' ? {} : { cursor }) });
      const { json } = await this.#call({ method: 'GET', path: `/inventory${query}` }, signal);
      const { data, next_cursor, changes_since } = json as PageBody;
      yield { items: data, changesSince: changes_since };
      cursor = next_cursor;
    }
  }

  /** What changed since the token of a page or of an earlier answer. */
  async changesSince(token: string, options: ChangesOptions = {}): Promise<InventoryChanges> {
    const json = await this.#changes('/inventory', token, options);
    const { data, removed, changes_since, is_complete, has_more } = json as ChangesBody;
    return { items: data, removed, changesSince: changes_since, isComplete: is_complete, hasMore: has_more };
  }

  /** The current state of an order. */
  async order(orderNumber: string, { signal }: CallOptions = {}): Promise<Order> {
    const { json } = await this.#call({ method: 'GET', path: `/orders/${segmentOf(orderNumber)}` }, signal);
    return (json as { data: Order }).data;
  }

  /** Orders whose status has changed since a token. Start with `now`, or with an empty token for all orders. */
  async orderChanges(token: string, options: ChangesOptions = {}): Promise<OrderChanges> {
    const json = await this.#changes('/orders', token, options);
    const { changes, changes_since, has_more } = json as OrderChangesBody;
    return { changes, changesSince: changes_since, hasMore: has_more };
  }

  /** Submits an order. Accepted now (201) and accepted before (200) are both success. */
  async submitOrder(order: OrderRequest, { signal }: CallOptions = {}): Promise<SubmittedOrder> {
    const { status, json } = await this.#call({ method: 'POST', path: '/orders', body: order }, signal);
    return { order: (json as { data: Order }).data, isNew: status === 201 };
  }

  /** Reports a new status of an order. */
  async reportStatus(
    orderNumber: string,
    report: StatusReport,
    { signal }: CallOptions = {},
  ): Promise<Order> {
    const path = `/orders/${segmentOf(orderNumber)}/status`;
    const { json } = await this.#call({ method: 'POST', path, body: report }, signal);
    return (json as { data: Order }).data;
  }

  /** Reads the stock list every five minutes until the signal is aborted; then resolves. */
  pollInventory(options: PollOptions): Promise<void> {
    return poll((listOptions) => this.listInventory(listOptions), options);
  }

  /** Keeps a copy of the stock list up to date until the signal is aborted: first the whole list, then changes. */
  sync(options: SyncOptions): Promise<void> {
    return sync(this, options);
  }

  /** Reports each order whose status changes, until the signal is aborted. */
  watchOrders(options: WatchOrdersOptions): Promise<void> {
    return watchOrders(this, options);
  }

  async #changes(
    path: string,
    token: string,
    { limit, waitSeconds, signal }: ChangesOptions,
  ): Promise<unknown> {
    const query = queryOf({
      changes_since: token,
      ...(limit === undefined ? {} : { limit: String(limit) }),
      ...(waitSeconds === undefined ? {} : { wait: String(waitSeconds) }),
    });
    const waitMs = (waitSeconds ?? 0) * 1000;
    const { json } = await this.#call({ method: 'GET', path: `${path}${query}`, waitMs }, signal);
    return json;
  }

  #call(
    { method, path, body, headers = {}, waitMs = 0 }: Call,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const url = new URL(this.#base + path);
    const text = body === undefined ? '' : JSON.stringify(body);
    const common = new Headers({ ...headers, accept: 'application/json', 'x-api-key': this.#apiKey });
    if (body !== undefined) common.set('content-type', 'application/json');
    const options = { fetch: this.#fetch, timeoutMs: this.#timeoutMs + waitMs, signal };
    const send = async (): Promise<Answer> => {
      const signed = new Headers(common);
      // Signed for each attempt, because a signature expires.
      const signature = await this.#sign?.({ method, target: url.pathname + url.search, body: text });
      for (const [name, value] of Object.entries(signature ?? {})) signed.set(name, value);
      return exchange(
        url,
        { method, headers: signed, ...(body === undefined ? {} : { body: text }) },
        options,
      );
    };
    return withRetries(send, this.#retry, signal);
  }
}

const queryOf = (values: Record<string, string>): string => `?${new URLSearchParams(values).toString()}`;

/** One path segment. These three values would change the path even when escaped. */
function segmentOf(name: string): string {
  if (name === '' || name === '.' || name === '..')
    throw new RangeError(`"${name}" cannot be sent as part of a path.`);
  return encodeURIComponent(name);
}
