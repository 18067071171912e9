// Logs channel requests that were refused or slow, and all requests of a traced channel. Each gets a log line and an entry
// in the list of the channel's requests. Other requests are not logged.
import type { IncomingMessage } from 'node:http';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../platform/config/config.ts';
import { addressGroup } from '../../platform/values/client-address.ts';
import { ORDER_NUMBER_CHARACTERS_MAX } from '../../core/rules/order-limits.ts';
import { plainText } from '../../platform/values/plain-text.ts';
import { requestOutcome } from './requests-rules.ts';
import type { ChannelDirectory } from '../../core/directory/channel-directory.ts';
import type { Observations } from './observations.ts';
import type { ChannelRequest } from './requests-store.ts';
import type { HealthCheck } from '../../platform/database/health.ts';
import { SKU_CHARACTERS_MAX } from '../../platform/schema/building-blocks.ts';
import { servedPath } from '../../platform/http/served-path.ts';
import { clientAddressOf, type Received } from '../../platform/http/client-address.ts';
import { CHANNEL_API_PATH, ORDERS_PATH } from '../../core/channel-api/paths.ts';
import type { Reason } from '../../core/channel-api/reasons.ts';
import { REASON_HEADER } from '../../platform/http/reason.ts';

/** Under overload, a line for every refused request would add to the load. */
const LINES_A_SECOND_MAX = 200;
const SECOND_MS = 1_000;
const BELOW_CHANNEL_API = `${CHANNEL_API_PATH}/`;

interface RequestLogNeeds {
  config: Pick<Config, 'slow_request_ms' | 'trusted_proxies'>;
  log: FastifyBaseLogger;
  observations: Pick<Observations, 'request'>;
  directory: Pick<ChannelDirectory, 'known'>;
  health: Pick<HealthCheck, 'isAway'>;
}

type Entry = Omit<ChannelRequest, 'id' | 'channel_id' | 'at'>;

export class RequestLog {
  readonly #needs: RequestLogNeeds;
  #second = 0;
  #lines = 0;
  #leftOut = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The address of the last entry. Parsing one takes longer than the rest of an entry, and the next is often equal. */
  #address = { of: '', forwarded: '', group: 'unknown' };

  constructor(needs: RequestLogNeeds) {
    this.#needs = needs;
  }

  /** Called after the response. False: not a request of the channel API, or neither refused, slow nor traced. */
  saw(request: FastifyRequest, reply: FastifyReply, elapsedMs: number): boolean {
    if (!servedPath(request).startsWith(BELOW_CHANNEL_API)) return false;
    const { config } = this.#needs;
    // A request without a route has no `channel`.
    const channel = request.channel ?? null;
    const status = reply.statusCode;
    const ms = Math.round(elapsedMs);
    const outcome = requestOutcome({ status, ms, waited_ms: waitOf(request.query) }, config.slow_request_ms);
    if (outcome === 'served' && channel?.is_traced !== true) return false;
    const code = reasonOf(reply);
    this.#keep(channel?.id ?? null, { status, code }, () => ({
      request_id: request.id,
      outcome,
      method: request.method,
      route: request.is404 ? 'unknown' : servedPath(request),
      ...goodsOf(request),
      status,
      code,
      ms,
      address: this.#addressOf(request),
    }));
    return true;
  }

  /** A request to the gate that was answered 503 before it was routed. */
  shed(request: IncomingMessage, requestId: string): void {
    const { method = '', url = '', headers } = request;
    const channelId = this.#needs.directory.known(String(headers['x-api-key']))?.id ?? null;
    const answer = { status: 503, code: 'overloaded' satisfies Reason };
    this.#keep(channelId, answer, () => ({
      request_id: requestId,
      outcome: 'refused',
      method,
      route: url.split('?', 1)[0] === ORDERS_PATH ? ORDERS_PATH : `${ORDERS_PATH}/:orderNumber/status`,
      sku: null,
      order_number: null,
      ...answer,
      ms: 0,
      address: this.#addressOf(request),
    }));
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (this.#leftOut === 0) return;
    this.#needs.log.info({ left_out: this.#leftOut }, 'request log: log lines over the limit were omitted');
    this.#leftOut = 0;
  }

  #addressOf(request: Received): string {
    const of = request.socket.remoteAddress ?? '';
    const forwarded = String(request.headers['x-forwarded-for'] ?? '');
    if (of !== this.#address.of || forwarded !== this.#address.forwarded) {
      const group = addressGroup(clientAddressOf(request, this.#needs.config));
      this.#address = { of, forwarded, group };
    }
    return this.#address.group;
  }

  /**
   * Writes a log line and an entry in the channel's list. A request without a valid key belongs to no list. `make` takes
   * microseconds, so it is called only if there is room for the line or the entry: with thousands of refused requests a
   * second there is not.
   */
  #keep(channelId: number | null, answer: Pick<Entry, 'status' | 'code'>, make: () => Entry): void {
    const { log, observations } = this.#needs;
    if (this.#isOutage(answer) || !this.#hasRoom()) {
      if (channelId !== null) observations.request(channelId, make);
      return;
    }
    const entry = make();
    log.info({ channel_id: channelId, ...entry }, 'request');
    if (channelId !== null) observations.request(channelId, () => entry);
  }

  /** Of an outage RefusalLog writes one line a second, which counts the 503. Other requests are counted at its end. */
  #isOutage({ status, code }: Pick<Entry, 'status' | 'code'>): boolean {
    if (code === ('unavailable' satisfies Reason)) return true;
    if (!this.#needs.health.isAway) return false;
    if (status !== 503) this.#leaveOut();
    return true;
  }

  /** False: the limit of this second is reached. */
  #hasRoom(): boolean {
    const second = Math.floor(performance.now() / SECOND_MS);
    if (second !== this.#second) {
      this.#second = second;
      this.#lines = 0;
    }
    this.#lines += 1;
    if (this.#lines <= LINES_A_SECOND_MAX) return true;
    this.#leaveOut();
    return false;
  }

  /** Omitted lines are counted, and the count is logged in one line. */
  #leaveOut(): void {
    this.#leftOut += 1;
    this.#timer ??= setInterval(() => {
      if (!this.#needs.health.isAway) this.close();
    }, SECOND_MS).unref();
  }
}

const fieldOf = (from: unknown, name: string): unknown =>
  typeof from === 'object' && from !== null && Object.hasOwn(from, name)
    ? Reflect.get(from, name)
    : undefined;

/** The query parameter `wait` in milliseconds. */
const waitOf = (query: unknown): number => Number(fieldOf(query, 'wait') ?? 0) * 1000 || 0;

/** SKU and order number from the path or the body of an order. The SKU is null for an order with several lines. */
function goodsOf({ params, body }: FastifyRequest): { sku: string | null; order_number: string | null } {
  const items = fieldOf(body, 'items');
  const line: unknown = Array.isArray(items) && items.length === 1 ? items[0] : undefined;
  return {
    sku: textOf(fieldOf(params, 'sku') ?? fieldOf(line, 'sku'), SKU_CHARACTERS_MAX),
    order_number: textOf(
      fieldOf(params, 'orderNumber') ?? fieldOf(body, 'order_number'),
      ORDER_NUMBER_CHARACTERS_MAX,
    ),
  };
}

const textOf = (value: unknown, charactersMax: number): string | null =>
  typeof value === 'string' && value !== '' ? plainText(value, charactersMax) : null;

function reasonOf(reply: FastifyReply): string | null {
  const reason = reply.getHeader(REASON_HEADER);
  return typeof reason === 'string' ? reason : null;
}
