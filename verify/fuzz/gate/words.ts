// Translates between the random runs, the service and the naive model: the same word for the same outcome on both sides.
import type { Command, OrderView, Outcome } from '../../../src/domain/commands.ts';
import { decimal } from '../../../src/domain/money.ts';
import { Model, orderWords } from '../../kit/model.ts';
import {
  BARE_VARIANT,
  CHANNELS,
  FIRST_QUANTITY,
  FIRST_RATE,
  RATED_CHANNEL,
  skuOf,
  UNRATED_CHANNEL,
  VARIANTS,
  type DeskStep,
  type GateStep,
} from './steps.ts';
import { PERSON } from '../../kit/canaries.ts';

class Disagreement extends Error {}

export function agree(what: string, actual: unknown, expected: unknown): void {
  if (actual === expected) return;
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (got !== wanted) throw new Disagreement(`${what}\n  service ${got}\n  model   ${wanted}`);
}

/** Counts each kind of answer: a generator that never produces a kind proves nothing about it. */
export class Tally {
  readonly counts = new Map<string, number>();

  add(words: string): void {
    const end = words.indexOf(' ');
    const kind = end === -1 ? words : words.slice(0, end);
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
  }
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
      ...PERSON,
      tracking_number: null,
      lines: step.lines.map(({ sku, quantity, price }) => ({
        sku,
        quantity,
        unit_price: decimal(`${Math.floor(price / 1000)}.${String(price % 1000).padStart(3, '0')}`),
      })),
    };
  }
  return {
    kind: 'report',
    target:
      step.channel === null
        ? { order_id: ids.orderId(step.number) }
        : { channel_id: ids.channel(step.channel), order_number: step.number },
    status: step.status,
    tracking_number: step.status === 3 ? 'T1' : null,
    courier_code: null,
    reason: null,
    source: step.expires ? 'service' : step.channel === null ? 'back_office' : 'channel',
    expires: step.expires,
    actor: 'test',
    request_id: null,
  };
}

/** The initial state: each channel maps each variant twice, all variants but one have stock. */
export function newModel(): Model {
  const model = new Model(CHANNELS);
  for (const channel of CHANNELS) {
    for (const variant of VARIANTS) {
      model.map(channel, skuOf(variant, 'a'), variant);
      model.map(channel, skuOf(variant, 'b'), variant);
    }
  }
  for (const variant of VARIANTS) if (variant !== BARE_VARIANT) model.setStock(variant, FIRST_QUANTITY);
  model.setRate(RATED_CHANNEL, FIRST_RATE);
  model.setRate(UNRATED_CHANNEL, null);
  return model;
}

/**
 * Runs a batch on the model. Back-office reports on an order of the same batch have no target yet. `expires`: channels
 * have an expiry, and every unpaid order is past it.
 */
export function expectedOf(model: Model, batch: readonly GateStep[], expires: boolean): string[] {
  const known = new Set(model.orders.keys());
  return batch.map((step) => {
    if (step.kind === 'intake') return model.intake(step);
    if (step.channel === null && !known.has(step.number)) return 'order_unknown';
    return step.expires ? model.expire(step.number, expires) : model.report(step);
  });
}

/** Returns false if the change was refused and nothing changed. */
export function deskOnModel(model: Model, step: DeskStep): boolean {
  switch (step.kind) {
    case 'set':
      return model.setStock(step.variant, step.quantity, step.expected);
    case 'adjust':
      return model.adjustStock(step.variant, step.delta);
    case 'allocate':
      return model.setAllocation(step.channel, step.variant, step.allocated, step.quota);
    case 'map':
      model.map(step.channel, step.sku, step.variant);
      return true;
    case 'unmap': {
      const wasMapped = model.mappings.has(`${step.channel}/${step.sku}`);
      model.unmap(step.channel, step.sku);
      return wasMapped;
    }
    case 'rate':
      model.setRate(RATED_CHANNEL, step.rate);
      return true;
  }
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
  if (batch.some((step) => step.kind === 'report')) return;
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
export function wordsOf(outcome: Outcome, ids: Ids): string {
  switch (outcome.kind) {
    case 'created':
    case 'resent':
    case 'reported':
      return `${outcome.kind} ${viewWords(outcome.order, ids)}`;
    case 'sku_unmapped':
    case 'stock_missing':
      return `${outcome.kind} ${outcome.sku}`;
    case 'stock_insufficient':
      return `${outcome.kind} ${outcome.skus[0]} ${outcome.requested} ${outcome.available}`;
    case 'quota_insufficient':
      return `${outcome.kind} ${outcome.skus[0]} ${outcome.requested} ${outcome.remaining}`;
    case 'invalid_transition':
      return `${outcome.kind} ${outcome.current_status} ${outcome.requested_status}`;
    case 'shipment_short':
      return `${outcome.kind} ${outcome.current_status} ${outcome.requested} ${outcome.available}`;
    case 'order_unknown':
    case 'order_number_taken':
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
