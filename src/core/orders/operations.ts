// One order in the back office: the order itself, and the same status reports that channels send.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { STATUSES, type Status } from '../rules/transitions.ts';
import type { FormatTimestamp } from '../../platform/values/timestamps.ts';
import { reading } from '../../platform/database/transactions.ts';
import { findOrder, type StoredOrder } from './store.ts';
import { answerTo } from '../channel-api/outcomes.ts';
import { Conflict, OrderAnswer, StatusRequest } from '../channel-api/schemas.ts';
import { IntegerOf, nullable } from '../../platform/schema/building-blocks.ts';
import type { ToGate } from '../gate/submit.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { operatorOf } from '../../platform/accounts/auth.ts';
import { linkOf, maskWhole, orderFields, OrderLineDetail, seesPersonalData, timesOf } from './fields.ts';
import { refusalOf } from '../../platform/admin-api/refusal.ts';
import { factsOf, reporting } from './status-report.ts';
import {
  COMMON_ANSWERS,
  DataOf,
  facts,
  int64Id,
  PathId,
  RefusalBody,
  security,
  Timestamp,
} from '../../platform/admin-api/schemas.ts';

const author = {
  actor: nullable<string>({
    type: 'string',
    description:
      '`user:<e-mail>`, `token:<name>`, `channel:<id>`, `import` (taken over from another service), `expiry` (not paid in time), …; null: not recorded.',
  }),
  actor_name: nullable<string>({
    type: 'string',
    description: 'The name of the account or channel, if it has one.',
  }),
};
const Correction = Type.Object({
  tracking_changed: Type.Boolean(),
  courier_code_before: nullable<string>({ type: 'string' }),
  courier_code_after: nullable<string>({ type: 'string' }),
});
export const OrderDetail = Type.Object(
  {
    ...orderFields,
    recipient_phone: Type.String(),
    shipping_address: Type.String(),
    items: Type.Array(OrderLineDetail),
    history: Type.Array(
      Type.Object(
        {
          from: nullable<Status>({ type: 'integer', enum: [...STATUSES], description: 'null: the intake.' }),
          to: IntegerOf(STATUSES),
          correction: nullable<Static<typeof Correction>>({
            ...Correction,
            description: 'The shipment was corrected; null: the order reached the status.',
          }),
          source: Type.String({
            description:
              'channel, back_office, import (taken over from another service) or service (expired).',
          }),
          ...author,
          at: Timestamp,
        },
        { title: 'HistoryStep' },
      ),
      { description: 'Every step, from the intake on.' },
    ),
    returns: Type.Array(
      Type.Object(
        {
          line: Type.Integer(),
          quantity: Type.Integer(),
          reason: Type.String(),
          ...author,
          at: Timestamp,
        },
        { title: 'OrderReturn' },
      ),
      { description: 'Goods that came back, oldest first.' },
    ),
    notes: Type.Array(
      Type.Object({ text: Type.String(), ...author, at: Timestamp }, { title: 'OrderNote' }),
      {
        description: 'What operators wrote down, oldest first.',
      },
    ),
  },
  { title: 'OrderDetail' },
);

export const OrderIdParams = Type.Object({ id: PathId('The order id.') });
const tags = ['orders'];

export function registerOrders(app: FastifyInstance, services: BackOffice & ToGate): void {
  registerDetail(app, services);
  registerStatus(app, services);
}

function registerDetail(app: FastifyInstance, services: BackOffice & ToGate): void {
  app.route<{ Params: Static<typeof OrderIdParams> }>({
    method: 'GET',
    url: '/orders/:id',
    schema: {
      summary: 'One stored order with its history; viewers see personal data masked',
      tags,
      security,
      params: OrderIdParams,
      response: { 200: DataOf(OrderDetail), 404: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const found = await readWhole(services, orderIdOf(request.params));
      const shown = seesPersonalData(operatorOf(request)) ? found : maskWhole(found);
      return { data: presentWhole(shown, services.formatTimestamp) };
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

function registerStatus(app: FastifyInstance, services: BackOffice & ToGate): void {
  app.route<{ Params: Static<typeof OrderIdParams>; Body: StatusRequest }>({
    method: 'POST',
    url: '/orders/:id/status',
    config: { role: 'operator' },
    schema: {
      summary: 'Change the status of an order, by the same rules as channels',
      tags,
      security,
      params: OrderIdParams,
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

async function readWhole(services: BackOffice, id: number): Promise<StoredOrder> {
  const found = await reading(services.pool, (tx) => findOrder(tx, id));
  if (!found) throw refusalOf({ kind: 'order_unknown', order: id });
  return found;
}

export const orderIdOf = ({ id }: { id: string }): number =>
  int64Id(id, { kind: 'order_unknown', order: id });

const dated =
  (format: FormatTimestamp) =>
  <T extends { at: string }>(entry: T): T => ({ ...entry, at: format(new Date(entry.at)) });

export const presentWhole = (row: StoredOrder, format: FormatTimestamp): Static<typeof OrderDetail> => ({
  ...row,
  ...timesOf(row, format),
  tracking_link: linkOf(row),
  history: row.history.map(dated(format)),
  returns: row.returns.map(dated(format)),
  notes: row.notes.map(dated(format)),
});
