// Order reads for channels (contract 10.20): one order by its number, and the orders whose status has changed.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from '../../platform/schema/json-schema.ts';
import type { ChangedOrder, ChangedOrders, ChannelOrders } from './reads.ts';
import type { FormatTimestamp } from '../../platform/values/timestamps.ts';
import { refuseForm } from '../../platform/http/refuse.ts';
import { ErrorBody, ValidationBody } from '../../platform/schema/building-blocks.ts';
import type { ChannelApi } from '../../core/channel-api/channel-api.ts';
import { channelOf } from '../../core/channel-api/auth.ts';
import { answerTo, orderAnswer } from '../../core/channel-api/outcomes.ts';
import { ORDERS_ROUTE } from '../../core/channel-api/paths.ts';
import { CHANNEL_ANSWERS, CHANNEL_SECURITY } from '../../core/channel-api/common-answers.ts';
import { nameReason } from '../../core/channel-api/reasons.ts';
import { OrderAnswer, OrderParams } from '../../core/channel-api/schemas.ts';
import { OrderChangesAnswer, OrderChangesQuery } from './schemas.ts';
import { REVALIDATE_HEADERS } from '../../core/channel-api/stock-list.ts';
import { readOrWait } from '../../core/channel-api/wait.ts';

/** Orders per response if the client sets no limit. */
const CHANGES_DEFAULT = 500;

type OrderReads = ChannelApi & { readonly channelOrders: ChannelOrders };

export function registerOrderReads(scope: FastifyInstance, services: OrderReads): void {
  const { channelOrders, formatTimestamp } = services;

  scope.route<{ Params: Static<typeof OrderParams> }>({
    method: 'GET',
    url: `${ORDERS_ROUTE}/:orderNumber`,
    schema: {
      summary: 'An order of the channel, as it is now',
      description: 'Also for an order that an operator has moved or cancelled.',
      tags: ['orders'],
      security: CHANNEL_SECURITY,
      params: OrderParams,
      response: { 200: OrderAnswer, 404: ErrorBody, 422: ValidationBody, ...CHANNEL_ANSWERS },
    },
    handler: async (request, reply) => {
      const { orderNumber: order_number } = request.params;
      reply.header('cache-control', REVALIDATE_HEADERS['cache-control']);
      const order = await channelOrders.find(channelOf(request).id, order_number);
      if (order) return orderAnswer(order, formatTimestamp);
      const { status, body } = answerTo({ kind: 'order_unknown', order_number }, formatTimestamp);
      nameReason(reply, 'order_unknown').code(status);
      return body;
    },
  });

  scope.route<{ Querystring: OrderChangesQuery }>({
    method: 'GET',
    url: ORDERS_ROUTE,
    schema: {
      summary: 'Orders of the channel whose status has changed since a token, by whomever',
      description:
        'Begin with `now`, or with an empty token for everything from the first order on. Keep the token of each answer: no ' +
        'change between two answers is left out.',
      tags: ['orders'],
      security: CHANNEL_SECURITY,
      querystring: OrderChangesQuery,
      response: { 200: OrderChangesAnswer, 422: ValidationBody, ...CHANNEL_ANSWERS },
    },
    handler: async (request, reply) => {
      reply.header('cache-control', REVALIDATE_HEADERS['cache-control']);
      const found = await readChanges(services, request, reply);
      if (!found) return refuseForm(reply, [{ field: 'changes_since', fault: { kind: 'since_unknown' } }]);
      const { changes, next: changes_since, has_more } = found;
      return {
        changes: changes.map((change) => changeAnswer(change, formatTimestamp)),
        changes_since,
        has_more,
      };
    },
  });
}

/** null: the token is unknown. */
function readChanges(
  services: OrderReads,
  request: FastifyRequest<{ Querystring: OrderChangesQuery }>,
  reply: FastifyReply,
): Promise<ChangedOrders | null> {
  const { changes_since, limit = CHANGES_DEFAULT, wait = 0 } = request.query;
  const { id } = channelOf(request);
  let since = changes_since === '' ? undefined : changes_since;
  return readOrWait(services, request, reply, {
    kind: 'orders',
    seconds: wait,
    read: async (gone) => {
      const found = await services.channelOrders.changes(id, { since, limit }, gone);
      since = found?.next ?? since;
      return found;
    },
    // An answer reads a limited range, which may contain only orders of other channels.
    isEmpty: (found) => found?.changes.length === 0 && !found.has_more,
  });
}

const changeAnswer = ({ order, at }: ChangedOrder, format: FormatTimestamp) => ({
  id: order.id,
  order_number: order.order_number,
  status: order.status,
  tracking_number: order.tracking_number,
  courier_code: order.courier_code,
  courier_name: order.courier_name,
  cancel_reason: order.cancel_reason,
  changed_at: format(at),
});
