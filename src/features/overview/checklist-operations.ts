// The set-up checklist of a channel: the five prerequisites of contract 1.2 in order, then the encryption of its key in
// outbound calls and the prefix of its order numbers (contract 10.13).
import type { FastifyInstance } from 'fastify';
import { Type, type Static, type TSchema } from '../../platform/schema/json-schema.ts';
import { transportOf, type Transport } from '../../core/channels/api-url.ts';
import { BASE_CURRENCY } from '../../core/rules/currency.ts';
import type { FormatTimestamp } from '../../platform/values/timestamps.ts';
import { findChannel, sharingPrefix, type Channel } from '../../core/channels/store.ts';
import { reading } from '../../platform/database/transactions.ts';
import { countUnmappedSkus } from '../observations/store.ts';
import { readSetUp, type SetUp } from './store.ts';
import { nullable } from '../../platform/schema/building-blocks.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { refusalOf } from '../../platform/admin-api/refusal.ts';
import { COMMON_ANSWERS, DataOf, RefusalBody, security } from '../../platform/admin-api/schemas.ts';
import { channelIdOf, ChannelParams } from '../../core/channels/existing.ts';

const STATES = ['done', 'missing', 'optional', 'warning'] as const;
type State = (typeof STATES)[number];
const TRANSPORTS = ['none', 'encrypted', 'plain', 'plain_private'] as const;

const nullableText = (description?: string) =>
  nullable<string>({ type: 'string', ...(description === undefined ? {} : { description }) });
const currency_code = Type.String({ description: 'The currency of the country.' });

/** The figures for each item. */
const DETAILS = {
  active: Type.Object({}),
  country: Type.Object({ country_code: nullableText(), currency_code }),
  mappings: Type.Object({
    mapped: Type.Integer({ description: 'SKUs that are mapped.' }),
    unmapped_asked: Type.Integer({ description: 'SKUs that the channel requested and that are not mapped.' }),
  }),
  allocations: Type.Object({
    configured: Type.Integer({ description: 'Items with a pre-allocation or a backorder quota.' }),
  }),
  exchange_rate: Type.Object({
    currency_code,
    base: Type.Boolean({ description: 'The base currency, which needs no rate.' }),
    rate: nullableText('The rate in effect.'),
    effective_at: nullableText(),
  }),
  api_url: Type.Object({
    transport: Type.Unsafe<Transport>({
      type: 'string',
      enum: [...TRANSPORTS],
      description:
        "How the channel's key is sent in outbound calls; plain: unencrypted, plain_private: unencrypted to a private address (SLUICE_ALLOW_PRIVATE_CHANNEL_URLS).",
    }),
  }),
  order_number_prefix: Type.Object({
    order_number_prefix: nullableText(),
    shared_with: Type.Array(Type.String(), {
      description:
        'Names of other active channels whose order numbers may collide: neither has a prefix, or one prefix starts with the other.',
    }),
  }),
};
type Key = keyof typeof DETAILS;

const ItemOf = ([key, detail]: [string, TSchema]) =>
  Type.Object({
    key: Type.Literal(key),
    ok: Type.Boolean({ description: 'False: something is missing.' }),
    state: Type.Unsafe<State>({
      type: 'string',
      enum: [...STATES],
      description: 'optional: not set and not needed; warning: works, but should be changed.',
    }),
    detail,
  });
interface Item {
  key: Key;
  ok: boolean;
  state: State;
  detail: object;
}
const Item = Type.Unsafe<Item>({ anyOf: Object.entries(DETAILS).map(ItemOf) });

export function registerChecklist(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Params: Static<typeof ChannelParams> }>({
    method: 'GET',
    url: '/channels/:id/checklist',
    schema: {
      summary: 'The set-up checklist of a channel',
      tags: ['channels'],
      security,
      params: ChannelParams,
      response: {
        200: DataOf(Type.Object({ items: Type.Array(Item) })),
        404: RefusalBody,
        ...COMMON_ANSWERS,
      },
    },
    handler: async ({ params }) => {
      const id = channelIdOf(params);
      const items = await reading(services.pool, async (tx) => {
        const channel = await findChannel(tx, id);
        const setUp = await readSetUp(tx, id);
        if (!channel || !setUp) throw refusalOf({ kind: 'channel_unknown', channel_id: id });
        const asked = await countUnmappedSkus(tx, id);
        const transport = transportOf(channel.api_url, services.config.allow_private_channel_urls);
        const shared_with = await sharingPrefix(tx, channel);
        return [
          ...checklist(channel, setUp, asked, services.formatTimestamp),
          item('api_url', TRANSPORT_STATES[transport], { transport }),
          prefixItem(channel, shared_with),
        ];
      });
      return { data: { items } };
    },
  });
}

function checklist(channel: Channel, setUp: SetUp, unmapped_asked: number, format: FormatTimestamp): Item[] {
  const { country_code, currency_code: currency } = channel;
  const { mapped, configured } = setUp;
  const base = currency === BASE_CURRENCY;
  const rate = base ? null : setUp.rate;
  const effective_at = base || setUp.effective_at === null ? null : format(setUp.effective_at);
  const isThere = (holds: boolean): State => (holds ? 'done' : 'missing');
  return [
    item('active', isThere(channel.is_active), {}),
    item('country', isThere(country_code !== null), { country_code, currency_code: currency }),
    item('mappings', isThere(mapped > 0 && unmapped_asked === 0), { mapped, unmapped_asked }),
    // Without allocations the channel sells from the common stock.
    item('allocations', configured > 0 ? 'done' : 'optional', { configured }),
    item('exchange_rate', isThere(base || rate !== null), {
      currency_code: currency,
      base,
      rate,
      effective_at,
    }),
  ];
}

const TRANSPORT_STATES: Record<Transport, State> = {
  none: 'optional',
  encrypted: 'done',
  plain: 'warning',
  plain_private: 'optional',
};

/** A missing prefix is allowed: contract 4.3.3 leaves the prefixes to the channels. */
function prefixItem({ order_number_prefix }: Channel, shared_with: string[]): Item {
  const isShared = shared_with.length > 0;
  const state = order_number_prefix === null ? 'optional' : isShared ? 'warning' : 'done';
  return item('order_number_prefix', state, { order_number_prefix, shared_with });
}

const item = <K extends Key>(key: K, state: State, detail: Static<(typeof DETAILS)[K]>): Item => ({
  key,
  ok: state !== 'missing',
  state,
  detail,
});
