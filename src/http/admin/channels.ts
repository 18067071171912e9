// Channels. A key is answered once, when it is made, and never written to the audit.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from 'typebox';
import { checkApiUrl, maskedApiUrl } from '../../channel-client/api-url.ts';
import { isCountryCode } from '../../domain/currency.ts';
import { PREFIX_CHARACTERS_MAX } from '../../engine/channel-prefix.ts';
import { insertAudit, type Actor } from '../../store/audit.ts';
import {
  findChannel,
  insertChannel,
  listChannels,
  lockChannel,
  updateChannel,
  type Channel,
  type ChannelFields,
} from '../../store/channels.ts';
import { type Tx } from '../../store/database.ts';
import { reading } from '../../store/transactions.ts';
import { nullable, OptionalBoolean, Text } from '../schema.ts';
import type { Services } from '../services.ts';
import { actorOf, operatorOf } from './auth.ts';
import { ChannelItem, ChannelWithKey, known, presenter, withKey } from './channel-schemas.ts';
import { limitOf, ListOf, numberAfter, page, pageQuery, type PageQuery } from './page.ts';
import { Refusal } from './refusal.ts';
import { channelIdOf, ChannelParams, COMMON_ANSWERS, DataOf, RefusalBody, security } from './schemas.ts';
import { writing } from './writing.ts';

const NAME_CHARACTERS_MAX = 100;

const settings = {
  country_code: Type.Optional(
    nullable<string>({
      type: 'string',
      description: 'ISO 3166-1 alpha-2; it decides the intake currency. Unset means KRW.',
      examples: ['JP'],
    }),
  ),
  api_url: Type.Optional(
    nullable<string>({ type: 'string', description: 'Where product information is fetched from.' }),
  ),
  is_active: OptionalBoolean({ description: 'An inactive channel cannot authenticate. Default true.' }),
  order_number_prefix: Type.Optional(
    nullable<string>({
      type: 'string',
      minLength: 1,
      maxLength: PREFIX_CHARACTERS_MAX,
      format: 'nonblank',
      description: 'What the order numbers of the channel must begin with. Unset: anything.',
      examples: ['TYO-'],
    }),
  ),
};
const NewChannel = Type.Object({ name: Text(NAME_CHARACTERS_MAX), ...settings });
const ChannelPatch = Type.Object({
  name: Type.Optional(Text(NAME_CHARACTERS_MAX)),
  ...settings,
});
type ChannelPatch = Static<typeof ChannelPatch>;

const tags = ['channels'];
const role = 'admin';

export function registerChannels(app: FastifyInstance, services: Services): void {
  registerReads(app, services);
  registerCreate(app, services);
  registerPatch(app, services);
}

function registerReads(app: FastifyInstance, services: Services): void {
  app.route<{ Querystring: PageQuery }>({
    method: 'GET',
    url: '/channels',
    schema: {
      summary: 'All channels, by id',
      tags,
      security,
      querystring: Type.Object(pageQuery),
      response: { 200: ListOf(ChannelItem), ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const { query } = request;
      const limit = limitOf(query);
      const after = numberAfter(query) ?? 0;
      const found = await reading(services.pool, (tx) => listChannels(tx, after, limit + 1));
      const present = presenter(services, operatorOf(request).role);
      return page(found, limit, (channel) => channel.id, present);
    },
  });

  app.route<{ Params: Static<typeof ChannelParams> }>({
    method: 'GET',
    url: '/channels/:id',
    schema: {
      summary: 'One channel',
      tags,
      security,
      params: ChannelParams,
      response: { 200: DataOf(ChannelItem), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const id = channelIdOf(request.params);
      const present = presenter(services, operatorOf(request).role);
      return { data: present(known(await reading(services.pool, (tx) => findChannel(tx, id)), id)) };
    },
  });
}

function registerCreate(app: FastifyInstance, services: Services): void {
  app.route<{ Body: Static<typeof NewChannel> }>({
    method: 'POST',
    url: '/channels',
    config: { role },
    schema: {
      summary: 'Make a channel; the answer shows its key, once',
      tags,
      security,
      body: NewChannel,
      response: { 201: DataOf(ChannelWithKey), ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const { name, is_active } = request.body;
      const { order_number_prefix = null } = request.body;
      const fields = {
        name,
        is_active: is_active ?? true,
        order_number_prefix,
        ...readSettings(request.body, UNSET),
      };
      const { channel, api_key } = await writing(services, request, async (tx) => {
        const made = await insertChannel(tx, services.sealer, fields);
        await audit(tx, actorOf(request), 'channel.create', null, made.channel);
        return made;
      });
      services.directory.invalidate();
      return reply.code(201).send({ data: withKey(services, channel, api_key) });
    },
  });
}

function registerPatch(app: FastifyInstance, services: Services): void {
  app.route<{ Params: Static<typeof ChannelParams>; Body: ChannelPatch }>({
    method: 'PATCH',
    url: '/channels/:id',
    config: { role },
    schema: {
      summary: 'Change what is named; null clears country_code, api_url and order_number_prefix',
      tags,
      security,
      params: ChannelParams,
      body: ChannelPatch,
      response: { 200: DataOf(ChannelItem), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const id = channelIdOf(request.params);
      const channel = await writing(services, request, (tx) => patch(tx, actorOf(request), id, request.body));
      services.directory.invalidate();
      return { data: presenter(services, role)(channel) };
    },
  });
}

async function patch(tx: Tx, by: Actor, id: number, body: ChannelPatch): Promise<Channel> {
  const before = known(await lockChannel(tx, id), id);
  const after = known(
    await updateChannel(tx, id, {
      name: body.name ?? before.name,
      is_active: body.is_active ?? before.is_active,
      order_number_prefix:
        body.order_number_prefix === undefined ? before.order_number_prefix : body.order_number_prefix,
      ...readSettings(body, before),
    }),
    id,
  );
  await audit(tx, by, 'channel.update', before, after);
  return after;
}

type Settings = Pick<ChannelFields, 'country_code' | 'api_url'>;
const UNSET: Settings = { country_code: null, api_url: null };

/** What no schema can judge; both fields are looked at before either is refused. */
function readSettings(
  body: { country_code?: string | null; api_url?: string | null },
  otherwise: Settings,
): Settings {
  const { country_code = otherwise.country_code, api_url = otherwise.api_url } = body;
  const errors: Record<string, string[]> = {};
  // Letters first: upper-casing would turn some other characters into letters.
  const country =
    country_code !== null && /^[a-z]{2}$/i.test(country_code) ? country_code.toUpperCase() : null;
  if (country_code !== null && (country === null || !isCountryCode(country)))
    errors['country_code'] = ['country_code must be an ISO 3166-1 alpha-2 country code.'];
  const address = api_url === null ? null : checkApiUrl(api_url);
  if (address?.ok === false) errors['api_url'] = [`api_url ${address.message}.`];
  if (Object.keys(errors).length > 0) throw Refusal.invalidFields(errors);
  return { country_code: country, api_url };
}

const audit = (tx: Tx, by: Actor, action: string, before: Channel | null, after: Channel): Promise<number> =>
  insertAudit(tx, by, {
    action,
    subject: `channel:${after.id}`,
    before: before && audited(before),
    after: audited(after),
  });

/** The query of an address may carry a secret of the channel's; the audit is kept for ever and leaves it out. */
const audited = (channel: Channel): object => ({
  name: channel.name,
  country_code: channel.country_code,
  currency_code: channel.currency_code,
  api_url: channel.api_url === null ? null : maskedApiUrl(channel.api_url),
  is_active: channel.is_active,
  order_number_prefix: channel.order_number_prefix,
});
