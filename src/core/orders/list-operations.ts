// The list of orders: search, filters, sorting, and the totals of a filter.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { SEARCH_CHARACTERS_MAX, SEARCH_CHARACTERS_MIN, searchedTexts } from './search-rules.ts';
import { INT32_MAX } from '../../platform/values/int32.ts';
import type { FormatTimestamp } from '../../platform/values/timestamps.ts';
import { STATUSES, type Status } from '../rules/transitions.ts';
import type { Tx } from '../../platform/database/database.ts';
import {
  listMatchingIds,
  listOrders,
  listSorted,
  ORDER_SORTS,
  readTotals,
  SORTED_ORDERS_MAX,
  TOTALS_ORDERS_MAX,
  type ListedOrder,
  type OrderFilter,
  type OrderPage,
  type OrderSort,
} from './list-store.ts';
import { searchIds, searchOrders, searchTotals, type Searched } from './search-store.ts';
import { searchSeenAt } from './search-index-store.ts';
import { reading } from '../../platform/database/transactions.ts';
import { nullable } from '../../platform/schema/building-blocks.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { operatorOf, type Operator } from '../../platform/accounts/auth.ts';
import { Amount, maskOrder, OrderListItem, presentOrder, seesPersonalData } from './fields.ts';
import { ListOf, numberAfter, pageQuery, readPage } from '../../platform/admin-api/page.ts';
import { Refusal } from '../../platform/admin-api/refusal.ts';
import { COMMON_ANSWERS, DataOf, security } from '../../platform/admin-api/schemas.ts';
import { TimeBound, readTimeBound } from '../../platform/admin-api/timestamp.ts';

/** Newest first: the database can return rows in this order without sorting. */
const NEWEST_FIRST: OrderSort = '-created_at';

export const filterQuery = {
  search: Type.Optional(
    Type.String({
      format: 'text',
      maxLength: SEARCH_CHARACTERS_MAX,
      description: `Part of an order number, recipient, phone number (digits; separators do not matter), tracking number, channel SKU or variant code, in any case. At least ${SEARCH_CHARACTERS_MIN} characters, or 2 if one is not ASCII. Viewers search order numbers and codes only.`,
      examples: ['010-1234'],
    }),
  ),
  channel_id: Type.Optional(Type.Integer({ minimum: 1, maximum: INT32_MAX })),
  status: Type.Optional(
    Type.Unsafe<string | string[]>({
      type: ['string', 'array'],
      items: { type: 'string' },
      maxItems: STATUSES.length,
      description: `Any of ${STATUSES.join(', ')}; several with commas, or repeated.`,
      examples: ['1,2'],
    }),
  ),
  order_number: Type.Optional(Type.String({ format: 'text', description: 'Exact match.' })),
  from: TimeBound(
    'Accepted at this time or later (included); a date counts from its start in the configured time zone.',
  ),
  to: TimeBound('Accepted before this time, which is not included; a date includes the whole day.'),
};
const FilterQuery = Type.Object(filterQuery);

const ListQuery = Type.Object({
  ...filterQuery,
  ...pageQuery,
  sort: Type.Optional(
    Type.String({
      description: `One of ${ORDER_SORTS.join(', ')}; \`-\` is descending; ${NEWEST_FIRST} by default. Other sorts are possible where at most ${SORTED_ORDERS_MAX} orders match. Viewers cannot sort by recipient.`,
      examples: ['-total_amount'],
    }),
  ),
});

const Totals = Type.Object({
  count: Type.Integer(),
  total_amount: Amount,
  is_complete: Type.Boolean({
    description: `False: there are more; at most ${TOTALS_ORDERS_MAX} are counted, and a search counts for a fraction of a second.`,
  }),
});

const tags = ['orders'];

export function registerOrderList(app: FastifyInstance, services: BackOffice): void {
  registerList(app, services);
  registerTotals(app, services);
}

