// Orders in the back office: reads, and the same status reports that channels send.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from 'typebox';
import { NOTE_CHARACTERS_MAX, REASON_CHARACTERS_MAX } from '../../backoffice/limits.ts';
import { addNote, returnGoods } from '../../backoffice/orders.ts';
import { STATUSES, type Status } from '../../domain/transitions.ts';
import type { FormatTimestamp } from '../../domain/timestamps.ts';
import { trackingLink } from '../../domain/tracking-link.ts';
import { INT32_MAX } from '../../domain/stock.ts';
import { reading } from '../../store/transactions.ts';
import { findOrder, listOrders, type ListedOrder, type StoredOrder } from '../../store/orders.ts';
import { answerTo } from '../channel/outcomes.ts';
import { Conflict, ORDER_LINES_MAX, OrderAnswer, StatusRequest } from '../channel/schemas.ts';
import { IntegerOf, nullable, Quantity, Text } from '../schema.ts';
import type { Services } from '../services.ts';
import { limitOf, ListOf, numberAfter, page, pageQuery } from './page.ts';
import { Refusal, refusalOf } from './refusal.ts';
import { factsOf, reporting } from './reporting.ts';
import {
  COMMON_ANSWERS,
  DataOf,
  facts,
  int64Id,
  PathId,
  RefusalBody,
  security,
  Timestamp,
} from './schemas.ts';
import { Moment, readMoment } from './timestamp.ts';
import { change } from './writing.ts';

const OrderQuery = Type.Object({
  ...pageQuery,
  channel_id: Type.Optional(Type.Integer({ minimum: 1, maximum: INT32_MAX })),
  status: Type.Optional(
    Type.Unsafe<string | string[]>({
      type: ['string', 'array'],
      items: { type: 'string' },
      maxItems: STATUSES.length,
      description: `One of ${STATUSES.join(', ')}; repeat it for several.`,
      examples: ['1'],
    }),
  ),
  order_number: Type.Optional(Type.String({ format: 'text', description: 'Exact match.' })),
  from: Moment(
    'Accepted at this time or later (included); a date counts from its start in the configured time zone.',
  ),
  to: Moment('Accepted before this time, which is not included; a date includes the whole day.'),
});

const optionalText = nullable<string>({ type: 'string' });
const Amount = Type.String({ examples: ['45000.00'] });

const order = {
  id: Type.Integer(),
  order_number: Type.String(),
  channel_id: Type.Integer(),
  status: IntegerOf(STATUSES),
  is_backorder: Type.Boolean(),
  total_amount: Amount,
  local_currency_code: Type.String({ examples: ['JPY'] }),
  local_total_amount: Type.String({ description: 'In the local currency, exactly.' }),
  exchange_rate: Type.String({ description: 'KRW for one unit, at intake.' }),
  recipient_name: Type.String(),
  tracking_number: optionalText,
  courier_code: optionalText,
  courier_name: optionalText,
  tracking_link: nullable<string>({
    type: 'string',
    description:
      "The parcel on the courier's site; null: no tracking number, or the courier has no tracking URL.",
  }),
  cancel_reason: optionalText,
  created_at: Timestamp,
  erased_at: nullable<string>({
    type: 'string',
    description:
      'When name, phone, address, tracking number and cancellation reason were erased; null: not erased.',
  }),
};
export const OrderItem = Type.Object({
  ...order,
  channel_name: Type.String(),
  item_count: Type.Integer({ description: 'Number of lines.' }),
});
const author = {
  actor: nullable<string>({
    type: 'string',
    description: '`user:<e-mail>`, `token:<name>`, `channel:<id>`, …; null: not recorded.',
  }),
  actor_name: nullable<string>({
    type: 'string',
    description: 'The name of the account or channel, if it has one.',
  }),
};
const OrderDetail = Type.Object({
  ...order,
  recipient_phone: Type.String(),
  shipping_address: Type.String(),
  items: Type.Array(
    Type.Object({
      line: Type.Integer({ description: 'The number of the line, for returns.' }),
      product_code: Type.String(),
      product_name: Type.String(),
      quantity: Type.Integer(),
      unit_price: Amount,
      sku: Type.String({ description: 'The channel SKU as ordered.' }),
      variant_code: Type.String({ description: 'The internal SKU the order was accepted for.' }),
      local_unit_price: Type.String({ description: 'Exactly as received.' }),
      line_total: Type.String({ description: 'local_line_total × exchange_rate, rounded.' }),
      local_line_total: Type.String({ description: 'local_unit_price × quantity, exactly.' }),
      cancelled_quantity: Type.Integer(),
      returned_quantity: Type.Integer({ description: 'Shipped, and back in physical stock since.' }),
      from_allocation: Type.Integer({ description: "Drawn from the channel's pre-allocation." }),
    }),
  ),
  history: Type.Array(
    Type.Object({
      from: nullable<Status>({ type: 'integer', enum: [...STATUSES], description: 'null: the intake.' }),
      to: IntegerOf(STATUSES),
      source: Type.String({ description: 'channel or back_office.' }),
      ...author,
      at: Timestamp,
    }),
    { description: 'Every step, from the intake on.' },
  ),
  returns: Type.Array(
    Type.Object({
      line: Type.Integer(),
      quantity: Type.Integer(),
      reason: Type.String(),
      ...author,
      at: Timestamp,
    }),
    { description: 'Goods that came back, oldest first.' },
  ),
  notes: Type.Array(Type.Object({ text: Type.String(), ...author, at: Timestamp }), {
    description: 'What operators wrote down, oldest first.',
  }),
});

