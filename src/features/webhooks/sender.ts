// Sends deliveries to one endpoint: body, signature, request and response.
import type pg from 'pg';
import { queryValues } from '../../core/channels/api-url.ts';
import { WebhookConnections, type WebhookAnswer } from './post.ts';
import { maskSecrets } from '../../platform/values/secret-masking.ts';
import type { FormatTimestamp } from '../../platform/values/timestamps.ts';
import { isAccepted, messageId } from './rules.ts';
import type { KeyObject } from 'node:crypto';
import { signWebhook, webhookKey, type Sealer } from '../../platform/secrets/keys.ts';
import { readAlertsById } from '../alerts/store.ts';
import type { Tx } from '../../platform/database/database.ts';
import { readFeedOrders } from '../order-feed/store.ts';
import { inTransaction, reading } from '../../platform/database/transactions.ts';
import {
  findDelivery,
  recordAttempts,
  type Attempt,
  type Delivery,
  type DeliveryEvent,
} from './deliveries-store.ts';
import { webhookContext } from './seals.ts';
import { readWebhookSecrets, type Webhook } from './store.ts';
import { payloadOf, personalTextsOf, type DeliverySubject } from './payload.ts';

/** How much is stored of a response that is not a success. */
const RESPONSE_CHARACTERS_MAX = 500;

export interface SenderOptions {
  sealer: Sealer;
  formatTimestamp: FormatTimestamp;
  allowPrivate: boolean;
  connections_max: number;
}

/** The result of an attempt, before the time of the next attempt is decided. */
export type Sent = Pick<Attempt, 'response_status' | 'response_text' | 'failure' | 'duration_ms'>;

export class WebhookSender {
  readonly webhook: Webhook;
  readonly #keys: readonly KeyObject[];
  readonly #format: FormatTimestamp;
  readonly #connections: WebhookConnections;

  private constructor(webhook: Webhook, keys: readonly KeyObject[], options: SenderOptions) {
    this.webhook = webhook;
    this.#keys = keys;
    this.#format = options.formatTimestamp;
    this.#connections = new WebhookConnections(webhook.url, options);
  }

  /** The sender keeps the secrets that are valid now, so it should be short-lived. */
  static async open(tx: Tx, webhook: Webhook, options: SenderOptions): Promise<WebhookSender> {
    const sealed = await readWebhookSecrets(tx, webhook.id);
    const opened = await Promise.all(
      sealed.map((one) => options.sealer.open(one, webhookContext(webhook.id))),
    );
    return new WebhookSender(
      webhook,
      opened.flatMap((secret) => (secret === null ? [] : [webhookKey(secret)])),
      options,
    );
  }

  close(): void {
    this.#connections.close();
  }

  /** Ends requests in flight as failed. */
  cancel(): void {
    this.#connections.cancel();
  }

  async send(delivery: Delivery, subject: DeliverySubject): Promise<Sent> {
    if (this.#keys.length === 0) return notSent('secret_closed');
    // Orders and alerts are never deleted; without its subject the event could not be described.
    if (subject === null && (delivery.order_id !== null || delivery.alert_id !== null))
      return notSent('subject_gone');
    const { include_personal_data, url } = this.webhook;
    const body = JSON.stringify(payloadOf(delivery, subject, this.#format, include_personal_data));
    const id = messageId(delivery);
    const timestamp = Math.floor(Date.now() / 1000);
    const signature = this.#keys.map((key) => signWebhook(key, id, timestamp, body)).join(' ');
    const headers = [
      'webhook-id',
      id,
      'webhook-timestamp',
      String(timestamp),
      'webhook-signature',
      signature,
    ];
    const began = performance.now();
    const answer = await this.#connections.post(body, headers);
    const duration_ms = Math.round(performance.now() - began);
    // An endpoint may repeat what it was sent, and viewers read the beginning of its response.
    const hidden = (): string[] => [
      ...queryValues(new URL(url)),
      ...(include_personal_data ? personalTextsOf(subject) : []),
    ];
    return { ...resultOf(answer, hidden), duration_ms };
  }
}

const notSent = (failure: string): Sent => ({
  response_status: null,
  response_text: null,
  failure,
  duration_ms: 0,
});

function resultOf(answer: WebhookAnswer, hidden: () => readonly string[]): Omit<Sent, 'duration_ms'> {
  if (answer.kind === 'failed') return { response_status: null, response_text: null, failure: answer.reason };
  const { status } = answer;
  if (isAccepted(status)) return { response_status: status, response_text: null, failure: null };
  return { response_status: status, response_text: beginningOf(answer.body, hidden()), failure: null };
}

const beginningOf = (body: Buffer, hidden: readonly string[]): string =>
  Array.from(
    maskSecrets(body.toString('utf8'), hidden)
      .replaceAll(/[\s\p{C}]+/gu, ' ')
      .trim(),
  )
    .slice(0, RESPONSE_CHARACTERS_MAX)
    .join('');

/** The order or alert of each delivery, by delivery id. */
export async function readSubjects(
  tx: Tx,
  deliveries: readonly (DeliveryEvent & { id: number })[],
): Promise<Map<number, DeliverySubject>> {
  const orderIds = deliveries.flatMap(({ order_id }) => (order_id === null ? [] : [order_id]));
  const alertIds = deliveries.flatMap(({ alert_id }) => (alert_id === null ? [] : [alert_id]));
  const orders = new Map(
    (orderIds.length > 0 ? await readFeedOrders(tx, orderIds) : []).map((order) => [order.id, order]),
  );
  const alerts = new Map(
    (alertIds.length > 0 ? await readAlertsById(tx, alertIds) : []).map((alert) => [alert.id, alert]),
  );
  return new Map(
    deliveries.map(({ id, order_id, alert_id }): [number, DeliverySubject] => {
      const order = order_id === null ? undefined : orders.get(order_id);
      const alert = alert_id === null ? undefined : alerts.get(alert_id);
      return [id, order ? { order } : alert ? { alert } : null];
    }),
  );
}

/** Sends a stored delivery immediately, as an operator requested, and records the result. */
export async function sendNow(
  pool: pg.Pool,
  webhook: Webhook,
  delivery: Delivery,
  options: Omit<SenderOptions, 'connections_max'>,
): Promise<Delivery> {
  const sender = await WebhookSender.open(pool, webhook, { ...options, connections_max: 1 });
  try {
    const subject = (await reading(pool, (tx) => readSubjects(tx, [delivery]))).get(delivery.id) ?? null;
    const sent = await sender.send(delivery, subject);
    const state = isAccepted(sent.response_status) ? 'delivered' : delivery.state;
    return await inTransaction(pool, async (tx) => {
      await recordAttempts(tx, [{ id: delivery.id, state, next_attempt_at: null, ...sent }]);
      return (await findDelivery(tx, webhook.id, delivery.id)) ?? delivery;
    });
  } finally {
    sender.close();
  }
}
