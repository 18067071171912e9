// Many shipments by order number, as in the files that carriers return. Each row has its own outcome.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import {
  ORDER_NUMBER_CHARACTERS_MAX,
  SHIPMENTS_MAX,
  TRACKING_NUMBER_CHARACTERS_MAX,
} from '../../core/rules/order-limits.ts';
import { CODE_CHARACTERS_MAX } from '../../platform/values/text-limits.ts';
import { SHIPPED } from '../../core/rules/transitions.ts';
import { COURIER_GROUP } from '../../core/codes/changes.ts';
import { repeatedPositions } from '../../platform/admin-api/refused.ts';
import { courierOf, nearestCouriers, type KnownCourier } from '../../core/rules/couriers.ts';
import type { FieldError } from '../../platform/values/field-fault.ts';
import { previewCommands } from '../../core/gate/preview.ts';
import { allCommonCodes } from '../../core/codes/store.ts';
import { findByNumbers, type NumberedOrder } from '../../core/orders/store.ts';
import { reading } from '../../platform/database/transactions.ts';
import type { StatusRequest } from '../../core/channel-api/schemas.ts';
import { nullable, OptionalBoolean, OptionalText, Text } from '../../platform/schema/building-blocks.ts';
import type { ToGate } from '../../core/gate/submit.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { withFacts } from '../../platform/http/refuse.ts';
import { Refusal } from '../../platform/admin-api/refusal.ts';
import {
  reportRowsOf,
  rowErrors,
  submitRow,
  validateBy,
  type RowOutcome,
} from '../../core/orders/report-rows.ts';
import { reportCommand } from '../../core/orders/status-report.ts';
import { COMMON_ANSWERS, DataOf, security } from '../../platform/admin-api/schemas.ts';

/** Commands submitted to the gate at once; more would crowd out channels in its queue. */
const AT_ONCE = 100;

const Shipment = Type.Object({
  order_number: Text(ORDER_NUMBER_CHARACTERS_MAX),
  tracking_number: Text(TRACKING_NUMBER_CHARACTERS_MAX),
  courier_code: OptionalText(CODE_CHARACTERS_MAX, {
    description:
      'A code, name or alias of the group DELIVERY_COMPANY, in any case. An unknown one is a fault of the row.',
  }),
  channel_id: Type.Optional(
    nullable<number>({ type: 'integer', description: 'The order must be of this channel.' }),
  ),
});
type Shipment = Static<typeof Shipment>;

const shipments = reportRowsOf(Shipment, 'shipments', { maxItems: SHIPMENTS_MAX });
const dry_run = OptionalBoolean({ description: 'Answers what would happen now, and changes nothing.' });

const OUTCOMES = {
  shipped: 'the order is shipped now, or would be',
  already_shipped: 'it was shipped before; its tracking number is as it was',
  unknown: 'no order of this number, or none of this channel',
  ambiguous: 'several rows name the order',
  invalid_transition: 'the order can no longer be shipped',
  insufficient_stock: 'physical stock does not suffice',
  invalid: 'the row itself has faults, see `errors`',
  unavailable: 'not done for lack of the database; send it again',
  unauthorized: 'not done, because the token or session was revoked before',
};
type ShipmentOutcome = keyof typeof OUTCOMES;

const ShipmentResult = Type.Object({
  order_number: nullable<string>({ type: 'string', description: 'As sent.' }),
  outcome: Type.Unsafe<ShipmentOutcome>({
    type: 'string',
    enum: Object.keys(OUTCOMES),
    description: Object.entries(OUTCOMES)
      .map(([outcome, meaning]) => `\`${outcome}\`: ${meaning}`)
      .join('; '),
  }),
  order_id: nullable<number>({ type: 'integer' }),
  recipient_name: nullable<string>({ type: 'string' }),
  item_count: nullable<number>({ type: 'integer', description: 'Number of lines.' }),
  items: Type.Array(
    Type.Object({ variant_code: Type.String(), product_name: Type.String(), quantity: Type.Integer() }),
    { description: 'The first lines of the order, so that a person can check the row.' },
  ),
  details: nullable<object>({
    type: 'object',
    additionalProperties: true,
    description:
      'For a refusal: current_status, or sku, requested and available; for an invalid row its `faults`.',
  }),
  errors: rowErrors('For an invalid row: messages by field, such as shipments.3.tracking_number.'),
});
type ShipmentResult = Static<typeof ShipmentResult>;

export function registerShipments(app: FastifyInstance, services: BackOffice & ToGate): void {
  app.route<{ Body: { shipments: unknown[]; dry_run?: boolean | null } }>({
    method: 'POST',
    url: '/orders/shipments',
    config: { role: 'operator' },
    schema: {
      summary: 'Ship many orders by their numbers, with an outcome for each',
      tags: ['orders'],
      security,
      body: Type.Object({ shipments: shipments.described, dry_run }),
      response: {
        200: DataOf(
          Type.Object({
            results: Type.Array(ShipmentResult, { description: 'In the order of the request.' }),
            counts: Type.Object(
              Object.fromEntries(Object.keys(OUTCOMES).map((outcome) => [outcome, Type.Integer()])),
              { description: 'Rows by outcome.' },
            ),
          }),
        ),
        ...COMMON_ANSWERS,
      },
    },
    validatorCompiler: validateBy(Type.Object({ shipments: shipments.unchecked, dry_run })),
    handler: async (request) => {
      const results = await shipAll(services, request);
      const counts = Object.fromEntries(Object.keys(OUTCOMES).map((outcome) => [outcome, 0]));
      for (const { outcome } of results) counts[outcome] = (counts[outcome] ?? 0) + 1;
      // Shipments made before the credential was revoked are still reported.
      if (counts['unauthorized'] !== 0 && counts['shipped'] === 0) throw Refusal.unauthorized();
      return { data: { results, counts } };
    },
  });
}

