// Mappings of channel SKUs to internal variants. Existing orders keep their variant.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { CODE_CHARACTERS_MAX } from '../../platform/values/text-limits.ts';
import { putMappings, removeMapping, removeMappings } from './changes.ts';
import { listMappings, searchMappings } from './store.ts';
import { nullable, SKU_CHARACTERS_MAX, Text } from '../../platform/schema/building-blocks.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { channelIdOf, ChannelParams, existingChannel } from '../channels/existing.ts';
import {
  ListOf,
  pageQuery,
  readPage,
  refuseCursor,
  textAfter,
  type PageQuery,
} from '../../platform/admin-api/page.ts';
import {
  COMMON_ANSWERS,
  DataOf,
  PathId,
  PathText,
  RefusalBody,
  SearchQuery,
  security,
} from '../../platform/admin-api/schemas.ts';
import { change } from '../../platform/accounts/change.ts';

const MAPPINGS_A_REQUEST_MAX = 10_000;

const MappingsRequest = Type.Object({
  mappings: Type.Array(
    Type.Object({ sku: Text(SKU_CHARACTERS_MAX), variant_code: Text(CODE_CHARACTERS_MAX) }),
    { maxItems: MAPPINGS_A_REQUEST_MAX, description: 'Added or replaced; others stay unchanged.' },
  ),
});
const MappingItem = Type.Object(
  {
    sku: Type.String(),
    variant_code: Type.String(),
    product_code: Type.String(),
    product_name: Type.String(),
    power: nullable<string>({ type: 'string' }),
  },
  { title: 'Mapping' },
);
const FoundSkuItem = Type.Object({
  channel_id: Type.Integer(),
  channel_name: Type.String(),
  ...MappingItem.properties,
});
const RemoveRequest = Type.Object({
  skus: Type.Array(Text(SKU_CHARACTERS_MAX), { minItems: 1, maxItems: MAPPINGS_A_REQUEST_MAX }),
});
const Removed = Type.Object({
  removed: Type.Array(Type.Object({ sku: Type.String(), variant_code: Type.String() }), {
    description: 'What was mapped; as `mappings` of PUT it brings them back.',
  }),
});
const MappingCount = Type.Object({ count: Type.Integer() });

const MappingParams = Type.Object({ id: PathId('The channel id.'), sku: PathText('The channel SKU.') });
const MappingQuery = Type.Object({ ...pageQuery, search: SearchQuery });
const FindQuery = Type.Object({
  ...pageQuery,
  search: Text(SKU_CHARACTERS_MAX, { description: 'Part of the SKU, in any case.' }),
});
const tags = ['mappings'];
const role = 'operator';

export function registerMappings(app: FastifyInstance, services: BackOffice): void {
  registerList(app, services);
  registerFind(app, services);
  registerPut(app, services);
  registerDelete(app, services);
  registerRemove(app, services);
}

function registerList(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Params: Static<typeof ChannelParams>; Querystring: Static<typeof MappingQuery> }>({
    method: 'GET',
    url: '/channels/:id/mappings',
    schema: {
      summary: 'The SKUs of a channel, by SKU',
      tags,
      security,
      params: ChannelParams,
      querystring: MappingQuery,
      response: { 200: ListOf(MappingItem), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async ({ params, query }) => {
      const id = channelIdOf(params);
      const filter = { after: textAfter(query), search: query.search ?? null };
      return readPage(services.pool, query, {
        read: async (tx, limit) => {
          await existingChannel(tx, id);
          return listMappings(tx, id, { ...filter, limit });
        },
        key: (row) => row.sku,
        present: (row) => row,
      });
    },
  });
}

function registerFind(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Querystring: Static<typeof FindQuery> }>({
    method: 'GET',
    url: '/mappings',
    schema: {
      summary: 'Find SKUs in all channels, by channel and SKU',
      tags,
      security,
      querystring: FindQuery,
      response: { 200: ListOf(FoundSkuItem), ...COMMON_ANSWERS },
    },
    handler: async ({ query }) => {
      const filter = { after: skuAfter(query), search: query.search };
      return readPage(services.pool, query, {
        read: (tx, limit) => searchMappings(tx, { ...filter, limit }),
        key: (row) => `${row.channel_id}:${row.sku}`,
        present: (row) => row,
      });
    },
  });
}

/** The last row of the previous page, as "<channel id>:<SKU>". */
function skuAfter(query: PageQuery): { channel_id: number; sku: string } {
  const text = textAfter(query);
  if (text === null) return { channel_id: 0, sku: '' };
  const [, id, sku] = /^(\d{1,9}):(.*)$/s.exec(text) ?? [];
  if (id === undefined || sku === undefined) throw refuseCursor();
  return { channel_id: Number(id), sku };
}

function registerPut(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Params: Static<typeof ChannelParams>; Body: Static<typeof MappingsRequest> }>({
    method: 'PUT',
    url: '/channels/:id/mappings',
    config: { role },
    schema: {
      summary: 'Add or replace mappings, all or none',
      tags,
      security,
      params: ChannelParams,
      body: MappingsRequest,
      response: { 200: DataOf(MappingCount), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const channel_id = channelIdOf(request.params);
      const { mappings } = request.body;
      await change(services, request, (tx, by) => putMappings(tx, by, { channel_id, mappings }));
      return { data: { count: mappings.length } };
    },
  });
}

function registerDelete(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Params: Static<typeof MappingParams> }>({
    method: 'DELETE',
    url: '/channels/:id/mappings/:sku',
    config: { role },
    schema: {
      summary: 'Unmap a SKU',
      tags,
      security,
      params: MappingParams,
      response: { 204: Type.Null(), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const wanted = { channel_id: channelIdOf(request.params), sku: request.params.sku };
      await change(services, request, (tx, by) => removeMapping(tx, by, wanted));
      return reply.code(204).send();
    },
  });
}

function registerRemove(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Params: Static<typeof ChannelParams>; Body: Static<typeof RemoveRequest> }>({
    method: 'POST',
    url: '/channels/:id/mappings/remove',
    config: { role },
    schema: {
      summary: 'Unmap many SKUs; those that are not mapped are left out',
      tags,
      security,
      params: ChannelParams,
      body: RemoveRequest,
      response: { 200: DataOf(Removed), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const wanted = { channel_id: channelIdOf(request.params), skus: request.body.skus };
      const { removed } = await change(services, request, (tx, by) => removeMappings(tx, by, wanted));
      return { data: { removed } };
    },
  });
}
