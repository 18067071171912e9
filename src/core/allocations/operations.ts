// Pre-allocations and backorder quotas of a channel.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { ALLOCATION_CHANGES_MAX, setAllocation, setAllocations, transferAllocation } from './changes.ts';
import { CODE_CHARACTERS_MAX } from '../../platform/values/text-limits.ts';
import { INT32_MAX } from '../../platform/values/int32.ts';
import {
  channelAvailable,
  overcommittedBy,
  reserveRemaining,
  type Allocation,
  type Stock,
} from '../rules/stock.ts';
import type { StockLevel } from '../stock/store.ts';
import { listAllocations } from './store.ts';
import { OptionalBoolean, OptionalInteger, Quantity, Text } from '../../platform/schema/building-blocks.ts';
import type { Actor } from '../../platform/audit/change.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { channelIdOf, ChannelParams, existingChannel } from '../channels/existing.ts';
import { ListOf, pageQuery, readPage, textAfter, type PageQuery } from '../../platform/admin-api/page.ts';
import { Refusal } from '../../platform/admin-api/refusal.ts';
import { Overcommitted } from '../stock/item.ts';
import {
  COMMON_ANSWERS,
  DataOf,
  PathId,
  PathText,
  RefusalBody,
  security,
} from '../../platform/admin-api/schemas.ts';
import { change } from '../../platform/accounts/change.ts';

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
const ChannelId = Type.Integer({ minimum: 1, maximum: INT32_MAX });
const ManyRequest = Type.Object({
  changes: Type.Array(
    Type.Object({
      channel_id: ChannelId,
      variant_code: Text(CODE_CHARACTERS_MAX),
      allocated_qty: Quantity(0),
      reserve_quota: Quantity(0),
      expected_allocated_qty: Expected,
      expected_reserve_quota: Expected,
    }),
    { minItems: 1, maxItems: ALLOCATION_CHANGES_MAX },
  ),
  dry_run: OptionalBoolean({ description: 'Answers what the result would be, and changes nothing.' }),
});
const TransferRequest = Type.Object({
  variant_code: Text(CODE_CHARACTERS_MAX),
  from_channel_id: ChannelId,
  to_channel_id: ChannelId,
  quantity: Quantity(1),
});
export const AllocationItem = Type.Object(
  {
    channel_id: Type.Integer(),
    variant_code: Type.String(),
    allocated_qty: Type.Integer(),
    reserve_quota: Type.Integer(),
    backordered_qty: Type.Integer(),
    available: Type.Integer(),
    reserve_remaining: Type.Integer(),
    overcommitted_by: Overcommitted,
  },
  { title: 'Allocation' },
);

const AllocationParams = Type.Object({
  id: PathId('The channel id.'),
  variant_code: PathText('The variant code.'),
});
const tags = ['allocations'];

export function registerAllocations(app: FastifyInstance, services: BackOffice): void {
  registerList(app, services);
  registerPut(app, services);
  registerPutMany(app, services);
  registerTransfer(app, services);
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

function registerList(app: FastifyInstance, services: BackOffice): void {
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
      return readPage(services.pool, query, {
        read: async (tx, limit) => {
          await existingChannel(tx, id);
          return listAllocations(tx, id, textAfter(query), limit);
        },
        key: (row) => row.variant_code,
        present: (row) => itemOf(id, row.variant_code, row, row),
      });
    },
  });
}

function registerPut(app: FastifyInstance, services: BackOffice): void {
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
      const wanted = wantedOf({ channel_id, variant_code, ...request.body });
      const { level } = await change(services, request, (tx, by) => setAllocation(tx, by, wanted));
      return { data: itemIn(level, channel_id) };
    },
  });
}

type WantedChange = Static<typeof ManyRequest>['changes'][number];

const wantedOf = ({ expected_allocated_qty, expected_reserve_quota, ...wanted }: WantedChange) => ({
  ...wanted,
  expected: {
    allocated_qty: expected_allocated_qty ?? null,
    reserve_quota: expected_reserve_quota ?? null,
  },
});

export function itemIn(level: StockLevel, channelId: number): Static<typeof AllocationItem> {
  const share = level.channels.find((channel) => channel.channel_id === channelId);
  if (!share) throw new RangeError('an allocation that was just written is not there');
  return itemOf(channelId, level.variant_code, level, share);
}

function registerPutMany(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Body: Static<typeof ManyRequest> }>({
    method: 'PUT',
    url: '/allocations',
    config: { role: 'operator' },
    schema: {
      summary: 'Set many allocations at once: all of them or none',
      description:
        'The answer has one element for each change, in their order, as all changes together leave it. 422 names every change that cannot be made, by its position.',
      tags,
      security,
      body: ManyRequest,
      response: { 200: DataOf(Type.Array(AllocationItem)), ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const { changes, dry_run } = request.body;
      const work = (tx: Tx, by: Actor) => setAllocations(tx, by, changes.map(wantedOf));
      const { levels } = await change(services, request, work, { dry_run: dry_run ?? false });
      return {
        data: changes.map(({ channel_id, variant_code }) =>
          itemIn(levelIn(levels, variant_code), channel_id),
        ),
      };
    },
  });
}

function levelIn(levels: ReadonlyMap<string, StockLevel>, variantCode: string): StockLevel {
  const level = levels.get(variantCode);
  if (!level) throw new RangeError(`a change of ${variantCode} has no result`);
  return level;
}

function registerTransfer(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Body: Static<typeof TransferRequest> }>({
    method: 'POST',
    url: '/allocations/transfers',
    config: { role: 'operator' },
    schema: {
      summary: 'Move a part of a pre-allocation from one channel to another',
      description: 'The answer has both allocations: of the channel that gives, then of the one that takes.',
      tags,
      security,
      body: TransferRequest,
      response: {
        200: DataOf(Type.Array(AllocationItem)),
        404: RefusalBody,
        409: RefusalBody,
        ...COMMON_ANSWERS,
      },
    },
    handler: async (request) => {
      const { from_channel_id, to_channel_id } = request.body;
      if (from_channel_id === to_channel_id) throw Refusal.invalid('to_channel_id', { kind: 'same_channel' });
      const { level } = await change(services, request, (tx, by) => transferAllocation(tx, by, request.body));
      return { data: [from_channel_id, to_channel_id].map((id) => itemIn(level, id)) };
    },
  });
}
