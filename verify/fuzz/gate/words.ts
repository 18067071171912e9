// Translates between the random runs, the service and the naive model: the same word for the same outcome on both sides.
import type { Command, OrderView, Outcome } from '../../../src/core/rules/commands.ts';
import { decimal } from '../../../src/platform/values/money.ts';
import { PERSON } from '../../kit/canaries.ts';
import { orderWords, type Model } from '../../kit/model.ts';
import { gateOnModel, limitFields, newModel, RATED_CHANNEL, type GateStep } from '../steps.ts';
import { CHANNELS, FIRST_QUANTITIES, FIRST_RATE, UNRATED_CHANNEL } from './random-runs.ts';

class Disagreement extends Error {}

export function agree(what: string, actual: unknown, expected: unknown): void {
  if (actual === expected) return;
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (got !== wanted) throw new Disagreement(`${what}\n  service ${got}\n  model   ${wanted}`);
}

/** Maps ids of the random run to those of the database or of the pure rules. */
export interface Ids {
  channel(index: number): number;
  /** -1: the back office can only refer to orders that exist */
  orderId(number: string): number;
  variantOf(productCode: string): number;
}

export function commandOf(step: GateStep, ids: Ids): Command {
  if (step.kind === 'intake') {
    return {
      kind: 'intake',
      channel_id: ids.channel(step.channel),
      order_number: step.number,
      status: step.status,
      is_backorder: step.backorder,
      is_number_reserved: step.reserved ?? false,
      limits: step.limits ? limitFields(step.limits) : null,
      ...PERSON,
      tracking_number: null,
      lines: step.lines.map(({ sku, quantity, price }) => ({
        sku,
        quantity,
        unit_price: decimal(`${Math.floor(price / 1000)}.${String(price % 1000).padStart(3, '0')}`),
      })),
    };
  }
  const isExpiry = step.kind === 'expire';
  const channel = isExpiry ? null : step.channel;
  const status = isExpiry ? 88 : step.status;
  return {
    kind: 'report',
    target:
      channel === null
        ? { order_id: ids.orderId(step.number) }
        : { channel_id: ids.channel(channel), order_number: step.number },
    status,
    tracking_number: status === 3 ? 'T1' : null,
    courier_code: null,
    reason: null,
    source: isExpiry ? 'service' : channel === null ? 'back_office' : 'channel',
    expires: isExpiry,
    actor: 'test',
    request_id: null,
  };
}

/** The initial state: all variants but one have stock, all channels but one have a rate. */
export function firstModel(): Model {
  const model = newModel(CHANNELS, FIRST_QUANTITIES.entries());
  model.setRate(RATED_CHANNEL, FIRST_RATE);
  model.setRate(UNRATED_CHANNEL, null);
  return model;
}

/** Whether a command names its order by id, which only orders of earlier batches have. */
export const isById = (step: GateStep): boolean =>
  step.kind === 'expire' || (step.kind === 'report' && step.channel === null);

/** Runs a batch on the model. */
export function expectedOf(model: Model, batch: readonly GateStep[], expires: boolean): string[] {
  const known = new Set(model.orders.keys());
  return batch.map((step) =>
    isById(step) && !known.has(step.number) ? 'order_unknown' : gateOnModel(model, step, expires),
  );
}

/** Compares the answers with those of the model, and returns them. */
export function answersOf(
  batch: readonly GateStep[],
  outcomes: readonly Outcome[],
  expected: readonly string[],
  ids: Ids,
): string[] {
  return outcomes.map((outcome, index) => {
    const answer = wordsOf(outcome, ids);
    agree(JSON.stringify(batch[index]), answer, expected[index]);
    return answer;
  });
}

/**
 * Contract 2.3.2b, without the model: accepted orders of a wave are covered by physical stock. Only checked in batches
 * without reports, in which physical stock does not change.
 */
export function agreeThatHeldIsThere(
  batch: readonly GateStep[],
  outcomes: readonly Outcome[],
  ids: Ids,
  stockOf: (variant: number) => { quantity: number; unshipped: number } | undefined,
): void {
  if (batch.some((step) => step.kind !== 'intake')) return;
  for (const [index, outcome] of outcomes.entries()) {
    const step = batch[index];
    if (outcome.kind !== 'created' || step?.kind !== 'intake' || step.backorder) continue;
    for (const { product_code } of outcome.order.items) {
      const stock = stockOf(ids.variantOf(product_code));
      if (!stock || stock.unshipped > stock.quantity)
        throw new Disagreement(
          `${JSON.stringify(step)} was accepted, and its item is now at ${JSON.stringify(stock)}`,
        );
    }
  }
}

/** Converts an outcome to the model's words. */
function wordsOf(outcome: Outcome, ids: Ids): string {
  switch (outcome.kind) {
    case 'created':
    case 'resent':
    case 'reported':
      return `${outcome.kind} ${viewWords(outcome.order, ids)}`;
    case 'sku_unmapped':
    case 'stock_missing':
      return `${outcome.kind} ${outcome.sku}`;
    case 'stock_insufficient':
    case 'limit_exceeded':
      return `${outcome.kind} ${outcome.skus[0]} ${outcome.requested} ${outcome.available}`;
    case 'quota_insufficient':
      return `${outcome.kind} ${outcome.skus[0]} ${outcome.requested} ${outcome.remaining}`;
    case 'invalid_transition':
      return `${outcome.kind} ${outcome.current_status} ${outcome.requested_status}`;
    case 'shipment_short':
      return `${outcome.kind} ${outcome.current_status} ${outcome.requested} ${outcome.available}`;
    case 'order_unknown':
    case 'order_number_taken':
    case 'number_reserved':
    case 'channel_inactive':
    case 'key_revoked':
    case 'signature_missing':
    case 'signature_invalid':
    case 'credential_revoked':
      return outcome.kind;
  }
}

const viewWords = (order: OrderView, ids: Ids): string =>
  orderWords(
    order.status,
    order.total_amount,
    order.items.map(({ product_code, quantity, unit_price }) => ({
      variant: ids.variantOf(product_code),
      quantity,
      unit: unit_price,
    })),
  );
