// Webhooks: event types, and when a delivery is retried.

export const WEBHOOK_EVENTS = [
  'order.accepted',
  'order.status_changed',
  'alert.opened',
  'alert.closed',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];
/** Sent only when an operator requests it, regardless of the endpoint's subscriptions. */
export const WEBHOOK_TEST = 'webhook.test';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Deliveries are retried for this long. An endpoint without a success in this time is paused. */
export const RETRY_FOR_MS = 72 * HOUR_MS;

/** Pause after the first failure, the second, and so on. The last pause is repeated. */
const PAUSES_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  8 * HOUR_MS,
];
/** Share of the pause. Deliveries that failed together are then retried at different times. */
const JITTER = 0.2;

/** `failures` starts at 1; `random` is between 0 and 1. */
const retryPauseMs = (failures: number, random: number): number =>
  (PAUSES_MS[Math.min(failures, PAUSES_MS.length) - 1] ?? 0) * (1 + JITTER * random);

/** When a delivery that has just failed is retried, in milliseconds; null: it is given up. */
export function nextAttempt(
  { attempts, created_ms }: { attempts: number; created_ms: number },
  now_ms: number,
  random: number,
): number | null {
  const end = created_ms + RETRY_FOR_MS;
  if (now_ms >= end) return null;
  // The last attempt is at the end of the three days.
  return Math.min(now_ms + retryPauseMs(attempts, random), end);
}

/** Waiting deliveries of one endpoint. At this number it takes no more events; they remain in the order feed. */
export const WEBHOOK_PENDING_MAX = 2_000;

/** After this many consecutive failures, single attempts probe the endpoint, instead of one attempt for each event. */
export const ENDPOINT_FAILURES_MAX = 10;

/** Until when nothing is sent to an endpoint that keeps failing; null: it can be tried now. */
export const endpointRetryAt = (failures: number, now_ms: number, random: number): number | null =>
  failures < ENDPOINT_FAILURES_MAX
    ? null
    : now_ms + retryPauseMs(Math.min(failures - ENDPOINT_FAILURES_MAX + 1, ENDPOINT_PAUSES_MAX), random);
/** Limits the pause to the fifth one, half an hour: an event after a repair should not wait longer. */
const ENDPOINT_PAUSES_MAX = 5;

/** Why the service pauses an endpoint now; null: it does not. */
export function pauseReason(
  { failing_since_ms, status }: { failing_since_ms: number | null; status: number | null },
  now_ms: number,
): 'failing' | 'gone' | null {
  if (status === HTTP_GONE) return 'gone';
  return failing_since_ms !== null && now_ms - failing_since_ms >= RETRY_FOR_MS ? 'failing' : null;
}
/** With this status a receiver unsubscribes. */
const HTTP_GONE = 410;

export const isAccepted = (status: number | null): boolean =>
  status !== null && status >= 200 && status < 300;

/** An event has the same id in every attempt and for every endpoint, so that receivers can detect duplicates. */
export function messageId({ type, at, order_id, to_status, alert_id, id }: MessageFacts): string {
  const moment = at.getTime().toString(36);
  if (order_id !== null) return `order-${order_id}-${to_status}-${moment}`;
  if (alert_id !== null)
    return `alert-${alert_id}-${type === 'alert.opened' ? 'opened' : 'closed'}-${moment}`;
  return `test-${id}-${moment}`;
}
export interface MessageFacts {
  id: number;
  type: string;
  at: Date;
  order_id: number | null;
  to_status: number | null;
  alert_id: number | null;
}
