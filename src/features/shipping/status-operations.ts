// Status changes of several orders in one request: each goes through the gate separately and has its own result.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import type { FieldError } from '../../platform/values/field-fault.ts';
import { STATUS_CHANGES_MAX } from '../../core/rules/order-limits.ts';
import { STATUSES, type Status } from '../../core/rules/transitions.ts';
import { answerTo } from '../../core/channel-api/outcomes.ts';
import { StatusRequest } from '../../core/channel-api/schemas.ts';
import { nullable } from '../../platform/schema/building-blocks.ts';
import type { ToGate } from '../../core/gate/submit.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { withFacts } from '../../platform/http/refuse.ts';
import { CREDENTIALS_INVALID, Refusal } from '../../platform/admin-api/refusal.ts';
import {
  reportRowsOf,
  rowErrors,
  submitRow,
  validateBy,
  type RowOutcome,
} from '../../core/orders/report-rows.ts';
import { factsOf } from '../../core/orders/status-report.ts';
import { COMMON_ANSWERS, DataOf, security } from '../../platform/admin-api/schemas.ts';

const ChangeId = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'The order id.',
});
const { type, required, properties, ...rest } = StatusRequest;
const Change = Type.Unsafe<StatusRequest & { id: number }>({
  type,
  required: ['id', ...required],
  properties: { id: ChangeId, ...properties },
  ...rest,
  title: 'BulkStatusReport',
});
type Change = Static<typeof Change>;

const changes = reportRowsOf(Change, 'changes', { maxItems: STATUS_CHANGES_MAX });

const CODES = [
  'invalid',
  'not_found',
  'invalid_transition',
  'insufficient_stock',
  'unauthorized',
  'unavailable',
  'failed',
];
const ChangeResult = Type.Object({
  id: nullable<number>({ type: 'integer', description: 'As sent; null if it was not an order id.' }),
  ok: Type.Boolean({ description: 'The order has the wanted status now, changed or unchanged.' }),
  status: nullable<Status>({
    type: 'integer',
    enum: [...STATUSES],
    description: "The order's status now, as far as known.",
  }),
  error: nullable<string>({ type: 'string' }),
  code: nullable<string>({
    type: 'string',
    enum: CODES,
    description:
      'unauthorized: the token or session was revoked before this change was made. unavailable and failed: check the order before retrying.',
  }),
  details: nullable<object>({
    type: 'object',
    additionalProperties: true,
    description:
      'Facts; which ones depends on the code: of an invalid change `faults`, of insufficient stock `sku`, `requested` and `available`.',
  }),
  errors: rowErrors('For an invalid change: messages by field, such as changes.3.tracking_number.'),
});
type ChangeResult = Static<typeof ChangeResult>;

export function registerBulkStatus(app: FastifyInstance, services: BackOffice & ToGate): void {
  app.route<{ Body: { changes: unknown[] } }>({
    method: 'POST',
    url: '/orders/bulk-status',
    config: { role: 'operator' },
    schema: {
      summary: 'Change the status of several orders, with a result for each',
      tags: ['orders'],
      security,
      body: Type.Object({ changes: changes.described }),
      response: { 200: DataOf(Type.Object({ results: Type.Array(ChangeResult) })), ...COMMON_ANSWERS },
    },
    validatorCompiler: validateBy(Type.Object({ changes: changes.unchecked })),
    handler: async (request) => {
      refuseRepeated(request.body.changes);
      // Submit all at once, so that the gate needs few batches.
      const results = await Promise.all(
        request.body.changes.map((change, index) => settle(services, request, change, index)),
      );
      // Changes made before the credential was revoked are committed, so their results are returned.
      const isRevoked = results.some(({ code }) => code === 'unauthorized');
      if (isRevoked && !results.some(({ ok }) => ok)) throw Refusal.unauthorized();
      return { data: { results } };
    },
  });
}

const idOf = (change: unknown): number | null => {
  const id = typeof change === 'object' && change !== null && 'id' in change ? change.id : null;
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : null;
};

/** Two changes of one order would race; the caller must choose one. */
function refuseRepeated(given: readonly unknown[]): void {
  const seen = new Set<number>();
  const repeated: FieldError[] = [];
  for (const [index, change] of given.entries()) {
    const id = idOf(change);
    if (id === null) continue;
    if (seen.has(id))
      repeated.push({ field: `changes.${index}.id`, fault: { kind: 'order_repeated', order_id: id } });
    seen.add(id);
  }
  if (repeated.length > 0) throw Refusal.invalidFields(repeated);
}

const UNDONE = { ok: false, status: null, details: null, errors: null };

async function settle(
  services: BackOffice & ToGate,
  request: FastifyRequest,
  given: unknown,
  index: number,
): Promise<ChangeResult> {
  const id = idOf(given);
  if (!changes.isValid(given)) {
    const { message: error, errors, details } = withFacts(changes.faultsOf(given, index));
    return { ...UNDONE, id, error, code: 'invalid', details, errors };
  }
  try {
    return resultOf(services, given, await submitRow(services, request, given.id, given));
  } catch (error) {
    request.log.error({ request_id: request.id, order_id: id, err: error }, 'change failed');
    return { ...UNDONE, id, error: 'Something went wrong on our side.', code: 'failed' };
  }
}

function resultOf(
  services: BackOffice & ToGate,
  { id, status: wanted }: Change,
  outcome: RowOutcome,
): ChangeResult {
  if (outcome.kind === 'credential_revoked')
    return { ...UNDONE, id, error: CREDENTIALS_INVALID.error, code: 'unauthorized' };
  if (outcome.kind === 'unavailable') {
    const text = 'The service could not make this change now. Please check the order and send it again.';
    return { ...UNDONE, id, error: text, code: 'unavailable' };
  }
  const { status, body } = answerTo(outcome, services.formatTimestamp);
  if (!('error' in body)) return { ...UNDONE, id, ok: true, status: wanted, error: null, code: null };
  const code = body.code ?? (status === 404 ? 'not_found' : 'failed');
  const now = body.current_status ?? null;
  return { ...UNDONE, id, status: now, error: body.error, code, details: factsOf(outcome) };
}
