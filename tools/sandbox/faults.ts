// Fault injection: the `X-Sandbox-Fault` header of a channel API request selects a fault.
import type { IncomingMessage } from 'node:http';
import type { Body } from './body.ts';

export type Fault =
  /** Answered with this status; not forwarded to the service. */
  | { kind: 'status'; status: 408 | 429 | 500 | 503 }
  /** Processed by the service; its answer is delayed. */
  | { kind: 'slow'; ms: number }
  /** Processed by the service; the connection is reset instead of answered. */
  | { kind: 'reset' }
  /** An order is refused as if other orders had taken the last units. */
  | { kind: 'sell-out' }
  | { kind: 'unknown' };

const HEADER = 'x-sandbox-fault';
const SLOW_MS_MAX = 60_000;
const STATUSES = [408, 429, 500, 503] as const;

export function faultOf({ url = '', headers }: IncomingMessage): Fault | null {
  const value = headers[HEADER];
  if (value === undefined || !url.startsWith('/api/')) return null;
  const text = String(value).trim().toLowerCase();
  const status = STATUSES.find((one) => String(one) === text);
  if (status !== undefined) return { kind: 'status', status };
  const ms = /^slow=(\d{1,5})$/.exec(text)?.[1];
  if (ms !== undefined && Number(ms) <= SLOW_MS_MAX) return { kind: 'slow', ms: Number(ms) };
  if (text === 'reset' || text === 'sell-out') return { kind: text };
  return { kind: 'unknown' };
}

/** The answer sent instead of the service's; null: the service answers. */
export interface FaultReply {
  status: number;
  body: object;
  /** The value of the header `Sluice-Error`. */
  reason: string;
  headers?: Record<string, string>;
}

const STATUS_REPLIES: Record<(typeof STATUSES)[number], Omit<FaultReply, 'status'>> = {
  408: {
    reason: 'request_timeout',
    headers: { connection: 'close' },
    body: { error: 'The request did not arrive in time. Please send it again.' },
  },
  429: {
    reason: 'rate_limited',
    headers: {
      'retry-after': '1',
      'ratelimit-limit': '1',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '1',
    },
    body: { error: 'Too many requests: wait for as long as Retry-After says.', code: 'rate_limited' },
  },
  500: { reason: 'internal', body: { error: 'Something went wrong on our side.' } },
  503: {
    reason: 'unavailable',
    headers: { 'retry-after': '1' },
    body: { error: 'The service cannot take this request right now. Please send it again.' },
  },
};

const UNKNOWN = `X-Sandbox-Fault is ${STATUSES.join(', ')}, slow=MILLISECONDS (at most ${SLOW_MS_MAX}), reset or sell-out.`;
const NO_ORDER = 'X-Sandbox-Fault: sell-out is for POST /api/v1/orders with at least one line.';

/** `sent`: the body, for faults that depend on it. */
export function replyOf(fault: Fault, sent: Body): FaultReply | null {
  if (fault.kind === 'status') return { status: fault.status, ...STATUS_REPLIES[fault.status] };
  if (fault.kind === 'unknown') return invalid(UNKNOWN);
  if (fault.kind !== 'sell-out') return null;
  const { items } = (sent.kind === 'json' ? (sent.value ?? {}) : {}) as {
    items?: { sku?: unknown; quantity?: unknown }[];
  };
  const line = Array.isArray(items) ? items[0] : undefined;
  if (typeof line?.sku !== 'string') return invalid(NO_ORDER);
  const error = `Not enough stock for SKU ${line.sku}: requested ${String(line.quantity)}, available 0.`;
  return { status: 422, reason: 'stock_insufficient', body: { error } };
}

const invalid = (text: string): FaultReply => ({
  status: 422,
  reason: 'validation',
  body: { message: text, errors: { 'X-Sandbox-Fault': [text] } },
});
