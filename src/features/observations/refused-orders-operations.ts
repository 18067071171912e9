// Refused orders as a worklist, each with the reason why it would be refused now.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { dismissRefusedOrder } from './changes.ts';
import type { Outcome } from '../../core/rules/commands.ts';
import type { FormatTimestamp } from '../../platform/values/timestamps.ts';
import { wouldFit, type Fit } from './would-fit.ts';
import { findMappings } from '../../core/mappings/store.ts';
import { listRefusedOrders, type RefusedOrder } from './refused-orders-store.ts';
import type { Tx } from '../../platform/database/database.ts';
import { goodsOf } from './observe.ts';
import { nullable } from '../../platform/schema/building-blocks.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { timeAfter, timeKey } from '../../platform/admin-api/time-cursor.ts';
import { ListOf, pageQuery, readPage } from '../../platform/admin-api/page.ts';
import {
  COMMON_ANSWERS,
  int64Id,
  PathId,
  RefusalBody,
  SearchQuery,
  security,
  Timestamp,
} from '../../platform/admin-api/schemas.ts';
import { ChannelIdQuery } from '../../core/channels/existing.ts';
import { TimeBound, readTimeBound } from '../../platform/admin-api/timestamp.ts';
import { change } from '../../platform/accounts/change.ts';

const refusedOrderIdOf = ({ id }: { id: string }): number =>
  int64Id(id, { kind: 'refused_order_unknown', refused_order_id: id });

const REASONS = [
  'sku_unmapped',
  'stock_missing',
  'stock_insufficient',
  'quota_insufficient',
  'limit_exceeded',
  'order_number_taken',
  'channel_inactive',
  'invalid',
] as const satisfies (Outcome['kind'] | 'invalid')[];
const ReasonName = Type.String({
  description: `${REASONS.slice(0, -1).join(', ')}, or invalid: not of the required form.`,
  examples: ['stock_insufficient'],
});
const MaybeText = (description: string) => nullable<string>({ type: 'string', description });
const MaybeInteger = (description: string) => nullable<number>({ type: 'integer', description });

const goods = {
  reason: ReasonName,
  sku: MaybeText('The channel SKU at fault.'),
  requested: MaybeInteger('How much of it was ordered.'),
  available: MaybeInteger(
    'How much there was: available, of a backorder the rest of the quota, or what a limit of the channel left.',
  ),
};
const Blocked = Type.Object({
  ...goods,
  variant_code: MaybeText('The item that the SKU is mapped to now.'),
});
const RefusedItem = Type.Object(
  {
    id: Type.Integer(),
    order_number: Type.String(),
    channel_id: Type.Integer(),
    channel_name: Type.String(),
    ...goods,
    field: MaybeText('Of `invalid`: the first field at fault.'),
    is_backorder: Type.Boolean(),
    line_count: MaybeInteger('Lines of the order; null: not known.'),
    request_id: Type.String({ description: 'The X-Request-Id of the last refusal.' }),
    count: Type.Integer({ description: 'How often the order was refused.' }),
    first_at: Timestamp,
    at: Timestamp,
    order_id: MaybeInteger('The order, if it was sent again and accepted; otherwise null.'),
    fits_now: nullable<boolean>({
      type: 'boolean',
      description:
        'Would the same order be accepted now, by the rules of intake? null: it was accepted, or its lines are not known.',
    }),
    blocked_by: Type.Unsafe<Static<typeof Blocked> | null>({
      ...Blocked,
      type: ['object', 'null'],
      description: 'What would refuse it now; null where fits_now is not false.',
    }),
  },
  { title: 'RefusedOrder' },
);

