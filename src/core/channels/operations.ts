// Channels. A key is returned once, when it is created, and never written to the audit log.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { ALLOWED_ADDRESSES_MAX, changeChannel, createChannel } from './changes.ts';
import {
  NAME_CHARACTERS_MAX,
  ORDER_NUMBER_PREFIX_CHARACTERS_MAX,
} from '../../platform/values/text-limits.ts';
import { checkApiUrl } from './api-url.ts';
import { parseAddressRanges } from '../../platform/values/client-address.ts';
import { readCountryCode } from '../rules/currency.ts';
import type { FieldError, FieldFault } from '../../platform/values/field-fault.ts';
import { PREPAYMENT_EXPIRY_MINUTES_MAX } from '../rules/prepayment-expiry.ts';
import { readTimestamp } from '../../platform/values/timestamps.ts';
import { TRACE_DAYS_MAX, traceFault } from './rules.ts';
import { listChannels, type ChannelFields } from './store.ts';
import { reading } from '../../platform/database/transactions.ts';
import { nullable, OptionalBoolean, OptionalInteger, Text } from '../../platform/schema/building-blocks.ts';
import { channelsChanged, type CachesChannels } from './channels-changed.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { operatorOf } from '../../platform/accounts/auth.ts';
import { ChannelItem, ChannelWithKey, presenter, withKey } from './schemas.ts';
import { channelIdOf, ChannelParams, existingChannel } from './existing.ts';
import { ListOf, numberAfter, pageQuery, readPage } from '../../platform/admin-api/page.ts';
import { Refusal } from '../../platform/admin-api/refusal.ts';
import {
  ArchivedQuery,
  COMMON_ANSWERS,
  DataOf,
  RefusalBody,
  security,
} from '../../platform/admin-api/schemas.ts';
import { change } from '../../platform/accounts/change.ts';
import { readNow } from '../../platform/database/clock.ts';

const settings = {
  country_code: Type.Optional(
    nullable<string>({
      type: 'string',
      description: 'ISO 3166-1 alpha-2; it determines the currency of orders. Unset means KRW.',
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
      maxLength: ORDER_NUMBER_PREFIX_CHARACTERS_MAX,
      format: 'nonblank',
      description: 'Required prefix of the order numbers of the channel. Unset: none.',
      examples: ['TYO-'],
    }),
  ),
  allowed_addresses: Type.Optional(
    nullable<string[]>({
      type: 'array',
      items: { type: 'string', examples: ['203.0.113.0/24'] },
      maxItems: ALLOWED_ADDRESSES_MAX,
      description:
        'Addresses and CIDR ranges from which the key may be used; from elsewhere it is refused like an unknown key. Empty or null: from anywhere.',
    }),
  ),
  prepayment_expiry_minutes: OptionalInteger({
    minimum: 1,
    maximum: PREPAYMENT_EXPIRY_MINUTES_MAX,
    description:
      'Orders that stay in the pre-payment status for so long are cancelled by the service. Unset: never.',
    examples: [1440],
  }),
};
const NewChannel = Type.Object({ name: Text(NAME_CHARACTERS_MAX), ...settings });
const ChannelPatch = Type.Object({
  name: Type.Optional(Text(NAME_CHARACTERS_MAX)),
  ...settings,
  trace_until: Type.Optional(
    nullable<string>({
      type: 'string',
      description: `Logs and lists every request of the channel until this time, at most ${TRACE_DAYS_MAX * 24} hours ahead; null: stop.`,
      examples: ['2026-11-15T09:30:00+09:00'],
    }),
  ),
  archived: OptionalBoolean({
    description:
      'true: inactive and out of the lists; 409 while it holds pre-allocations. Its orders stay, and false brings it back, inactive.',
  }),
});
type ChannelPatch = Static<typeof ChannelPatch>;
const ChannelQuery = Type.Object({ ...pageQuery, archived: ArchivedQuery });

const tags = ['channels'];
const role = 'admin';

export function registerChannels(app: FastifyInstance, services: BackOffice & CachesChannels): void {
  registerReads(app, services);
  registerCreate(app, services);
  registerPatch(app, services);
}

