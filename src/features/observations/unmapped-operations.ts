// SKUs that a channel requested and that are not mapped.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { dismissUnmappedSku } from './changes.ts';
import { listUnmappedSkus } from './store.ts';
import { topic } from '../../platform/supervisor/other-workers.ts';
import type { Observations } from './observations.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { channelIdOf, ChannelParams, existingChannel } from '../../core/channels/existing.ts';
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
  PathId,
  PathText,
  RefusalBody,
  SearchQuery,
  security,
  Timestamp,
} from '../../platform/admin-api/schemas.ts';
import { change } from '../../platform/accounts/change.ts';

const UnmappedItem = Type.Object({
  sku: Type.String(),
  lookups: Type.Integer({ description: 'Lookups answered with 404.' }),
  orders: Type.Integer({ description: 'Orders refused because of it.' }),
  first_at: Timestamp,
  last_at: Timestamp,
});
const UnmappedParams = Type.Object({ id: PathId('The channel id.'), sku: PathText('The channel SKU.') });
const UnmappedQuery = Type.Object({ ...pageQuery, search: SearchQuery });
const tags = ['mappings'];

/** Every worker writes what it has observed. */
export const OBSERVATIONS = topic('observations');

type Observing = BackOffice & { readonly observations: Observations };

export function registerUnmapped(app: FastifyInstance, services: Observing): void {
  registerList(app, services);
  registerDismiss(app, services);
}

function registerList(app: FastifyInstance, services: BackOffice): void {
  const { formatTimestamp } = services;

  app.route<{ Params: Static<typeof ChannelParams>; Querystring: Static<typeof UnmappedQuery> }>({
    method: 'GET',
    url: '/channels/:id/unmapped',
    schema: {
      summary: 'Unmapped SKUs that the channel requested, latest request first',
      description: 'Up to date within a few seconds. A mapped SKU is no longer listed.',
      tags,
      security,
      params: ChannelParams,
      querystring: UnmappedQuery,
      response: { 200: ListOf(UnmappedItem), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async ({ params, query }) => {
      const id = channelIdOf(params);
      const filter = { after: readAfter(query), search: query.search ?? null };
      return readPage(services.pool, query, {
        read: async (tx, limit) => {
          await existingChannel(tx, id);
          return listUnmappedSkus(tx, id, { ...filter, limit });
        },
        key: ({ last_at, sku }) => `${last_at.getTime()} ${sku}`,
        present: ({ first_at, last_at, ...row }) => ({
          ...row,
          first_at: formatTimestamp(first_at),
          last_at: formatTimestamp(last_at),
        }),
      });
    },
  });
}

/** Time in milliseconds and SKU of the last row. */
function readAfter(query: PageQuery): { last_at: Date; sku: string } | null {
  const text = textAfter(query);
  if (text === null) return null;
  const match = /^(\d{1,14}) (.*)$/s.exec(text);
  if (!match?.[1] || match[2] === undefined || !match[2].isWellFormed()) throw refuseCursor();
  return { last_at: new Date(Number(match[1])), sku: match[2] };
}

function registerDismiss(app: FastifyInstance, services: Observing): void {
  app.route<{ Params: Static<typeof UnmappedParams> }>({
    method: 'DELETE',
    url: '/channels/:id/unmapped/:sku',
    config: { role: 'operator' },
    schema: {
      summary: 'Remove a SKU from the list until it is requested again',
      tags,
      security,
      params: UnmappedParams,
      response: { 204: Type.Null(), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const wanted = { channel_id: channelIdOf(request.params), sku: request.params.sku };
      // Otherwise counts that are still in memory would add it again.
      await Promise.all([services.observations.flush(), services.others.ask(OBSERVATIONS, null)]);
      await change(services, request, (tx, by) => dismissUnmappedSku(tx, by, wanted));
      return reply.code(204).send();
    },
  });
}
