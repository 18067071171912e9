// Endpoints of webhooks. A secret is returned once, when it is created, and never written to the audit log.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import {
  changeWebhook,
  createWebhook,
  OVERLAP_HOURS_DEFAULT,
  OVERLAP_HOURS_MAX,
  removeWebhook,
  rotateWebhookSecret,
} from './changes.ts';
import { checkApiUrl, maskedApiUrl } from '../../core/channels/api-url.ts';
import { HTTP_URL_CHARACTERS_MAX } from '../../platform/values/http-url.ts';
import { WEBHOOK_DESCRIPTION_CHARACTERS_MAX } from '../../platform/values/text-limits.ts';
import { WEBHOOK_EVENTS, type WebhookEvent } from './rules.ts';
import { FROM_NOW, orderChangesIn } from '../order-feed/feed.ts';
import { reading } from '../../platform/database/transactions.ts';
import { countPending } from './deliveries-store.ts';
import { findWebhook, listWebhooks, type Webhook, type WebhookSettings } from './store.ts';
import {
  nullable,
  OptionalBoolean,
  OptionalInteger,
  OptionalText,
  Text,
} from '../../platform/schema/building-blocks.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { operatorOf } from '../../platform/accounts/auth.ts';
import { ListOf, numberAfter, pageQuery, readPage, type PageQuery } from '../../platform/admin-api/page.ts';
import { Refusal, refusalOf } from '../../platform/admin-api/refusal.ts';
import {
  COMMON_ANSWERS,
  DataOf,
  int32Id,
  PathId,
  readNoBodies,
  readOptionalBodies,
  RefusalBody,
  security,
  Timestamp,
} from '../../platform/admin-api/schemas.ts';
import { change } from '../../platform/accounts/change.ts';

export const webhookIdOf = ({ id }: { id: string }): number =>
  int32Id(id, { kind: 'webhook_unknown', webhook_id: id });

const optionalTime = (description: string) => nullable<string>({ type: 'string', description });

const Events = Type.Array(Type.Unsafe<WebhookEvent>({ type: 'string', enum: [...WEBHOOK_EVENTS] }), {
  minItems: 1,
  maxItems: WEBHOOK_EVENTS.length,
  description: 'Which events are sent.',
});

const shown = {
  id: Type.Integer(),
  url: Type.String({ description: 'Viewers see it without its query.' }),
  events: Events,
  description: Type.String(),
  is_active: Type.Boolean({ description: 'false: paused. Events are kept and sent when it is resumed.' }),
  include_personal_data: Type.Boolean({
    description:
      'true: recipient, phone, address, tracking number and cancellation reason are in the data of orders.',
  }),
  pause_reason: nullable<string>({
    type: 'string',
    description:
      '`failing`: no success for three days; `gone`: it answered 410; null: not paused by the service.',
  }),
  paused_at: optionalTime('null: not paused.'),
  failures: Type.Integer({ description: 'Failed attempts since the last success.' }),
  failing_since: optionalTime('The first of them.'),
  retry_at: optionalTime('It keeps failing: no attempt before.'),
  last_success_at: optionalTime('null: none yet.'),
  pending_count: Type.Integer({ description: 'Deliveries that wait.' }),
  previous_secret_expires_at: optionalTime('Until then deliveries are signed with the secret before, too.'),
  created_at: Timestamp,
};
const WebhookItem = Type.Object(shown, { title: 'Webhook' });
const WebhookWithSecret = Type.Object(
  {
    ...shown,
    secret: Type.String({ description: 'Shown only once: store it.', examples: ['whsec_…'] }),
  },
  { title: 'WebhookWithSecret' },
);

const Url = Text(HTTP_URL_CHARACTERS_MAX, {
  description: 'http or https. It gets POST requests after the Standard Webhooks specification.',
  examples: ['https://wms.example.com/sluice'],
});
const common = {
  description: OptionalText(WEBHOOK_DESCRIPTION_CHARACTERS_MAX),
  is_active: OptionalBoolean(),
  include_personal_data: OptionalBoolean({ description: 'Default: false.' }),
};
const NewWebhook = Type.Object({ url: Url, events: Events, ...common });
const ChangedWebhook = Type.Object({ url: Type.Optional(Url), events: Type.Optional(Events), ...common });
const Rotation = Type.Object({
  overlap_hours: OptionalInteger({
    minimum: 0,
    maximum: OVERLAP_HOURS_MAX,
    description: `How long the secret before signs too; default ${OVERLAP_HOURS_DEFAULT}.`,
  }),
});
export const WebhookParams = Type.Object({ id: PathId('The webhook id.') });

const tags = ['webhooks'];
const role = 'admin';

export function registerWebhooks(app: FastifyInstance, services: BackOffice): void {
  registerList(app, services);
  registerCreation(app, services);
  registerReading(app, services);
  registerChange(app, services);
  app.register(async (scope) => {
    // Every field of the body is optional, and so is the body.
    readOptionalBodies(scope);
    registerRotation(scope, services);
  });
  app.register(async (scope) => {
    readNoBodies(scope);
    registerRemoval(scope, services);
  });
}

function registerList(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Querystring: PageQuery }>({
    method: 'GET',
    url: '/webhooks',
    schema: {
      summary: 'Endpoints that are told of events, by id',
      tags,
      security,
      querystring: Type.Object(pageQuery),
      response: { 200: ListOf(WebhookItem), ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const after = numberAfter(request.query) ?? 0;
      return readPage(services.pool, request.query, {
        read: async (tx, limit) => {
          const found = await listWebhooks(tx, after, limit);
          const ids = found.map(({ id }) => id);
          const pending = await countPending(tx, ids);
          return found.map((webhook) => ({ ...webhook, pending: pending.get(webhook.id) ?? 0 }));
        },
        key: ({ id }) => id,
        present: ({ pending, ...webhook }) => present(services, webhook, pending, isViewer(request)),
      });
    },
  });
}