function registerReads(app: FastifyInstance, services: BackOffice & CachesChannels): void {
  app.route<{ Querystring: Static<typeof ChannelQuery> }>({
    method: 'GET',
    url: '/channels',
    schema: {
      summary: 'Channels, by id',
      tags,
      security,
      querystring: ChannelQuery,
      response: { 200: ListOf(ChannelItem), ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const { query } = request;
      const after = numberAfter(query) ?? 0;
      return readPage(services.pool, query, {
        read: (tx, limit) => listChannels(tx, after, query.archived ?? false, limit),
        key: (channel) => channel.id,
        present: presenter(services, operatorOf(request).role),
      });
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
      return { data: present(await reading(services.pool, (tx) => existingChannel(tx, id))) };
    },
  });
}

function registerCreate(app: FastifyInstance, services: BackOffice & CachesChannels): void {
  app.route<{ Body: Static<typeof NewChannel> }>({
    method: 'POST',
    url: '/channels',
    config: { role },
    schema: {
      summary: 'Create a channel; its key is shown once',
      tags,
      security,
      body: NewChannel,
      response: { 201: DataOf(ChannelWithKey), 409: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const { name } = request.body;
      const fields = { ...UNSET, ...readSettings(request.body), name };
      const { sealer } = services;
      const { channel, api_key } = await change(services, request, (tx, by) =>
        createChannel(tx, by, { sealer, fields }),
      );
      await channelsChanged(services);
      return reply.code(201).send({ data: withKey(services, channel, api_key) });
    },
  });
}

function registerPatch(app: FastifyInstance, services: BackOffice & CachesChannels): void {
  app.route<{ Params: Static<typeof ChannelParams>; Body: ChannelPatch }>({
    method: 'PATCH',
    url: '/channels/:id',
    config: { role },
    schema: {
      summary:
        'Change the given fields; null clears country_code, api_url, order_number_prefix, allowed_addresses, prepayment_expiry_minutes and trace_until',
      tags,
      security,
      params: ChannelParams,
      body: ChannelPatch,
      response: { 200: DataOf(ChannelItem), 404: RefusalBody, 409: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const { name } = request.body;
      const { archived } = request.body;
      const changes = {
        ...readSettings(request.body),
        ...(name === undefined ? {} : { name }),
        ...(typeof archived === 'boolean' ? { archived } : {}),
        ...(await readTrace(services, request.body)),
      };
      const wanted = { channel_id: channelIdOf(request.params), ...changes };
      const { channel } = await change(services, request, (tx, by) => changeChannel(tx, by, wanted));
      await channelsChanged(services);
      return { data: presenter(services, role)(channel) };
    },
  });
}

type Settings = Omit<Required<ChannelFields>, 'name' | 'archived' | 'trace_until'>;
const UNSET: Settings = {
  country_code: null,
  api_url: null,
  is_active: true,
  order_number_prefix: null,
  allowed_addresses: [],
  prepayment_expiry_minutes: null,
};

/** Checks beyond the schema, for the given fields; all errors are reported together. */
function readSettings(body: Omit<ChannelPatch, 'name' | 'archived' | 'trace_until'>): Partial<Settings> {
  const { country_code, api_url, is_active, order_number_prefix, prepayment_expiry_minutes } = body;
  const addresses = body.allowed_addresses?.map((entry) => entry.trim());
  const found: FieldError[] = [];
  for (const [at, entry] of addresses?.entries() ?? [])
    if (parseAddressRanges([entry]) === null)
      found.push({ field: `allowed_addresses.${at}`, fault: { kind: 'not_an_address_range' } });
  const country = typeof country_code === 'string' ? readCountryCode(country_code) : null;
  if (typeof country_code === 'string' && country === null)
    found.push({ field: 'country_code', fault: { kind: 'not_a_country' } });
  const address = typeof api_url === 'string' ? checkApiUrl(api_url) : null;
  if (address?.ok === false) found.push({ field: 'api_url', fault: address.fault });
  if (found.length > 0) throw Refusal.invalidFields(found);
  return {
    ...(country_code === undefined ? {} : { country_code: country }),
    ...(api_url === undefined ? {} : { api_url }),
    ...(is_active === undefined || is_active === null ? {} : { is_active }),
    ...(order_number_prefix === undefined ? {} : { order_number_prefix }),
    ...(body.allowed_addresses === undefined ? {} : { allowed_addresses: addresses ?? [] }),
    ...(prepayment_expiry_minutes === undefined ? {} : { prepayment_expiry_minutes }),
  };
}

/** Judged by the clock of the database, which ends the trace. */
async function readTrace(
  { pool }: BackOffice,
  { trace_until }: ChannelPatch,
): Promise<{ trace_until?: Date | null }> {
  if (typeof trace_until !== 'string') return trace_until === null ? { trace_until } : {};
  const until = readTimestamp(trace_until);
  const fault: FieldFault | null = until
    ? traceFault(until, await reading(pool, readNow))
    : { kind: 'not_a_timestamp' };
  if (fault) throw Refusal.invalid('trace_until', fault);
  return { trace_until: until };
}
