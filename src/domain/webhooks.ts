// Webhooks: event types, and when a delivery is tried again.

export const WEBHOOK_EVENTS = [
  'order.accepted',
  'order.status_changed',
  'alert.opened',
  'alert.closed',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];
/** Sent on request only, whatever the endpoint is subscribed to. */
export const WEBHOOK_TEST = 'webhook.test';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Deliveries are tried again for this long, and an endpoint without a success in this time is paused. */
export const RETRY_FOR_MS = 72 * HOUR_MS;

/** After the first failure, the second one, …; the last pause is repeated. */
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
/** Of the pause: deliveries that failed together do not come back together. */
const JITTER = 0.2;

/** `failures` from 1 on; `random` from 0 to 1. */
const retryPauseMs = (failures: number, random: number): number =>
  (PAUSES_MS[Math.min(failures, PAUSES_MS.length) - 1] ?? 0) * (1 + JITTER * random);

/** When a delivery that has just failed is tried again; null: not any more. Times in milliseconds. */
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

/** Deliveries of one endpoint that wait. With as many the endpoint takes no more events; the order feed keeps them. */
export const WEBHOOK_PENDING_MAX = 2_000;

/** Failures in a row from which single attempts find out whether an endpoint is back, instead of one for each event. */
export const ENDPOINT_FAILURES_MAX = 10;

/** Until when nothing is sent to an endpoint that keeps failing; null: no limit. */
export const endpointRetryAt = (failures: number, now_ms: number, random: number): number | null =>
  failures < ENDPOINT_FAILURES_MAX
    ? null
    : now_ms + retryPauseMs(Math.min(failures - ENDPOINT_FAILURES_MAX + 1, ENDPOINT_PAUSES_MAX), random);
/** At most half an hour: the first event after a repair should not wait longer. */
const ENDPOINT_PAUSES_MAX = 5;

/** Why an endpoint is paused by the service now; null: it is not. */
export function pauseReason(
  { failing_since_ms, status }: { failing_since_ms: number | null; status: number | null },
  now_ms: number,
): 'failing' | 'gone' | null {
  if (status === HTTP_GONE) return 'gone';
  return failing_since_ms !== null && now_ms - failing_since_ms >= RETRY_FOR_MS ? 'failing' : null;
}
/** The receiver's way to unsubscribe. */
const HTTP_GONE = 410;

export const isAccepted = (status: number | null): boolean =>
  status !== null && status >= 200 && status < 300;

/** One event, one id, in every attempt and for every endpoint: receivers can tell what they have had. */
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