function registerList(app: FastifyInstance, services: BackOffice): void {
  const { formatTimestamp } = services;

  app.route<{ Querystring: Static<typeof ListQuery> }>({
    method: 'GET',
    url: '/orders',
    schema: {
      summary: 'Orders of all channels, newest first; viewers see personal data masked',
      description:
        'With `search`, a page can be shorter than `limit` and still have a `next_cursor`: the search stops after a fraction of a second and goes on from there.',
      tags,
      security,
      querystring: ListQuery,
      response: {
        200: Type.Object({
          ...ListOf(OrderListItem).properties,
          indexed_until: Type.Optional(
            nullable<string>({
              type: 'string',
              description:
                'With `search`: orders and shipments up to this time can be found; null: the index is being built. A whole order number is always found.',
            }),
          ),
        }),
        ...COMMON_ANSWERS,
      },
    },
    handler: async (request) => {
      const { query } = request;
      const wanted = readFilter(query, operatorOf(request), formatTimestamp);
      const sort = readSort(query.sort, operatorOf(request));
      const beforeId = numberAfter(query);
      const show = seesPersonalData(operatorOf(request)) ? (row: ListedOrder) => row : maskOrder<ListedOrder>;
      const shown = await readPage(services.pool, query, {
        read: async (tx, limit) => {
          const { orders, resumeId } = await readList(tx, wanted, sort, { beforeId, limit });
          return { rows: orders, resume: resumeId };
        },
        key: (row) => row.id,
        present: (row) => presentOrder(show(row), formatTimestamp),
      });
      if (!('texts' in wanted)) return shown;
      const seenAt = await reading(services.pool, searchSeenAt);
      return { ...shown, indexed_until: seenAt && formatTimestamp(seenAt) };
    },
  });
}

function registerTotals(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Querystring: Static<typeof FilterQuery> }>({
    method: 'GET',
    url: '/orders/totals',
    schema: {
      summary: 'Number and amount of the orders that a filter matches',
      tags,
      security,
      querystring: FilterQuery,
      response: { 200: DataOf(Totals), ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const wanted = readFilter(request.query, operatorOf(request), services.formatTimestamp);
      const data = await reading(services.pool, (tx) =>
        'texts' in wanted ? searchTotals(tx, wanted) : readTotals(tx, wanted.filter),
      );
      return { data };
    },
  });
}

export type Wanted = Searched | { filter: OrderFilter };

async function readList(
  tx: Tx,
  wanted: Wanted,
  sort: OrderSort,
  from: OrderPage,
): Promise<{ orders: ListedOrder[]; resumeId: number | null }> {
  if (sort !== NEWEST_FIRST) {
    const ids = 'texts' in wanted ? await searchIds(tx, wanted) : await listMatchingIds(tx, wanted.filter);
    if (ids === null || ids.length > SORTED_ORDERS_MAX)
      throw Refusal.invalid('sort', { kind: 'too_many_to_sort', orders_max: SORTED_ORDERS_MAX });
    return { orders: await listSorted(tx, ids, sort, from), resumeId: null };
  }
  return readNewest(tx, wanted, from);
}

/** `resumeId`: a search stopped above this id. */
export async function readNewest(
  tx: Tx,
  wanted: Wanted,
  from: OrderPage,
): Promise<{ orders: ListedOrder[]; resumeId: number | null }> {
  if ('texts' in wanted) return searchOrders(tx, wanted, from);
  return { orders: await listOrders(tx, { ...wanted.filter, ...from }), resumeId: null };
}

export function readFilter(
  query: Static<typeof FilterQuery>,
  operator: Operator,
  format: FormatTimestamp,
): Wanted {
  const filter = {
    channel_id: query.channel_id ?? null,
    statuses: readStatuses(query.status),
    order_number: query.order_number ?? null,
    from: readTimeBound('from', query.from, format, 0),
    to: readTimeBound('to', query.to, format, 1),
  };
  if (query.search === undefined) return { filter };
  const texts = searchedTexts(query.search);
  if (!texts) throw Refusal.invalid('search', { kind: 'too_short', characters_min: SEARCH_CHARACTERS_MIN });
  return { filter, texts, isPersonal: seesPersonalData(operator) };
}

function readSort(given: string | undefined, operator: Operator): OrderSort {
  const allowed = seesPersonalData(operator)
    ? ORDER_SORTS
    : ORDER_SORTS.filter((sort) => !sort.endsWith('recipient_name'));
  const found = allowed.find((sort) => sort === (given ?? NEWEST_FIRST));
  if (found === undefined) throw Refusal.invalid('sort', { kind: 'not_listed', allowed });
  return found;
}

function readStatuses(given: string | string[] | undefined): Status[] | null {
  if (given === undefined) return null;
  return [given]
    .flat()
    .flatMap((list) => list.split(','))
    .map((text) => {
      const status = STATUSES.find((each) => String(each) === text);
      if (status === undefined) throw Refusal.invalid('status', { kind: 'not_listed', allowed: STATUSES });
      return status;
    });
}
