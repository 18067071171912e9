// The policy of a channel: rate limit and signatures. A signing secret is returned once, when it is created.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { addSigningSecret, removeSigningSecret, setRateLimit, setSigningMode } from './changes.ts';
import { nullable, OptionalInteger } from '../../platform/schema/building-blocks.ts';
import { channelsChanged, type CachesChannels } from '../channels/channels-changed.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { Burst, ChannelItem, PerMinute, presenter, SigningModeName } from '../channels/schemas.ts';
import { Refusal } from '../../platform/admin-api/refusal.ts';
import {
  COMMON_ANSWERS,
  DataOf,
  int32Id,
  PathId,
  readNoBodies,
  RefusalBody,
  security,
  Timestamp,
} from '../../platform/admin-api/schemas.ts';
import { channelIdOf, ChannelParams } from '../channels/existing.ts';
import { change } from '../../platform/accounts/change.ts';

const secretIdOf = ({ id, secretId }: { id: string; secretId: string }): number =>
  int32Id(secretId, { kind: 'signing_secret_unknown', channel_id: id, signing_secret_id: secretId });

const Limit = Type.Object({
  requests_per_minute: nullable<number>({ type: 'integer', ...PerMinute, description: 'null: no limit.' }),
  burst: OptionalInteger({ ...Burst, description: 'Burst size; required with a limit.' }),
});
const Mode = Type.Object({ mode: SigningModeName });
const NewSecret = Type.Object({
  id: Type.Integer(),
  secret: Type.String({ description: 'Shown only once: store it.' }),
  created_at: Timestamp,
});
const SecretParams = Type.Object({
  id: PathId('The channel id.'),
  secretId: PathId('The id of the signing secret.'),
});

const tags = ['channels'];
const role = 'admin';
type Params = Static<typeof ChannelParams>;

export function registerChannelPolicy(app: FastifyInstance, services: BackOffice & CachesChannels): void {
  registerLimit(app, services);
  registerMode(app, services);
  app.register(async (scope) => {
    readNoBodies(scope);
    registerNewSecret(scope, services);
    registerEndSecret(scope, services);
  });
}

function registerLimit(app: FastifyInstance, services: BackOffice & CachesChannels): void {
  app.route<{ Params: Params; Body: Static<typeof Limit> }>({
    method: 'PUT',
    url: '/channels/:id/rate-limit',
    config: { role },
    schema: {
      summary: 'Set the rate limit of a channel, per process; null removes it',
      tags,
      security,
      params: ChannelParams,
      body: Limit,
      response: { 200: DataOf(ChannelItem), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const id = channelIdOf(request.params);
      const { requests_per_minute, burst } = request.body;
      const limit = requests_per_minute === null ? null : { requests_per_minute, burst: given(burst) };
      const wanted = { channel_id: id, limit };
      const { channel } = await change(services, request, (tx, by) => setRateLimit(tx, by, wanted));
      await channelsChanged(services);
      return { data: presenter(services, 'admin')(channel) };
    },
  });
}

function given(burst: number | null | undefined): number {
  if (burst === null || burst === undefined)
    throw Refusal.invalid('burst', { kind: 'required_with', field: 'requests_per_minute' });
  return burst;
}

function registerMode(app: FastifyInstance, services: BackOffice & CachesChannels): void {
  app.route<{ Params: Params; Body: Static<typeof Mode> }>({
    method: 'PUT',
    url: '/channels/:id/signing',
    config: { role },
    schema: {
      summary: 'Set whether requests may or must be signed',
      tags,
      security,
      params: ChannelParams,
      body: Mode,
      response: { 200: DataOf(ChannelItem), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const wanted = { channel_id: channelIdOf(request.params), mode: request.body.mode };
      const { channel } = await change(services, request, (tx, by) => setSigningMode(tx, by, wanted));
      await channelsChanged(services);
      return { data: presenter(services, 'admin')(channel) };
    },
  });
}

function registerNewSecret(app: FastifyInstance, services: BackOffice & CachesChannels): void {
  app.route<{ Params: Params }>({
    method: 'POST',
    url: '/channels/:id/signing-secrets',
    config: { role },
    schema: {
      summary: 'Create a signing secret, which is shown once. At most two are valid',
      tags,
      security,
      params: ChannelParams,
      response: { 201: DataOf(NewSecret), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const wanted = { sealer: services.sealer, channel_id: channelIdOf(request.params) };
      const { made } = await change(services, request, (tx, by) => addSigningSecret(tx, by, wanted));
      await channelsChanged(services);
      const created_at = services.formatTimestamp(made.created_at);
      return reply.code(201).send({ data: { ...made, created_at } });
    },
  });
}

function registerEndSecret(app: FastifyInstance, services: BackOffice & CachesChannels): void {
  app.route<{ Params: Static<typeof SecretParams> }>({
    method: 'DELETE',
    url: '/channels/:id/signing-secrets/:secretId',
    config: { role },
    schema: {
      summary: 'Remove a signing secret: requests signed with it are refused immediately',
      tags,
      security,
      params: SecretParams,
      response: { 204: Type.Null(), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const { params } = request;
      const wanted = { channel_id: channelIdOf(params), signing_secret_id: secretIdOf(params) };
      await change(services, request, (tx, by) => removeSigningSecret(tx, by, wanted));
      await channelsChanged(services);
      return reply.code(204).send();
    },
  });
}
