// The four operations of the channel API (contract 4.0.3). Features add theirs, and parts of the stock list.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from '../../platform/schema/json-schema.ts';
import { UNSIGNED } from '../rules/credentials.ts';
import { readBodies } from '../../platform/http/body-reader.ts';
import { BodyError } from '../../platform/schema/json-body.ts';
import { ErrorBody, ValidationBody } from '../../platform/schema/building-blocks.ts';
import type { ChannelApi } from './channel-api.ts';
import { fieldErrorsOf } from '../../platform/schema/validation.ts';
import { allowLargeBodies, SMALL_BODY_BYTES_MAX } from '../../platform/http/options.ts';
import { refuseForm } from '../../platform/http/refuse.ts';
import { authenticate, authenticateBody, channelOf } from './auth.ts';
import { CHANNEL_ANSWERS, CHANNEL_SECURITY } from './common-answers.ts';
import { announceDeprecations } from './deprecation.ts';
import { prefixFault, takeOrder, takeReport } from './orders.ts';
import type { OrderResponse } from './outcomes.ts';
import { CHANNEL_API_PATH, ORDERS_ROUTE } from './paths.ts';
import { nameReason } from './reasons.ts';
import { REVALIDATE_HEADERS, sendStockList } from './stock-list.ts';
import {
  Conflict,
  InventoryList,
  InventoryLookup,
  OrderAnswer,
  OrderParams,
  OrderRequest,
  SkuParams,
  StatusRequest,
} from './schemas.ts';

/** `addMore`: adds operations of features. */
export function registerChannelApi(
  app: FastifyInstance,
  services: ChannelApi,
  addMore: (scope: FastifyInstance) => void,
): void {
  app.decorateRequest('channel', null);
  app.decorateRequest('signature', null);
  app.decorateRequest('arrived_s', 0);
  app.decorateRequest('secret_id', UNSIGNED);

  app.register(async (scope) => {
    announceDeprecations(scope);
    allowLargeBodies(scope);
    readBodies(scope, (request, body) => judgeBody(services, request, body));
    authenticateAll(scope, services);
    registerStockList(scope, services);
    registerLookup(scope, services);
    registerIntake(scope, services);
    registerReport(scope, services);
    addMore(scope);
  });
}

/**
 * Parsing, validating and processing a large body takes milliseconds of the event loop: one begins in each turn of the
 * event loop, and channels take turns.
 */
function judgeBody(services: ChannelApi, request: FastifyRequest, body: Buffer): void | Promise<void> {
  if (body.length <= SMALL_BODY_BYTES_MAX) return authenticateBody(services, request, body);
  const turn = services.turns.large_bodies.run(request.channel?.id ?? null, () => nextTurn());
  return turn.then(() => authenticateBody(services, request, body));
}

function authenticateAll(app: FastifyInstance, services: ChannelApi): void {
  app.addHook<{ Params: { sku?: string; orderNumber?: string } }>('onRequest', (request, reply, done) => {
    // The router maps `/inventory/`, `/orders/` and `/orders//status` to these routes with an empty parameter.
    const { sku, orderNumber } = request.params;
    if (sku === '' || orderNumber === '') return reply.callNotFound();
    return authenticate(services, request, reply, done);
  });
}

function registerStockList(app: FastifyInstance, services: ChannelApi): void {
  const parts = services.hooks.listParts.value;
  app.route<{ Querystring: never }>({
    method: 'GET',
    url: '/inventory',
    schema: {
      summary: 'Stock of all products mapped to the channel',
      description: 'The whole list, ordered by SKU, with an `ETag`.',
      ...parts?.schema,
      tags: ['inventory'],
      security: CHANNEL_SECURITY,
      response: {
        200: parts?.answer ?? InventoryList,
        304: { type: 'null', description: 'Nothing changed since the answer with that ETag.' },
        422: ValidationBody,
        ...CHANNEL_ANSWERS,
      },
    },
    handler: async (request, reply) =>
      parts?.send(request, reply) ??
      sendStockList(services, request, reply, await services.inventory.list(channelOf(request).id)),
  });
}

