// POST /inventory/lookup: the single lookup for many SKUs, from one snapshot.
import type { FastifyInstance } from 'fastify';
import type { Static } from '../../platform/schema/json-schema.ts';
import type { ChannelApi } from '../../core/channel-api/channel-api.ts';
import { channelOf } from '../../core/channel-api/auth.ts';
import { CHANNEL_ANSWERS, CHANNEL_SECURITY } from '../../core/channel-api/common-answers.ts';
import { REVALIDATE_HEADERS } from '../../core/channel-api/stock-list.ts';
import { ValidationBody } from '../../platform/schema/building-blocks.ts';
import { BulkLookup, BulkLookupRequest } from './schemas.ts';

export function registerBulkLookup(app: FastifyInstance, services: ChannelApi): void {
  app.route<{ Body: BulkLookupRequest }>({
    method: 'POST',
    url: '/inventory/lookup',
    schema: {
      summary: 'Stock of many channel SKUs, at one moment',
      description:
        'For a cart: one request instead of one for each SKU. SKUs that are not mapped are listed in `unknown`.',
      tags: ['inventory'],
      security: CHANNEL_SECURITY,
      body: BulkLookupRequest,
      response: { 200: BulkLookup, 422: ValidationBody, ...CHANNEL_ANSWERS },
    },
    handler: (request, reply) => {
      reply.header('cache-control', REVALIDATE_HEADERS['cache-control']);
      return lookUpMany(services, channelOf(request).id, request.body.skus);
    },
  });
}

async function lookUpMany(
  { inventory, hooks }: ChannelApi,
  channelId: number,
  skus: readonly string[],
): Promise<Static<typeof BulkLookup>> {
  const distinct = [...new Set(skus)];
  const found = await inventory.findAll(channelId, distinct);
  const answer: Static<typeof BulkLookup> = { data: [], unknown: [] };
  for (const [index, sku] of distinct.entries()) {
    const numbers = found[index];
    if (numbers) answer.data.push({ sku, ...numbers });
    else {
      answer.unknown.push(sku);
      hooks.skuUnmapped.call(channelId, sku);
    }
  }
  return answer;
}
