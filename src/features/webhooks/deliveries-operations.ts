// Deliveries of a webhook: the event, its attempts and the responses of the endpoint.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { requestResend, requestWebhookTest } from './changes.ts';
import { messageId } from './rules.ts';
import { payloadOf, type DeliverySubject } from './payload.ts';
import { readSubjects, sendNow } from './sender.ts';
import { reading } from '../../platform/database/transactions.ts';
import { DELIVERY_STATES, listDeliveries, type Delivery, type DeliveryState } from './deliveries-store.ts';
import { findWebhook } from './store.ts';
import { nullable } from '../../platform/schema/building-blocks.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { ListOf, numberAfter, pageQuery, readPage } from '../../platform/admin-api/page.ts';
import { refusalOf } from '../../platform/admin-api/refusal.ts';
import {
  COMMON_ANSWERS,
  DataOf,
  facts,
  int64Id,
  PathId,
  readNoBodies,
  RefusalBody,
  security,
  Timestamp,
} from '../../platform/admin-api/schemas.ts';
import { webhookIdOf, WebhookParams } from './operations.ts';
import { change } from '../../platform/accounts/change.ts';

const deliveryIdOf = ({ id, deliveryId }: { id: string; deliveryId: string }): number =>
  int64Id(deliveryId, { kind: 'delivery_unknown', webhook_id: id, delivery_id: deliveryId });

const optionalInteger = (description: string) => nullable<number>({ type: 'integer', description });
const optionalText = (description: string) => nullable<string>({ type: 'string', description });
const State = Type.Unsafe<DeliveryState>({ type: 'string', enum: [...DELIVERY_STATES] });

const DeliveryItem = Type.Object(
  {
    id: Type.Integer(),
    webhook_id: Type.Integer(),
    message_id: Type.String({ description: 'The header webhook-id, the same in every attempt.' }),
    type: Type.String({ examples: ['order.accepted'] }),
    order_id: optionalInteger('null: not about an order.'),
    alert_id: optionalInteger('null: not about an alert.'),
    state: State,
    attempts: Type.Integer(),
    next_attempt_at: optionalText('null: none is due.'),
    last_attempt_at: optionalText('null: not tried yet.'),
    response_status: optionalInteger('null: no answer.'),
    response_text: optionalText('The beginning of an answer that was not a success.'),
    failure: optionalText('Why there was no answer: `timeout`, `refused`, `address_not_allowed`, …'),
    duration_ms: optionalInteger('Of the last attempt.'),
    created_at: Timestamp,
    payload: facts('What is sent, as of now; without personal data.'),
  },
  { title: 'WebhookDelivery' },
);

const DeliveryQuery = Type.Object({
  ...pageQuery,
  state: Type.Optional(State),
  failing: Type.Optional(
    Type.Boolean({ description: '`true`: only those whose last attempt failed, given up or not.' }),
  ),
});
const DeliveryParams = Type.Object({
  ...WebhookParams.properties,
  deliveryId: PathId('The delivery id.'),
});

const tags = ['webhooks'];
const role = 'admin';

export function registerWebhookDeliveries(app: FastifyInstance, services: BackOffice): void {
  registerList(app, services);
  app.register(async (scope) => {
    readNoBodies(scope);
    registerTest(scope, services);
    registerResend(scope, services);
  });
}

function registerList(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Params: Static<typeof WebhookParams>; Querystring: Static<typeof DeliveryQuery> }>({
    method: 'GET',
    url: '/webhooks/:id/deliveries',
    schema: {
      summary: 'Deliveries of an endpoint, newest first; kept for a week',
      tags,
      security,
      params: WebhookParams,
      querystring: DeliveryQuery,
      response: { 200: ListOf(DeliveryItem), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async ({ params, query }) => {
      const id = webhookIdOf(params);
      const { state = null, failing = false } = query;
      const filter = { state, failing, before: numberAfter(query) };
      return readPage(services.pool, query, {
        read: async (tx, limit) => {
          if (!(await findWebhook(tx, id))) throw refusalOf({ kind: 'webhook_unknown', webhook_id: id });
          const found = await listDeliveries(tx, id, { ...filter, limit });
          const subjects = await readSubjects(tx, found);
          return found.map((delivery) => ({ delivery, subject: subjects.get(delivery.id) ?? null }));
        },
        key: ({ delivery }) => delivery.id,
        present: ({ delivery, subject }) => present(services, delivery, subject),
      });
    },
  });
}

function registerTest(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Params: Static<typeof WebhookParams> }>({
    method: 'POST',
    url: '/webhooks/:id/test',
    config: { role },
    schema: {
      summary: 'Send a test event now; paused endpoints too',
      tags,
      security,
      params: WebhookParams,
      response: { 200: DataOf(DeliveryItem), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const id = webhookIdOf(request.params);
      const { webhook, delivery } = await change(services, request, (tx, by) =>
        requestWebhookTest(tx, by, { id }),
      );
      const sent = await sendNow(services.pool, webhook, delivery, sendingOf(services));
      return { data: present(services, sent, null) };
    },
  });
}

function registerResend(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Params: Static<typeof DeliveryParams> }>({
    method: 'POST',
    url: '/webhooks/:id/deliveries/:deliveryId/resend',
    config: { role },
    schema: {
      summary: 'Send a delivery again now, with the same webhook-id',
      tags,
      security,
      params: DeliveryParams,
      response: { 200: DataOf(DeliveryItem), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const wanted = { id: webhookIdOf(request.params), delivery_id: deliveryIdOf(request.params) };
      const { webhook, delivery } = await change(services, request, (tx, by) =>
        requestResend(tx, by, wanted),
      );
      const sent = await sendNow(services.pool, webhook, delivery, sendingOf(services));
      const subjects = await reading(services.pool, (tx) => readSubjects(tx, [sent]));
      return { data: present(services, sent, subjects.get(sent.id) ?? null) };
    },
  });
}

const sendingOf = ({ sealer, formatTimestamp, config }: BackOffice) => ({
  sealer,
  formatTimestamp,
  allowPrivate: config.allow_private_channel_urls,
});

const present = (
  { formatTimestamp }: BackOffice,
  delivery: Delivery,
  subject: DeliverySubject,
): Static<typeof DeliveryItem> => ({
  id: delivery.id,
  webhook_id: delivery.webhook_id,
  message_id: messageId(delivery),
  type: delivery.type,
  order_id: delivery.order_id,
  alert_id: delivery.alert_id,
  state: delivery.state,
  attempts: delivery.attempts,
  next_attempt_at: delivery.state === 'pending' ? formatTimestamp(delivery.next_attempt_at) : null,
  last_attempt_at: delivery.last_attempt_at && formatTimestamp(delivery.last_attempt_at),
  response_status: delivery.response_status,
  response_text: delivery.response_text,
  failure: delivery.failure,
  duration_ms: delivery.duration_ms,
  created_at: formatTimestamp(delivery.created_at),
  payload: payloadOf(delivery, subject, formatTimestamp, false),
});