const RefusalQuery = Type.Object({
  ...pageQuery,
  channel_id: ChannelIdQuery,
  reason: Type.Optional(Type.Unsafe<(typeof REASONS)[number]>({ type: 'string', enum: [...REASONS] })),
  search: SearchQuery,
  accepted: Type.Optional(
    Type.Boolean({ description: 'false: only orders that were not accepted since; true: only the others.' }),
  ),
  from: TimeBound('Refused at this time or later; a date counts from its start in the configured time zone.'),
  to: TimeBound('Refused before this time; a date includes the whole day.'),
});
const RefusalParams = Type.Object({ id: PathId('The id of the entry.') });
const tags = ['orders'];

export function registerRefusals(app: FastifyInstance, services: BackOffice): void {
  registerList(app, services);
  registerDismiss(app, services);
}

function registerList(app: FastifyInstance, services: BackOffice): void {
  const { formatTimestamp: format } = services;

  app.route<{ Querystring: Static<typeof RefusalQuery> }>({
    method: 'GET',
    url: '/refusals',
    schema: {
      summary: 'Refused orders, last refused first',
      description:
        'Up to date within a few seconds. The last 2,000 order numbers of each channel are kept, for 30 days; a number that is refused again is listed once, with its count.',
      tags,
      security,
      querystring: RefusalQuery,
      response: { 200: ListOf(RefusedItem), ...COMMON_ANSWERS },
    },
    handler: async ({ query }) => {
      const filter = {
        channel_id: query.channel_id ?? null,
        reason: query.reason ?? null,
        search: query.search ?? null,
        accepted: query.accepted ?? null,
        from: readTimeBound('from', query.from, format, 0),
        to: readTimeBound('to', query.to, format, 1),
        after: timeAfter(query),
      };
      return readPage(services.pool, query, {
        read: async (tx, limit) => judged(tx, await listRefusedOrders(tx, { ...filter, limit })),
        key: ({ order }) => timeKey(order.last_at, order.id),
        present: (row) => present(row, format),
      });
    },
  });
}

interface Judged {
  order: RefusedOrder;
  fit: Fit;
  variant_code: string | null;
}

async function judged(tx: Tx, orders: readonly RefusedOrder[]): Promise<Judged[]> {
  const fits = await wouldFit(tx, orders);
  const codes = new Map<string, string>();
  const skus = Map.groupBy(
    orders.flatMap(({ channel_id }, at) => {
      const fit = fits[at];
      const sku = fit?.kind === 'blocked' ? goodsOf(fit.by).sku : null;
      return sku === null ? [] : [{ channel_id, sku }];
    }),
    ({ channel_id }) => channel_id,
  );
  for (const [channelId, list] of skus) {
    const mapped = await findMappings(tx, channelId, [...new Set(list.map(({ sku }) => sku))]);
    for (const { sku, variant_code } of mapped) codes.set(`${channelId}:${sku}`, variant_code);
  }
  return orders.map((order, at) => {
    const fit: Fit = fits[at] ?? { kind: 'unknown' };
    const sku = fit.kind === 'blocked' ? goodsOf(fit.by).sku : null;
    return { order, fit, variant_code: codes.get(`${order.channel_id}:${sku}`) ?? null };
  });
}

function present({ order, fit, variant_code }: Judged, format: FormatTimestamp): Static<typeof RefusedItem> {
  const { lines, first_at, last_at, ...row } = order;
  return {
    ...row,
    line_count: lines && lines.length,
    first_at: format(first_at),
    at: format(last_at),
    fits_now: fit.kind === 'fits' ? true : fit.kind === 'blocked' ? false : null,
    blocked_by: fit.kind === 'blocked' ? { reason: fit.by.kind, ...goodsOf(fit.by), variant_code } : null,
  };
}

function registerDismiss(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Params: Static<typeof RefusalParams> }>({
    method: 'DELETE',
    url: '/refusals/:id',
    config: { role: 'operator' },
    schema: {
      summary: 'Remove a refused order from the list until it is refused again',
      tags,
      security,
      params: RefusalParams,
      response: { 204: Type.Null(), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const id = refusedOrderIdOf(request.params);
      await change(services, request, (tx, by) => dismissRefusedOrder(tx, by, { id }));
      return reply.code(204).send();
    },
  });
}
