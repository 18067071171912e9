// The order feed: every accepted order and every change of status, for systems that poll.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from 'typebox';
import { STATUSES } from '../../domain/transitions.ts';
import {
  FEED_START,
  parsePosition,
  positionText,
  readFeed,
  readFeedMoment,
  readFeedOrders,
  type FeedMoment,
  type FeedOrder,
  type FeedPosition,
  type FeedStep,
} from '../../store/order-feed.ts';
import { inTransaction, writeAhead } from '../../store/transactions.ts';
import { IntegerOf } from '../schema.ts';
import type { Services } from '../services.ts';
import { operatorOf } from './auth.ts';
import {
  linkOf,
  maskContact,
  orderFields,
  orderLineFields,
  seesPersonalData,
  timesOf,
} from './order-fields.ts';
import { limitOf, pageQuery } from './page.ts';
import { Refusal } from './refusal.ts';
import { COMMON_ANSWERS, security, Timestamp } from './schemas.ts';

const NOW = 'now';
const TOKEN_CHARACTERS_MAX = 8_000;

const ChangesQuery = Type.Object({
  since: Type.Optional(
    Type.String({
      maxLength: TOKEN_CHARACTERS_MAX,
      description: `The \`next\` of the answer before; without it, from the first order on; \`${NOW}\`: only what comes after this request. A token does not expire.`,
    }),
  ),
  limit: pageQuery.limit,
});

const Changes = Type.Object({
  data: Type.Array(
    Type.Object({
      ...orderFields,
      status: IntegerOf(STATUSES),
      previous_status: Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        description: 'null: the order was accepted.',
      }),
      changed_at: Timestamp,
      source: Type.String({ examples: ['channel', 'back_office'] }),
      recipient_phone: Type.String(),
      shipping_address: Type.String(),
      items: Type.Array(Type.Object(orderLineFields)),
    }),
    { description: 'For each order in the sequence of its changes. All fields but `status` are as of now.' },
  ),
  next: Type.String({ description: 'For `since` of the next request.' }),
  has_more: Type.Boolean({ description: 'True: ask again at once.' }),
});

export function registerOrderChanges(app: FastifyInstance, services: Services): void {
  app.route<{ Querystring: Static<typeof ChangesQuery> }>({
    method: 'GET',
    url: '/orders/changes',
    schema: {
      summary: 'Every accepted order and every change of status since a token',
      description:
        'Gap-free, and in order for each order, however late a change was committed and by whichever process. Viewers see personal data masked.',
      tags: ['orders'],
      security,
      querystring: ChangesQuery,
      response: { 200: Changes, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const { query } = request;
      return inTransaction(services.pool, async (tx) => {
        const moment = await readFeedMoment(tx);
        if (query.since === NOW) {
          await writeAhead(tx);
          const start = { old: null, seen: moment.now, window: null };
          return { data: [], next: tokenOf(moment, start), has_more: false };
        }
        const page = await readFeed(tx, positionOf(query.since, moment), moment.now, limitOf(query));
        const orders = await readFeedOrders(
          tx,
          page.steps.map(({ order_id }) => order_id),
        );
        const shown = seesPersonalData(operatorOf(request)) ? orders : orders.map(maskContact);
        const byId = new Map(shown.map((order) => [order.id, order]));
        return {
          data: page.steps.map((step) => present(step, byId.get(step.order_id), services)),
          next: tokenOf(moment, page.position),
          has_more: page.has_more,
        };
      });
    },
  });
}

function present(step: FeedStep, order: FeedOrder | undefined, { formatTimestamp }: Services) {
  if (!order) throw new RangeError(`order ${step.order_id} has a history and no row`);
  return {
    ...order,
    ...timesOf(order, formatTimestamp),
    tracking_link: linkOf(order),
    status: step.to,
    previous_status: step.from,
    changed_at: formatTimestamp(step.at),
    source: step.source,
  };
}

const tokenOf = ({ place }: FeedMoment, position: FeedPosition): string =>
  Buffer.from(`${place}/${positionText(position)}`).toString('base64url');

function positionOf(since: string | undefined, { place, now }: FeedMoment): FeedPosition {
  if (since === undefined) return FEED_START;
  const text = Buffer.from(since, 'base64url').toString('latin1');
  const position = text.startsWith(`${place}/`) ? parsePosition(text.slice(place.length + 1)) : null;
  // Of a database that was set back to an older state.
  if (!position || (position.window?.until ?? position.seen).end > now.end)
    throw Refusal.invalid('since', { kind: 'since_unknown' });
  return position;
}
