// One table: outcome → status, body and reason. Contract 7 and 10.2.
import type { OrderView, Outcome } from '../rules/commands.ts';
import type { FormatTimestamp } from '../../platform/values/timestamps.ts';
import type { Status } from '../rules/transitions.ts';
import { failureAt, type ValidationFailure } from '../../platform/http/refuse.ts';
import type { Reason } from './reasons.ts';
import type { OrderAnswer } from './schemas.ts';
import { policyBody } from './policy.ts';

interface RefusalBody {
  error: string;
  code?: string;
  current_status?: Status;
  requested_status?: number;
}

export interface OrderResponse {
  status: 200 | 201 | 401 | 404 | 409 | 422 | 500;
  body: OrderAnswer | RefusalBody | ValidationFailure;
  /** For a refusal: the header `Sluice-Error`. */
  reason?: Reason;
}

type Answers = {
  [K in Outcome['kind']]: (outcome: Extract<Outcome, { kind: K }>, format: FormatTimestamp) => OrderResponse;
};

const error = (text: string) => ({ error: text });

/** Several channel SKUs may belong to one internal SKU; the SKU of the first line comes first. */
function named([sku, ...aliases]: readonly string[]): string {
  if (aliases.length === 0) return `SKU ${sku}`;
  const more = aliases.length - ALIASES_NAMED_MAX + 1;
  const list = aliases.slice(0, ALIASES_NAMED_MAX - 1).join(', ');
  return `SKU ${sku} (with ${list}${more > 0 ? ` and ${more} more` : ''})`;
}
/** Maximum in one message, including the first. */
const ALIASES_NAMED_MAX = 5;

const KEY_INVALID: OrderResponse = {
  status: 401,
  reason: 'key_invalid',
  body: error('The API key is not valid.'),
};

/** A validation error on `order_number` that the schema cannot know (contract 10.13). */
export const invalidNumber = (text: string): OrderResponse => ({
  status: 422,
  reason: 'validation',
  body: failureAt('order_number', text),
});

const ANSWERS = {
  created: ({ order }, format) => ({ status: 201, body: orderAnswer(order, format) }),
  resent: ({ order }, format) => ({ status: 200, body: orderAnswer(order, format) }),
  reported: ({ order }, format) => ({ status: 200, body: orderAnswer(order, format) }),
  channel_inactive: () => KEY_INVALID,
  key_revoked: () => KEY_INVALID,
  signature_missing: ({ kind }) => ({ status: 401, reason: kind, body: policyBody(kind) }),
  signature_invalid: ({ kind }) => ({ status: 401, reason: kind, body: policyBody(kind) }),
  credential_revoked: () => {
    throw new RangeError('only the back office has such credentials, and refuses them itself');
  },
  // Contract 4.3.3; the body does not reveal that the number exists elsewhere (contract 4.3.3a).
  order_number_taken: () => ({
    status: 500,
    reason: 'order_number_taken',
    body: error('Something went wrong on our side.'),
  }),
  number_reserved: () => invalidNumber('order_number starts with a prefix that belongs to another channel.'),
  sku_unmapped: ({ sku }) => ({
    status: 422,
    reason: 'sku_unmapped',
    body: error(`SKU ${sku} is not mapped to a product.`),
  }),
  stock_missing: ({ sku }) => ({
    status: 422,
    reason: 'stock_missing',
    body: error(`SKU ${sku} has no stock record yet.`),
  }),
  stock_insufficient: ({ skus, requested, available }) => ({
    status: 422,
    reason: 'stock_insufficient',
    body: error(`Not enough stock for ${named(skus)}: requested ${requested}, available ${available}.`),
  }),
  quota_insufficient: ({ skus, requested, remaining }) => ({
    status: 422,
    reason: 'quota_insufficient',
    body: error(
      `Backorder quota exceeded for ${named(skus)}: requested ${requested}, remaining ${remaining}.`,
    ),
  }),
  limit_exceeded: ({ skus, requested, available }) => ({
    status: 422,
    reason: 'limit_exceeded',
    body: error(
      `Limit of this channel exceeded for ${named(skus)}: requested ${requested}, available ${available} within the limit.`,
    ),
  }),
  order_unknown: ({ order_number }) => ({
    status: 404,
    reason: 'order_unknown',
    body: error(`Order ${order_number} was not found.`),
  }),
  invalid_transition: ({ current_status, requested_status }) => ({
    status: 409,
    reason: 'invalid_transition',
    body: {
      error: `An order in status ${current_status} cannot move to status ${requested_status}.`,
      code: 'invalid_transition',
      current_status,
      requested_status,
    },
  }),
  shipment_short: ({ sku, requested, available, current_status, requested_status }) => ({
    status: 409,
    reason: 'insufficient_stock',
    body: {
      error: `Not enough physical stock to ship SKU ${sku}: available ${available}, requested ${requested}.`,
      code: 'insufficient_stock',
      current_status,
      requested_status,
    },
  }),
} satisfies Answers;

export function answerTo(outcome: Outcome, format: FormatTimestamp): OrderResponse {
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the table is exhaustive; TypeScript cannot correlate the key with the argument.
  const answer = ANSWERS[outcome.kind] as (outcome: Outcome, format: FormatTimestamp) => OrderResponse;
  return answer(outcome, format);
}

const itemAnswer = ({ product_code, product_name, quantity, unit_price }: OrderView['items'][number]) => ({
  product_code,
  product_name,
  quantity,
  unit_price,
});

export function orderAnswer(order: OrderView, format: FormatTimestamp): OrderAnswer {
  return {
    data: {
      id: order.id,
      order_number: order.order_number,
      status: order.status,
      total_amount: order.total_amount,
      recipient_name: order.recipient_name,
      items: order.items.map(itemAnswer),
      created_at: format(order.created_at),
    },
  };
}
