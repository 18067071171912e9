// Records refused orders and late reports for operators. Only in memory, so that no request waits for it.
import type { Outcome } from '../../core/rules/commands.ts';
import { lateReport, lateResend } from './late-reports-rules.ts';
import type { Status } from '../../core/rules/transitions.ts';
import { ORDER_NUMBER_CHARACTERS_MAX } from '../../core/rules/order-limits.ts';
import { isStorable } from '../../platform/schema/building-blocks.ts';
import type { SentRequest } from '../../core/channel-api/hooks.ts';
import type { Observations } from './observations.ts';
import type { OrderRequest } from '../../core/channel-api/schemas.ts';

/** Accepted orders and revoked credentials are not refused orders. */
const UNCOUNTED = new Set<Outcome['kind']>([
  'created',
  'resent',
  'key_revoked',
  'signature_missing',
  'signature_invalid',
]);

export function observeOrder(
  observations: Observations,
  sent: SentRequest & { body: OrderRequest },
  outcome: Outcome,
): void {
  const { channel_id, request_id, body } = sent;
  const { order_number, items } = body;
  const late = lateResend(outcome);
  if (late)
    observations.lateReport({ channel_id, order_number, kind: late, requested_status: null, request_id });
  if (UNCOUNTED.has(outcome.kind)) return;
  observations.refused(channel_id, outcome.kind);
  if (outcome.kind === 'sku_unmapped') observations.unmappedSku(channel_id, outcome.sku, 'orders');
  observations.refusedOrder(channel_id, order_number, () => {
    const goods = goodsOf(outcome);
    return {
      reason: outcome.kind,
      field: null,
      ...goods,
      requested: requestedOf(goods, body),
      is_backorder: body.is_backorder ?? false,
      lines: items.map(({ sku, quantity }) => ({ sku, quantity })),
      request_id,
    };
  });
}

interface Goods {
  sku: string | null;
  requested: number | null;
  available: number | null;
}

/** The SKU that a refusal names, the ordered quantity and the available quantity. */
export function goodsOf(outcome: Outcome): Goods {
  const sku = 'skus' in outcome ? (outcome.skus[0] ?? null) : 'sku' in outcome ? outcome.sku : null;
  const requested = 'requested' in outcome ? outcome.requested : null;
  if ('remaining' in outcome) return { sku, requested, available: outcome.remaining };
  return { sku, requested, available: 'available' in outcome ? outcome.available : null };
}

/** The quantity in the refusal; if it contains none, the sum of the order's lines with this SKU. */
function requestedOf({ sku, requested }: Goods, { items }: OrderRequest): number | null {
  if (sku === null || requested !== null) return requested;
  return items.reduce((sum, item) => (item.sku === sku ? sum + item.quantity : sum), 0);
}

/** An order that failed validation: `field` is the first invalid field. */
export function observeInvalidOrder(
  observations: Observations,
  { channel_id, request_id, body, field }: SentRequest & { body: unknown; field: string },
): void {
  observations.refused(channel_id, 'invalid');
  const order_number = orderNumberOf(body);
  if (order_number === null) return;
  const nothing = { sku: null, requested: null, available: null, lines: null };
  const order = { field, ...nothing, is_backorder: false, request_id, reason: 'invalid' };
  observations.refusedOrder(channel_id, order_number, () => order);
}

function orderNumberOf(body: unknown): string | null {
  if (typeof body !== 'object' || body === null || !('order_number' in body)) return null;
  const { order_number } = body;
  return typeof order_number === 'string' && isNumber(order_number) ? order_number : null;
}

const isNumber = (text: string): boolean =>
  text.trim() !== '' && text.length <= ORDER_NUMBER_CHARACTERS_MAX && isStorable(text);

export function observeReport(
  observations: Observations,
  { channel_id, request_id, order_number, status }: SentRequest & { order_number: string; status: Status },
  outcome: Outcome,
): void {
  const kind = lateReport(outcome, status);
  if (kind === null || !isNumber(order_number)) return;
  observations.lateReport({ channel_id, order_number, kind, requested_status: status, request_id });
}