const ReturnRequest = Type.Object({
  items: Type.Array(
    Type.Object({
      line: Type.Integer({ minimum: 0, maximum: ORDER_LINES_MAX, description: 'As `line` of the order.' }),
      quantity: Quantity(1),
    }),
    { minItems: 1, maxItems: ORDER_LINES_MAX },
  ),
  reason: Text(REASON_CHARACTERS_MAX),
});
const NoteRequest = Type.Object({ text: Text(NOTE_CHARACTERS_MAX) });

const OrderParams = Type.Object({ id: PathId('The order id.') });
const tags = ['orders'];

export function registerOrders(app: FastifyInstance, services: Services): void {
  registerList(app, services);
  registerDetail(app, services);
  registerStatus(app, services);
  registerReturns(app, services);
  registerNotes(app, services);
}

function registerList(app: FastifyInstance, services: Services): void {
  const { formatTimestamp } = services;

  app.route<{ Querystring: Static<typeof OrderQuery> }>({
    method: 'GET',
    url: '/orders',
    schema: {
      summary: 'Orders of all channels, newest first',
      tags,
      security,
      querystring: OrderQuery,
      response: { 200: ListOf(OrderItem), ...COMMON_ANSWERS },
    },
    handler: async ({ query }) => {
      const limit = limitOf(query);
      const filter = {
        channel_id: query.channel_id ?? null,
        statuses: readStatuses(query.status),
        order_number: query.order_number ?? null,
        from: readMoment('from', query.from, formatTimestamp, 0),
        to: readMoment('to', query.to, formatTimestamp, 1),
        beforeId: numberAfter(query),
        limit: limit + 1,
      };
      const found = await reading(services.pool, (tx) => listOrders(tx, filter));
      return page(
        found,
        limit,
        (row) => row.id,
        (row) => presentOrder(row, formatTimestamp),
      );
    },
  });
}

