// The last requests of a channel that were refused, slow or traced. Operators search them by X-Request-Id.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { REQUEST_OUTCOMES, type RequestOutcome } from './requests-rules.ts';
import { listRequests } from './requests-store.ts';
import { nullable } from '../../platform/schema/building-blocks.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { timeAfter, timeKey } from '../../platform/admin-api/time-cursor.ts';
import { channelIdOf, ChannelParams, existingChannel } from '../../core/channels/existing.ts';
import { ListOf, pageQuery, readPage } from '../../platform/admin-api/page.ts';
import { COMMON_ANSWERS, RefusalBody, security, Timestamp } from '../../platform/admin-api/schemas.ts';

const RequestItem = Type.Object(
  {
    id: Type.Integer(),
    request_id: Type.String({ description: 'The X-Request-Id of the response.' }),
    at: Timestamp,
    outcome: Type.Unsafe<RequestOutcome>({
      type: 'string',
      enum: [...REQUEST_OUTCOMES],
      description:
        'refused: a status of 400 or above; slow: not refused, and slow; served: logged by a trace.',
    }),
    method: Type.String(),
    route: Type.String({ description: 'The pattern of the path.', examples: ['/api/v1/inventory/:sku'] }),
    sku: nullable<string>({
      type: 'string',
      description: 'The channel SKU in the path, or of an order with one line; long ones are shortened.',
    }),
    order_number: nullable<string>({ type: 'string', description: 'Long ones are shortened.' }),
    status: Type.Integer(),
    code: nullable<string>({ type: 'string', description: 'The header Sluice-Error of a refusal.' }),
    ms: Type.Integer({ description: 'Milliseconds from the request to the end of its answer.' }),
    address: Type.String({ description: 'Of the client; IPv6: its /64 network.' }),
  },
  { title: 'ChannelRequest' },
);

const ALL = 'all';
const RequestQuery = Type.Object({
  ...pageQuery,
  request_id: Type.Optional(
    Type.String({ format: 'text', maxLength: 64, description: 'An X-Request-Id; exact match.' }),
  ),
  outcome: Type.Optional(
    Type.Unsafe<RequestOutcome | typeof ALL>({
      type: 'string',
      enum: [...REQUEST_OUTCOMES, ALL],
      description: 'Default all.',
    }),
  ),
});

export function registerChannelRequests(app: FastifyInstance, services: BackOffice): void {
  const { formatTimestamp } = services;

  app.route<{ Params: Static<typeof ChannelParams>; Querystring: Static<typeof RequestQuery> }>({
    method: 'GET',
    url: '/channels/:id/requests',
    schema: {
      summary: 'The last requests of the channel that were refused, slow or traced, newest first',
      description:
        'Up to date within a few seconds. The last 2,000 of each channel are kept, for 30 days at most; a crash or failover of the database empties the list. All requests are listed while trace_until of the channel is in the future.',
      tags: ['channels'],
      security,
      params: ChannelParams,
      querystring: RequestQuery,
      response: { 200: ListOf(RequestItem), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async ({ params, query }) => {
      const id = channelIdOf(params);
      const { request_id = null, outcome = ALL } = query;
      const filter = {
        request_id,
        outcome: outcome === ALL ? null : outcome,
        after: timeAfter(query),
      };
      return readPage(services.pool, query, {
        read: async (tx, limit) => {
          await existingChannel(tx, id);
          return listRequests(tx, id, { ...filter, limit });
        },
        key: (row) => timeKey(row.at, row.id),
        present: ({ at, ...row }) => ({ ...row, at: formatTimestamp(at) }),
      });
    },
  });
}