function registerLookup(app: FastifyInstance, services: ChannelApi): void {
  app.route<{ Params: Static<typeof SkuParams> }>({
    method: 'GET',
    url: '/inventory/:sku',
    schema: {
      summary: 'Stock of a single channel SKU',
      description: 'For the cart and the checkout. Always fresh; the answer to the order decides.',
      tags: ['inventory'],
      security: CHANNEL_SECURITY,
      params: SkuParams,
      response: { 200: InventoryLookup, 404: ErrorBody, 422: ValidationBody, ...CHANNEL_ANSWERS },
    },
    handler: async (request, reply) => {
      const { sku } = request.params;
      const { id } = channelOf(request);
      const found = await services.inventory.find(id, sku);
      reply.header('cache-control', REVALIDATE_HEADERS['cache-control']);
      if (found) return { sku, ...found };
      services.hooks.skuUnmapped.call(id, sku);
      const body = { error: `SKU ${sku} is not mapped to this channel.` };
      return respond(reply, { status: 404, reason: 'sku_unmapped', body });
    },
  });
}

function registerIntake(app: FastifyInstance, services: ChannelApi): void {
  app.route<{ Body: OrderRequest }>({
    method: 'POST',
    url: ORDERS_ROUTE,
    schema: {
      summary: 'Submit an order; sending it again is safe',
      description:
        '201: taken now. 200: an order with this number was taken before, and is answered as it is; the body is not compared. ' +
        'Stock is held from here on, for an unpaid order too.',
      tags: ['orders'],
      security: CHANNEL_SECURITY,
      body: OrderRequest,
      response: {
        200: OrderAnswer,
        201: OrderAnswer,
        422: { anyOf: [ValidationBody, ErrorBody] },
        ...CHANNEL_ANSWERS,
      },
    },
    onError: (request, _reply, error, done) => {
      const isInvalid = 'validation' in error || error instanceof BodyError;
      if (isInvalid) {
        const { id: request_id, body } = request;
        const [first] = fieldErrorsOf(error.validation ?? []);
        const sent = { channel_id: channelOf(request).id, request_id, body, field: first?.field ?? 'body' };
        services.hooks.orderInvalid.call(sent);
      }
      done();
    },
    handler: async (request, reply) => {
      const channel = channelOf(request);
      const { id: request_id, secret_id, body, span } = request;
      const order = { channel, secret_id, request_id, body, span };
      return respond(reply, prefixFault(services, order) ?? (await takeOrder(services, order)));
    },
  });
}

function registerReport(app: FastifyInstance, services: ChannelApi): void {
  app.route<{ Params: Static<typeof OrderParams>; Body: StatusRequest }>({
    method: 'POST',
    url: `${ORDERS_ROUTE}/:orderNumber/status`,
    schema: {
      summary: 'Report what became of an order',
      description:
        'Report the status that was reached; steps in between are added. A report of the status that the order has already ' +
        'gets 200 and changes nothing.',
      tags: ['orders'],
      security: CHANNEL_SECURITY,
      params: OrderParams,
      body: StatusRequest,
      response: { 200: OrderAnswer, 404: ErrorBody, 409: Conflict, 422: ValidationBody, ...CHANNEL_ANSWERS },
    },
    handler: async (request, reply) => {
      const answer = await takeReport(services, {
        channel: channelOf(request),
        secret_id: request.secret_id,
        order_number: request.params.orderNumber,
        request_id: request.id,
        body: request.body,
        span: request.span,
      });
      return respond(reply, answer);
    },
  });
}

/**
 * The return value of a handler. It is not the reply: the reply is a thenable, and awaiting it costs more than sending
 * the response.
 */
function respond(
  reply: FastifyReply,
  { status, body, reason }: Omit<OrderResponse, 'body'> & { body: object },
): object {
  reply.code(status);
  if (reason) nameReason(reply, reason);
  return body;
}

/** A path that is not valid UTF-8 matches no route, but the key is checked first (contract 7.1b). */
export function rejectBadPath(services: ChannelApi, request: FastifyRequest, reply: FastifyReply): void {
  const reject = (error?: Error): void => {
    void (error
      ? reply.send(error)
      : refuseForm(reply, [{ field: 'path', fault: { kind: 'path_encoding' } }]));
  };
  if (request.raw.url?.startsWith(`${CHANNEL_API_PATH}/`)) authenticate(services, request, reply, reject);
  else reject();
}