function registerDetail(app: FastifyInstance, services: Services): void {
  app.route<{ Params: Static<typeof OrderParams> }>({
    method: 'GET',
    url: '/orders/:id',
    schema: {
      summary: 'One stored order with its history',
      tags,
      security,
      params: OrderParams,
      response: { 200: DataOf(OrderDetail), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async ({ params }) => {
      return { data: await readWhole(services, orderIdOf(params)) };
    },
  });
}

const StatusConflict = Type.Object(
  {
    ...Conflict.properties,
    details: facts('Both statuses; of `insufficient_stock` also `sku`, `requested` and `available`.'),
  },
  { $id: 'StatusConflict' },
);

function registerStatus(app: FastifyInstance, services: Services): void {
  app.route<{ Params: Static<typeof OrderParams>; Body: StatusRequest }>({
    method: 'POST',
    url: '/orders/:id/status',
    config: { role: 'operator' },
    schema: {
      summary: 'Change the status of an order, by the same rules as channels',
      tags,
      security,
      params: OrderParams,
      body: StatusRequest,
      response: { 200: OrderAnswer, 404: RefusalBody, 409: StatusConflict, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const outcome = await reporting(services, request, orderIdOf(request.params), request.body);
      const { status, body } = answerTo(outcome, services.formatTimestamp);
      if (status === 404) throw refusalOf({ kind: 'order_unknown', order: request.params.id });
      return reply.code(status).send(status === 200 ? body : { ...body, details: factsOf(outcome) });
    },
  });
}

function registerReturns(app: FastifyInstance, services: Services): void {
  app.route<{ Params: Static<typeof OrderParams>; Body: Static<typeof ReturnRequest> }>({
    method: 'POST',
    url: '/orders/:id/returns',
    config: { role: 'operator' },
    schema: {
      summary: 'Put goods of a shipped order back into physical stock',
      tags,
      security,
      params: OrderParams,
      body: ReturnRequest,
      response: { 201: DataOf(OrderDetail), 404: RefusalBody, 409: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const wanted = { order_id: orderIdOf(request.params), ...request.body };
      const { order: after } = await change(services, request, (tx, by) => returnGoods(tx, by, wanted));
      return reply.code(201).send({ data: presentWhole(after, services.formatTimestamp) });
    },
  });
}

function registerNotes(app: FastifyInstance, services: Services): void {
  app.route<{ Params: Static<typeof OrderParams>; Body: Static<typeof NoteRequest> }>({
    method: 'POST',
    url: '/orders/:id/notes',
    config: { role: 'operator' },
    schema: {
      summary: 'Write a note about an order',
      tags,
      security,
      params: OrderParams,
      body: NoteRequest,
      response: { 201: DataOf(OrderDetail), 404: RefusalBody, 409: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const wanted = { order_id: orderIdOf(request.params), text: request.body.text };
      const { order: after } = await change(services, request, (tx, by) => addNote(tx, by, wanted));
      return reply.code(201).send({ data: presentWhole(after, services.formatTimestamp) });
    },
  });
}

async function readWhole(services: Services, id: number): Promise<Static<typeof OrderDetail>> {
  const found = await reading(services.pool, (tx) => findOrder(tx, id));
  if (!found) throw refusalOf({ kind: 'order_unknown', order: id });
  return presentWhole(found, services.formatTimestamp);
}

const orderIdOf = ({ id }: { id: string }): number => int64Id(id, { kind: 'order_unknown', order: id });

function readStatuses(given: string | string[] | undefined): Status[] | null {
  if (given === undefined) return null;
  return [given].flat().map((text) => {
    const status = STATUSES.find((each) => String(each) === text);
    if (status === undefined) throw Refusal.invalid('status', { kind: 'not_listed', allowed: STATUSES });
    return status;
  });
}

export const presentOrder = (row: ListedOrder, format: FormatTimestamp): Static<typeof OrderItem> => ({
  ...row,
  ...timesOf(row, format),
  tracking_link: linkOf(row),
});

const linkOf = ({ courier_tracking_url, tracking_number }: ListedOrder | StoredOrder): string | null =>
  trackingLink(courier_tracking_url, tracking_number);

const timesOf = ({ created_at, erased_at }: ListedOrder | StoredOrder, format: FormatTimestamp) => ({
  created_at: format(created_at),
  erased_at: erased_at && format(erased_at),
});

const dated =
  (format: FormatTimestamp) =>
  <T extends { at: string }>(entry: T): T => ({ ...entry, at: format(new Date(entry.at)) });

const presentWhole = (row: StoredOrder, format: FormatTimestamp): Static<typeof OrderDetail> => ({
  ...row,
  ...timesOf(row, format),
  tracking_link: linkOf(row),
  history: row.history.map(dated(format)),
  returns: row.returns.map(dated(format)),
  notes: row.notes.map(dated(format)),
});
