// Key rotation of a channel, immediate or with an overlap in which both keys are valid.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { endPreviousKey, OVERLAP_SECONDS_MAX, rotateKey } from './keys-changes.ts';
import { OptionalInteger } from '../../platform/schema/building-blocks.ts';
import { channelsChanged, type CachesChannels } from './channels-changed.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { ChannelWithKey, withKey } from './schemas.ts';
import {
  COMMON_ANSWERS,
  DataOf,
  readNoBodies,
  readOptionalBodies,
  RefusalBody,
  security,
} from '../../platform/admin-api/schemas.ts';
import { channelIdOf, ChannelParams } from './existing.ts';
import { change } from '../../platform/accounts/change.ts';

const Rotation = Type.Object({
  overlap_seconds: OptionalInteger({
    minimum: 0,
    maximum: OVERLAP_SECONDS_MAX,
    description: 'How long the old key stays valid. Default 0: it is revoked immediately.',
    examples: [86_400],
  }),
});

const tags = ['channels'];
const role = 'admin';
type Params = Static<typeof ChannelParams>;

export function registerChannelKeys(app: FastifyInstance, services: BackOffice & CachesChannels): void {
  app.register(async (scope) => {
    // Every field of the body is optional, and so is the body.
    readOptionalBodies(scope);
    registerRotate(scope, services);
  });
  app.register(async (scope) => {
    readNoBodies(scope);
    registerEndPrevious(scope, services);
  });
}

function registerRotate(app: FastifyInstance, services: BackOffice & CachesChannels): void {
  app.route<{ Params: Params; Body: Static<typeof Rotation> }>({
    method: 'POST',
    url: '/channels/:id/rotate-key',
    config: { role },
    schema: {
      summary: 'Create a new key; the old one is revoked immediately or after overlap_seconds',
      tags,
      security,
      params: ChannelParams,
      body: Rotation,
      response: { 200: DataOf(ChannelWithKey), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    preValidation: (request, _reply, done) => {
      request.body ??= {};
      done();
    },
    handler: async (request) => {
      const channel_id = channelIdOf(request.params);
      const wanted = {
        sealer: services.sealer,
        channel_id,
        overlap_seconds: request.body.overlap_seconds ?? 0,
      };
      const made = await change(services, request, (tx, by) => rotateKey(tx, by, wanted));
      await channelsChanged(services);
      return { data: withKey(services, made.channel, made.api_key) };
    },
  });
}

function registerEndPrevious(app: FastifyInstance, services: BackOffice & CachesChannels): void {
  app.route<{ Params: Params }>({
    method: 'DELETE',
    url: '/channels/:id/previous-key',
    config: { role },
    schema: {
      summary: 'Revoke the previous key before the end of its overlap',
      tags,
      security,
      params: ChannelParams,
      response: { 204: Type.Null(), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const id = channelIdOf(request.params);
      await change(services, request, (tx, by) => endPreviousKey(tx, by, id));
      await channelsChanged(services);
      return reply.code(204).send();
    },
  });
}