function registerCreation(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Body: Static<typeof NewWebhook> }>({
    method: 'POST',
    url: '/webhooks',
    config: { role },
    schema: {
      summary: 'Add an endpoint; it gets what happens from now on, and its secret is shown once',
      tags,
      security,
      body: NewWebhook,
      response: { 201: DataOf(WebhookWithSecret), ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const settings = { ...UNSET, ...readSettings(request.body), ...addressed(request.body) };
      const { webhook, secret } = await change(services, request, async (tx, by) => {
        const now = await orderChangesIn(tx, { since: FROM_NOW, limit: 1, isStored: true });
        return createWebhook(tx, by, { sealer: services.sealer, settings, position: now?.next ?? '' });
      });
      return reply.code(201).send({ data: { ...present(services, webhook, 0, false), secret } });
    },
  });
}

function registerReading(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Params: Static<typeof WebhookParams> }>({
    method: 'GET',
    url: '/webhooks/:id',
    schema: {
      summary: 'An endpoint',
      tags,
      security,
      params: WebhookParams,
      response: { 200: DataOf(WebhookItem), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const id = webhookIdOf(request.params);
      const webhook = await reading(services.pool, (tx) => findWebhook(tx, id));
      if (!webhook) throw refusalOf({ kind: 'webhook_unknown', webhook_id: id });
      return { data: present(services, webhook, await pendingOf(services, id), isViewer(request)) };
    },
  });
}

function registerChange(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Params: Static<typeof WebhookParams>; Body: Static<typeof ChangedWebhook> }>({
    method: 'PATCH',
    url: '/webhooks/:id',
    config: { role },
    schema: {
      summary: 'Change the given fields; is_active pauses and resumes',
      tags,
      security,
      params: WebhookParams,
      body: ChangedWebhook,
      response: { 200: DataOf(WebhookItem), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const id = webhookIdOf(request.params);
      const wanted = readSettings(request.body);
      const { webhook } = await change(services, request, (tx, by) => changeWebhook(tx, by, { id, wanted }));
      return { data: present(services, webhook, await pendingOf(services, id), false) };
    },
  });
}

function registerRotation(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Params: Static<typeof WebhookParams>; Body: Static<typeof Rotation> }>({
    method: 'POST',
    url: '/webhooks/:id/rotate-secret',
    config: { role },
    schema: {
      summary: 'A new secret, which is shown once; the one before signs too for a while',
      tags,
      security,
      params: WebhookParams,
      body: Rotation,
      response: { 200: DataOf(WebhookWithSecret), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    preValidation: (request, _reply, done) => {
      request.body ??= {};
      done();
    },
    handler: async (request) => {
      const id = webhookIdOf(request.params);
      const overlap_hours = request.body.overlap_hours ?? OVERLAP_HOURS_DEFAULT;
      const { webhook, secret } = await change(services, request, (tx, by) =>
        rotateWebhookSecret(tx, by, { id, sealer: services.sealer, overlap_hours }),
      );
      return { data: { ...present(services, webhook, await pendingOf(services, id), false), secret } };
    },
  });
}

function registerRemoval(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Params: Static<typeof WebhookParams> }>({
    method: 'DELETE',
    url: '/webhooks/:id',
    config: { role },
    schema: {
      summary: 'Remove an endpoint with its deliveries',
      tags,
      security,
      params: WebhookParams,
      response: { 204: Type.Null(), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const id = webhookIdOf(request.params);
      await change(services, request, (tx, by) => removeWebhook(tx, by, { id }));
      return reply.code(204).send();
    },
  });
}

const isViewer = (request: FastifyRequest): boolean => operatorOf(request).role === 'viewer';

const pendingOf = async ({ pool }: BackOffice, id: number): Promise<number> =>
  (await reading(pool, (tx) => countPending(tx, [id]))).get(id) ?? 0;

function present(
  { formatTimestamp }: BackOffice,
  webhook: Webhook,
  pending_count: number,
  isMasked: boolean,
): Static<typeof WebhookItem> {
  const moment = (at: Date | null): string | null => at && formatTimestamp(at);
  return {
    ...webhook,
    url: isMasked ? maskedApiUrl(webhook.url) : webhook.url,
    pending_count,
    paused_at: moment(webhook.paused_at),
    failing_since: moment(webhook.failing_since),
    retry_at: moment(webhook.retry_at),
    last_success_at: moment(webhook.last_success_at),
    previous_secret_expires_at: moment(webhook.previous_secret_expires_at),
    created_at: formatTimestamp(webhook.created_at),
  };
}

const UNSET = { description: '', is_active: true, include_personal_data: false };

const addressed = ({ url, events }: Static<typeof NewWebhook>) => ({ url, events: [...new Set(events)] });

/** Reads the given fields, with checks beyond the schema. */
function readSettings(body: Static<typeof ChangedWebhook>): Partial<WebhookSettings> {
  const { url, events, description, is_active, include_personal_data } = body;
  const address = url === undefined ? null : checkApiUrl(url);
  if (address?.ok === false) throw Refusal.invalid('url', address.fault);
  return {
    ...(url === undefined ? {} : { url }),
    ...(events === undefined ? {} : { events: [...new Set(events)] }),
    ...(description === undefined ? {} : { description: description ?? '' }),
    ...(typeof is_active === 'boolean' ? { is_active } : {}),
    ...(typeof include_personal_data === 'boolean' ? { include_personal_data } : {}),
  };
}
