// Pre-allocations and backorder quotas of a channel.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from 'typebox';
import { setAllocation } from '../../backoffice/allocations.ts';
import {
  channelAvailable,
  overcommittedBy,
  reserveRemaining,
  type Allocation,
  type Stock,
} from '../../domain/stock.ts';
import { listAllocations } from '../../store/allocations.ts';
import { findChannel } from '../../store/channels.ts';
import { reading } from '../../store/transactions.ts';
import { OptionalInteger, Quantity } from '../schema.ts';
import type { Services } from '../services.ts';
import { limitOf, ListOf, page, pageQuery, textAfter, type PageQuery } from './page.ts';
import { refusalOf } from './refusal.ts';
import { Overcommitted } from './stock.ts';
import {
  channelIdOf,
  ChannelParams,
  COMMON_ANSWERS,
  DataOf,
  PathId,
  PathText,
  RefusalBody,
  security,
} from './schemas.ts';
import { change } from './writing.ts';

const Expected = OptionalInteger({
  minimum: 0,
  description: 'The value you expect, 0 without an allocation; 409 if it has changed.',
});
const AllocationRequest = Type.Object({
  allocated_qty: Quantity(0, {
    description: 'The live remainder from now on; open orders have drawn theirs already.',
  }),
  reserve_quota: Quantity(0, { description: 'Backorder quota; 0 means no limit.' }),
  expected_allocated_qty: Expected,
  expected_reserve_quota: Expected,
});
const AllocationItem = Type.Object({
  channel_id: Type.Integer(),
  variant_code: Type.String(),
  allocated_qty: Type.Integer(),
  reserve_quota: Type.Integer(),
  backordered_qty: Type.Integer(),
  available: Type.Integer(),
  reserve_remaining: Type.Integer(),
  overcommitted_by: Overcommitted,
});

const AllocationParams = Type.Object({
  id: PathId('The channel id.'),
  variant_code: PathText('The variant code.'),
});
const tags = ['allocations'];

export function registerAllocations(app: FastifyInstance, services: Services): void {
  registerList(app, services);
  registerPut(app, services);
}

const itemOf = (
  channel_id: number,
  variant_code: string,
  stock: Stock,
  allocation: Allocation,
): Static<typeof AllocationItem> => ({
  channel_id,
  variant_code,
  allocated_qty: allocation.allocated_qty,
  reserve_quota: allocation.reserve_quota,
  backordered_qty: allocation.backordered_qty,
  available: channelAvailable(stock, allocation),
  reserve_remaining: reserveRemaining(allocation),
  overcommitted_by: overcommittedBy(stock),
});

function registerList(app: FastifyInstance, services: Services): void {
  app.route<{ Params: Static<typeof ChannelParams>; Querystring: PageQuery }>({
    method: 'GET',
    url: '/channels/:id/allocations',
    schema: {
      summary: 'The allocations of a channel, by variant code',
      tags,
      security,
      params: ChannelParams,
      querystring: Type.Object(pageQuery),
      response: { 200: ListOf(AllocationItem), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async ({ params, query }) => {
      const id = channelIdOf(params);
      const limit = limitOf(query);
      const found = await reading(services.pool, async (tx) => {
        if (!(await findChannel(tx, id))) throw refusalOf({ kind: 'channel_unknown', channel_id: id });
        return listAllocations(tx, id, textAfter(query), limit + 1);
      });
      return page(
        found,
        limit,
        (row) => row.variant_code,
        (row) => itemOf(id, row.variant_code, row, row),
      );
    },
  });
}

function registerPut(app: FastifyInstance, services: Services): void {
  app.route<{ Params: Static<typeof AllocationParams>; Body: Static<typeof AllocationRequest> }>({
    method: 'PUT',
    url: '/channels/:id/allocations/:variant_code',
    config: { role: 'operator' },
    schema: {
      summary: 'Set the pre-allocation and backorder quota of a channel',
      description:
        'May exceed the free stock, for example before a delivery: overcommitted_by then shows by how much.',
      tags,
      security,
      params: AllocationParams,
      body: AllocationRequest,
      response: { 200: DataOf(AllocationItem), 404: RefusalBody, 409: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const channel_id = channelIdOf(request.params);
      const { variant_code } = request.params;
      const { allocated_qty, reserve_quota, ...seen } = request.body;
      const expected = {
        allocated_qty: seen.expected_allocated_qty ?? null,
        reserve_quota: seen.expected_reserve_quota ?? null,
      };
      const wanted = { channel_id, variant_code, allocated_qty, reserve_quota, expected };
      const { level } = await change(services, request, (tx, by) => setAllocation(tx, by, wanted));
      const share = level.channels.find((channel) => channel.channel_id === channel_id);
      if (!share) throw new RangeError('an allocation that was just written is not there');
      return { data: itemOf(channel_id, variant_code, level, share) };
    },
  });
}