type ShipmentsBody = FastifyRequest<{ Body: { shipments: unknown[]; dry_run?: boolean | null } }>;

async function shipAll(services: BackOffice & ToGate, request: ShipmentsBody): Promise<ShipmentResult[]> {
  const couriers = await reading(services.pool, (tx) => allCommonCodes(tx, COURIER_GROUP));
  const rows = request.body.shipments.map((given, index) => readRow(given, index, couriers));
  const results = new Map<Row, ShipmentResult>();
  const valid = rows.filter((row) => row.shipment !== null);
  for (const row of rows) if (!row.shipment) results.set(row, resultOf(row, 'invalid', null));
  const numbers = valid.map((row) => row.number ?? '');
  const orders = await reading(services.pool, (tx) => findByNumbers(tx, [...new Set(numbers)]));
  const byNumber = new Map(orders.map((order) => [order.order_number, order]));
  const repeated = new Set(repeatedPositions(numbers).map((at) => numbers[at]));
  const known: Known[] = [];
  for (const row of valid) {
    const order = byNumber.get(row.number ?? '');
    const wantedChannel = row.shipment?.channel_id ?? order?.channel_id;
    if (repeated.has(row.number ?? '')) results.set(row, resultOf(row, 'ambiguous', order ?? null));
    else if (!order || order.channel_id !== wantedChannel) results.set(row, resultOf(row, 'unknown', null));
    else known.push({ row, order });
  }
  const ship = request.body.dry_run === true ? previewAll : submitAll;
  for (const [{ row }, result] of await ship(services, request, known)) results.set(row, result);
  return rows.map((row) => results.get(row) ?? resultOf(row, 'unavailable', null));
}

interface Row {
  number: string | null;
  /** null: the row is invalid. */
  shipment: Shipment | null;
  errors: Record<string, string[]> | null;
  /** The errors as codes and facts. */
  details: object | null;
}

interface Known {
  row: Row;
  order: NumberedOrder;
}

function readRow(given: unknown, index: number, couriers: readonly KnownCourier[]): Row {
  const sent =
    typeof given === 'object' && given !== null && 'order_number' in given ? given.order_number : null;
  const number = typeof sent === 'string' ? sent : null;
  const faulty = (faults: readonly FieldError[]): Row => ({ number, shipment: null, ...factsOf(faults) });
  if (!shipments.isValid(given)) return faulty(shipments.faultsOf(given, index));
  if (given.courier_code == null) return { number, shipment: given, errors: null, details: null };
  const courier = courierOf(given.courier_code, couriers);
  if (courier)
    return { number, shipment: { ...given, courier_code: courier.code }, errors: null, details: null };
  const nearest = nearestCouriers(given.courier_code, couriers);
  return faulty([{ field: `shipments.${index}.courier_code`, fault: { kind: 'courier_unknown', nearest } }]);
}

function factsOf(faults: readonly FieldError[]): Pick<Row, 'errors' | 'details'> {
  const { errors, details } = withFacts(faults);
  return { errors, details };
}

const resultOf = (
  { number, errors, details: faults }: Row,
  outcome: ShipmentOutcome,
  order: NumberedOrder | null,
  details: object | null = faults,
): ShipmentResult => ({
  order_number: number,
  outcome,
  order_id: order?.id ?? null,
  recipient_name: order?.recipient_name ?? null,
  item_count: order?.item_count ?? null,
  items: order?.items ?? [],
  details,
  errors,
});

const reportOf = ({ shipment }: Row): StatusRequest => ({
  status: SHIPPED,
  tracking_number: shipment?.tracking_number ?? null,
  courier_code: shipment?.courier_code ?? null,
});

async function previewAll(
  services: BackOffice & ToGate,
  request: FastifyRequest,
  known: readonly Known[],
): Promise<[Known, ShipmentResult][]> {
  if (known.length === 0) return [];
  const commands = known.map(({ row, order }) => reportCommand(request, order.id, reportOf(row)));
  const outcomes = await previewCommands(services.pool, commands);
  return known.map((one, at) => [one, shipmentResult(one, outcomes[at])]);
}

async function submitAll(
  services: BackOffice & ToGate,
  request: FastifyRequest,
  known: readonly Known[],
): Promise<[Known, ShipmentResult][]> {
  const submit = async (one: Known): Promise<[Known, ShipmentResult]> => [
    one,
    shipmentResult(one, await submitRow(services, request, one.order.id, reportOf(one.row))),
  ];
  const results: [Known, ShipmentResult][] = [];
  for (let start = 0; start < known.length; start += AT_ONCE)
    results.push(...(await Promise.all(known.slice(start, start + AT_ONCE).map(submit))));
  return results;
}

function shipmentResult({ row, order }: Known, outcome: RowOutcome | undefined): ShipmentResult {
  if (outcome?.kind === 'reported')
    return resultOf(row, outcome.changed ? 'shipped' : 'already_shipped', order);
  if (outcome?.kind === 'invalid_transition')
    return resultOf(row, 'invalid_transition', order, { current_status: outcome.current_status });
  if (outcome?.kind === 'shipment_short') {
    const { sku, requested, available } = outcome;
    return resultOf(row, 'insufficient_stock', order, { sku, requested, available });
  }
  if (outcome?.kind === 'credential_revoked') return resultOf(row, 'unauthorized', order);
  if (outcome?.kind === 'unavailable') return resultOf(row, 'unavailable', order);
  throw new RangeError(`a shipment ended as ${outcome?.kind}`);
}
