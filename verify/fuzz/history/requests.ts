// The requests about one SKU, and the answers of the model.
import type { Model, ModelOrder, ModelRules } from '../../kit/model.ts';
import type { SequentialModel } from '../linearizability.ts';
import {
  deskOnModel,
  gateOnModel,
  newModel,
  type ExpireStep,
  type IntakeStep,
  type ReportStep,
  type StockStep,
} from '../steps.ts';

export const SKU_CHANNELS = [0, 1] as const;
export const FIRST_QUANTITY = 12;

export function newSkuModel(item: number, rules: readonly ModelRules[] = []): Model {
  const model = newModel(SKU_CHANNELS, [[item, FIRST_QUANTITY]]);
  for (const [channel, demanded] of rules.entries()) model.rules.set(channel, demanded);
  return model;
}

export type SkuRequest =
  | IntakeStep
  | (ReportStep & { channel: number })
  | ExpireStep
  | StockStep
  | { kind: 'lookup'; channel: number }
  | { kind: 'list'; channel: number }
  | { kind: 'level' };

export interface Asked {
  request: SkuRequest;
  client: number;
  /** The process that got the request. */
  service: string;
}

/** The figures in a fixed order. */
export const sellableWords = (available: number, reserve: number): string =>
  `${available}, reserve ${reserve}`;

export const listWords = (quantity: number, allocated: number, available: number, reserve: number): string =>
  `${quantity} physical, ${allocated} allocated, ${sellableWords(available, reserve)}`;

interface Share {
  allocated_qty: number;
  reserve_quota: number;
  backordered_qty: number;
  available: number;
}

export const levelWords = (
  stock: {
    quantity: number;
    unshipped: number;
    allocated: number;
    backordered: number;
    overcommitted_by: number;
  },
  channels: readonly Share[],
): string =>
  `${stock.quantity} physical, ${stock.unshipped} unshipped, ${stock.allocated} allocated, ` +
  `${stock.backordered} backordered, overcommitted by ${stock.overcommitted_by}${channels.map(shareWords).join('')}`;

const shareWords = (share: Share, channel: number): string =>
  `; channel ${channel}: ${share.allocated_qty} allocated, quota ${share.reserve_quota}, ` +
  `${share.backordered_qty} backordered, ${share.available} available`;

export const levelOf = (model: Model, variant: number): string =>
  levelWords(
    {
      quantity: model.physical.get(variant) ?? 0,
      unshipped: model.unshipped(variant),
      allocated: model.allocated(variant),
      backordered: model.backordered(variant),
      overcommitted_by: model.overcommittedBy(variant),
    },
    SKU_CHANNELS.map((channel) => ({
      allocated_qty: model.allocatedQty(channel, variant),
      reserve_quota: model.quota(channel, variant),
      backordered_qty: model.backordered(variant, channel),
      available: model.available(channel, variant),
    })),
  );

/** The expiry job has run. */
export const EXPIRED = 'expired unless paid';

/**
 * Refused or already done. A report answered with the order is not included, because it may have changed the
 * order.
 */
const NO_EFFECT =
  /^(?:resent|order_|number_|stock_insufficient|quota_insufficient|limit_exceeded|invalid_transition|shipment_short|below_zero)/;

/** The model of one SKU; the state contains all its figures. */
export const skuModel = (variant: number): SequentialModel<Model, Asked, string> => ({
  step(model, { request }, answer) {
    const next = isRead(request) ? model : model.copy();
    const expected = answerBy(next, variant, request);
    return answer === null || answer === expected ? next : null;
  },
  keyOf: (model) =>
    `${levelOf(model, variant)} ${[...model.orders.values()].map(orderKey).toSorted().join(' ')}`,
  isIdle: ({ request }, answer) => isRead(request) || (answer !== null && NO_EFFECT.test(answer)),
});

/**
 * All properties of an order that later answers can show. The lines are part of it: a resend with other lines
 * may have been executed first.
 */
const orderKey = ({ number, channel, status, backorder, lines, drawn }: ModelOrder): string =>
  `${number}/${channel}/${status}/${backorder}/${lines.map((line) => line.quantity).join('+')}/${[...drawn.values()].join()}`;

const isRead = (request: SkuRequest): boolean =>
  request.kind === 'lookup' || request.kind === 'list' || request.kind === 'level';

/** Answers a request and applies its change to the model. Administrators get the row after their change. */
export function answerBy(model: Model, variant: number, request: SkuRequest): string {
  switch (request.kind) {
    case 'lookup':
      return sellableWords(
        model.available(request.channel, variant),
        model.reserveRemaining(request.channel, variant),
      );
    case 'list':
      return listWords(
        model.physical.get(variant) ?? 0,
        model.allocated(variant),
        model.available(request.channel, variant),
        model.reserveRemaining(request.channel, variant),
      );
    case 'level':
      return levelOf(model, variant);
    case 'intake':
    case 'report':
      return gateOnModel(model, request, true);
    case 'expire':
      // Every channel has an expiry, and the order is past it. Whether it was paid before shows in other answers.
      return gateOnModel(model, request, true) === 'order_unknown' ? 'order_unknown' : EXPIRED;
    case 'set':
    case 'adjust':
      return deskOnModel(model, request) ? levelOf(model, variant) : 'below_zero';
    case 'allocate':
      deskOnModel(model, request);
      return 'allocated';
  }
}
