// Returns, notes and corrected shipments of orders.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import {
  CODE_CHARACTERS_MAX,
  NOTE_CHARACTERS_MAX,
  REASON_CHARACTERS_MAX,
} from '../../platform/values/text-limits.ts';
import { ORDER_LINES_MAX, TRACKING_NUMBER_CHARACTERS_MAX } from '../../core/rules/order-limits.ts';
import { OrderDetail, orderIdOf, OrderIdParams, presentWhole } from '../../core/orders/operations.ts';
import { OptionalText, Quantity, Text } from '../../platform/schema/building-blocks.ts';
import { COMMON_ANSWERS, DataOf, RefusalBody, security } from '../../platform/admin-api/schemas.ts';
import { change } from '../../platform/accounts/change.ts';
import { addNote, correctShipmentOf, returnGoods } from './changes.ts';

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

const ShipmentRequest = Type.Object({
  tracking_number: Type.Optional(Text(TRACKING_NUMBER_CHARACTERS_MAX)),
  courier_code: OptionalText(CODE_CHARACTERS_MAX, {
    description: 'A code, name or alias of the group DELIVERY_COMPANY. null: no courier; absent: as it is.',
  }),
});

const tags = ['orders'];
import type { BackOffice } from '../../platform/accounts/back-office.ts';

export function registerReturnsAndNotes(app: FastifyInstance, office: BackOffice): void {
  registerReturns(app, office);
  registerNotes(app, office);
  registerShipment(app, office);
}

function registerReturns(app: FastifyInstance, office: BackOffice): void {
  app.route<{ Params: Static<typeof OrderIdParams>; Body: Static<typeof ReturnRequest> }>({
    method: 'POST',
    url: '/orders/:id/returns',
    config: { role: 'operator' },
    schema: {
      summary: 'Put goods of a shipped order back into physical stock',
      tags,
      security,
      params: OrderIdParams,
      body: ReturnRequest,
      response: { 201: DataOf(OrderDetail), 404: RefusalBody, 409: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const wanted = { order_id: orderIdOf(request.params), ...request.body };
      const { order: after } = await change(office, request, (tx, by) => returnGoods(tx, by, wanted));
      return reply.code(201).send({ data: presentWhole(after, office.formatTimestamp) });
    },
  });
}

function registerNotes(app: FastifyInstance, office: BackOffice): void {
  app.route<{ Params: Static<typeof OrderIdParams>; Body: Static<typeof NoteRequest> }>({
    method: 'POST',
    url: '/orders/:id/notes',
    config: { role: 'operator' },
    schema: {
      summary: 'Write a note about an order',
      tags,
      security,
      params: OrderIdParams,
      body: NoteRequest,
      response: { 201: DataOf(OrderDetail), 404: RefusalBody, 409: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request, reply) => {
      const wanted = { order_id: orderIdOf(request.params), text: request.body.text };
      const { order: after } = await change(office, request, (tx, by) => addNote(tx, by, wanted));
      return reply.code(201).send({ data: presentWhole(after, office.formatTimestamp) });
    },
  });
}

function registerShipment(app: FastifyInstance, office: BackOffice): void {
  app.route<{ Params: Static<typeof OrderIdParams>; Body: Static<typeof ShipmentRequest> }>({
    method: 'PATCH',
    url: '/orders/:id/shipment',
    config: { role: 'operator' },
    schema: {
      summary: 'Correct the tracking number or the courier of a shipped order',
      description:
        'Does not affect stock. Reported by the order feeds, and by webhooks as `order.status_changed`; status and previous_status are 3.',
      tags,
      security,
      params: OrderIdParams,
      body: ShipmentRequest,
      response: { 200: DataOf(OrderDetail), 404: RefusalBody, 409: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const wanted = { order_id: orderIdOf(request.params), ...request.body };
      const { order: after } = await change(office, request, (tx, by) => correctShipmentOf(tx, by, wanted));
      return { data: presentWhole(after, office.formatTimestamp) };
    },
  });
}
