// Backorders as a worklist: by order, and by item and channel.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { STATUSES } from '../../core/rules/transitions.ts';
import { BACKORDERS_MAX, readBackorders, type BackorderItem, type OpenBackorder } from './worklist.ts';
import { IntegerOf } from '../../platform/schema/building-blocks.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { ListOf, numberAfter, pageQuery, readPage } from '../../platform/admin-api/page.ts';
import { COMMON_ANSWERS, SearchQuery, security, Timestamp } from '../../platform/admin-api/schemas.ts';
import { ChannelIdQuery } from '../../core/channels/existing.ts';

const item = {
  variant_code: Type.String(),
  product_name: Type.String(),
};
const channel = { channel_id: Type.Integer(), channel_name: Type.String() };
const Free = Type.Integer({ description: 'Physical stock that unshipped normal orders leave.' });
const CanShip = Type.Boolean({
  description:
    'Paid, and everything it needs is there when it is its turn: the oldest order takes first, one that is short of something takes nothing.',
});

const Backorder = Type.Object(
  {
    id: Type.Integer({ description: 'The order id.' }),
    order_number: Type.String(),
    ...channel,
    status: IntegerOf(STATUSES),
    created_at: Timestamp,
    can_ship: CanShip,
    items: Type.Array(
      Type.Object({
        ...item,
        skus: Type.Array(Type.String()),
        quantity: Type.Integer({ description: 'Ordered and not cancelled.' }),
        missing: Type.Integer({ description: "Missing when it is this order's turn; 0: enough." }),
        free: Free,
      }),
    ),
  },
  { title: 'Backorder' },
);
const WaitingItem = Type.Object({
  ...item,
  ...channel,
  order_count: Type.Integer(),
  quantity: Type.Integer({ description: 'On backorder.' }),
  can_ship_quantity: Type.Integer({ description: 'Of it, in orders that can ship now.' }),
  free: Free,
  oldest_at: Timestamp,
});
const BackorderQuery = Type.Object({
  ...pageQuery,
  channel_id: ChannelIdQuery,
  search: SearchQuery,
  can_ship: Type.Optional(Type.Boolean()),
});
const ItemQuery = Type.Object({ ...pageQuery, channel_id: ChannelIdQuery, search: SearchQuery });
const tags = ['orders'];
const EXTENT = `Of the ${BACKORDERS_MAX.toLocaleString('en')} oldest open backorders.`;

export function registerBackorders(app: FastifyInstance, services: BackOffice): void {
  registerOrders(app, services);
  registerItems(app, services);
}

function registerOrders(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Querystring: Static<typeof BackorderQuery> }>({
    method: 'GET',
    url: '/backorders',
    schema: {
      summary: 'Open backorders, oldest first, with what could ship now',
      description: EXTENT,
      tags,
      security,
      querystring: BackorderQuery,
      response: { 200: ListOf(Backorder), ...COMMON_ANSWERS },
    },
    handler: async ({ query }) => {
      const { channel_id, can_ship } = query;
      const after = numberAfter(query) ?? 0;
      const isWanted = (order: OpenBackorder): boolean =>
        order.id > after &&
        (channel_id === undefined || order.channel_id === channel_id) &&
        (can_ship === undefined || order.can_ship === can_ship) &&
        isFound(query.search, order.order_number, order.items);
      return readPage(services.pool, query, {
        read: async (tx) => (await readBackorders(tx)).filter(isWanted),
        key: ({ id }) => id,
        present: (order) => ({ ...order, created_at: services.formatTimestamp(order.created_at) }),
      });
    },
  });
}

function registerItems(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Querystring: Static<typeof ItemQuery> }>({
    method: 'GET',
    url: '/backorders/items',
    schema: {
      summary: 'What is on backorder, by item and channel, longest waiting first',
      description: EXTENT,
      tags,
      security,
      querystring: ItemQuery,
      response: { 200: ListOf(WaitingItem), ...COMMON_ANSWERS },
    },
    handler: async ({ query }) => {
      const { channel_id, search } = query;
      const first = numberAfter(query) ?? 0;
      return readPage(services.pool, query, {
        read: async (tx) =>
          byItem(await readBackorders(tx))
            .filter(
              (row) =>
                (channel_id === undefined || row.channel_id === channel_id) && isFound(search, '', [row]),
            )
            .map((row, at) => ({ row, at: at + 1 }))
            .slice(first),
        key: ({ at }) => at,
        present: ({ row }) => ({ ...row, oldest_at: services.formatTimestamp(row.oldest_at) }),
      });
    },
  });
}

type Searched = Pick<BackorderItem, 'variant_code' | 'product_name' | 'skus'>;

function isFound(search: string | undefined, number: string, items: readonly Searched[]): boolean {
  if (search === undefined) return true;
  const part = search.toLowerCase();
  const texts = items.flatMap(({ variant_code, product_name, skus }) => [
    variant_code,
    product_name,
    ...skus,
  ]);
  return [number, ...texts].some((text) => text.toLowerCase().includes(part));
}

/** Sorted by the oldest backorder of each group. */
function byItem(orders: readonly OpenBackorder[]) {
  const all = orders.flatMap(({ items, ...order }) => items.map((one) => ({ order, one })));
  const groups = Map.groupBy(all, ({ order, one }) => `${one.variant_id}:${order.channel_id}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { variant_code, product_name, free } = first.one;
    const { channel_id, channel_name, created_at } = first.order;
    const sum = (wanted: typeof group) => wanted.reduce((total, { one }) => total + one.quantity, 0);
    return [
      {
        variant_code,
        product_name,
        channel_id,
        channel_name,
        skus: [...new Set(group.flatMap(({ one }) => one.skus))],
        order_count: group.length,
        quantity: sum(group),
        can_ship_quantity: sum(group.filter(({ order }) => order.can_ship)),
        free,
        oldest_at: created_at,
      },
    ];
  });
}
