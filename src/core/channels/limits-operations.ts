// The limits of a channel on its orders (contract 10.24).
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { setLimits } from './limits-changes.ts';
import { LIMIT_RANGES, NO_LIMITS, type ChannelLimits } from '../rules/channel-limits.ts';
import { readChannelLimits } from './limits-store.ts';
import { reading } from '../../platform/database/transactions.ts';
import { channelsChanged, type CachesChannels } from './channels-changed.ts';
import { nullable } from '../../platform/schema/building-blocks.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { channelIdOf, ChannelParams, existingChannel } from './existing.ts';
import { COMMON_ANSWERS, DataOf, RefusalBody, security } from '../../platform/admin-api/schemas.ts';
import { change } from '../../platform/accounts/change.ts';

const DESCRIPTIONS = {
  line_quantity_max: 'The largest quantity of one line.',
  unpaid_quantity_max:
    'How much of an item unpaid orders (status 0) may hold together; backorders hold none.',
  unpaid_percent_max: 'The same in percent of the physical stock of the item that is not pre-allocated.',
  backordered_quantity_max: 'Open backorders of an item for which the channel has no quota.',
};

const limit = (name: keyof ChannelLimits) =>
  nullable<number>({
    type: 'integer',
    ...LIMIT_RANGES[name],
    description: `${DESCRIPTIONS[name]} null: no limit.`,
  });

const shown = {
  line_quantity_max: limit('line_quantity_max'),
  unpaid_quantity_max: limit('unpaid_quantity_max'),
  unpaid_percent_max: limit('unpaid_percent_max'),
  backordered_quantity_max: limit('backordered_quantity_max'),
};
const Limits = Type.Object(shown, { title: 'ChannelLimits' });
const WantedLimits = Type.Object({
  line_quantity_max: Type.Optional(shown.line_quantity_max),
  unpaid_quantity_max: Type.Optional(shown.unpaid_quantity_max),
  unpaid_percent_max: Type.Optional(shown.unpaid_percent_max),
  backordered_quantity_max: Type.Optional(shown.backordered_quantity_max),
});

const url = '/channels/:id/limits';
const tags = ['channels'];
type Params = Static<typeof ChannelParams>;

export function registerChannelLimits(app: FastifyInstance, services: BackOffice & CachesChannels): void {
  app.route<{ Params: Params }>({
    method: 'GET',
    url,
    schema: {
      summary: 'The limits of a channel on its orders',
      tags,
      security,
      params: ChannelParams,
      response: { 200: DataOf(Limits), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const id = channelIdOf(request.params);
      return reading(services.pool, async (tx) => {
        await existingChannel(tx, id);
        return { data: (await readChannelLimits(tx, [id])).get(id) ?? NO_LIMITS };
      });
    },
  });

  app.route<{ Params: Params; Body: Static<typeof WantedLimits> }>({
    method: 'PUT',
    url,
    config: { role: 'admin' },
    schema: {
      summary: 'Set the limits of a channel on its orders; null, or a limit that is left out, removes it',
      tags,
      security,
      params: ChannelParams,
      body: WantedLimits,
      response: { 200: DataOf(Limits), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const wanted = { channel_id: channelIdOf(request.params), limits: limitsOf(request.body) };
      const { limits } = await change(services, request, (tx, by) => setLimits(tx, by, wanted));
      await channelsChanged(services);
      return { data: limits };
    },
  });
}

const limitsOf = ({
  line_quantity_max = null,
  unpaid_quantity_max = null,
  unpaid_percent_max = null,
  backordered_quantity_max = null,
}: Static<typeof WantedLimits>): ChannelLimits => ({
  line_quantity_max,
  unpaid_quantity_max,
  unpaid_percent_max,
  backordered_quantity_max,
});
