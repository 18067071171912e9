// The steps of random runs, and a small market for them: few items and small numbers, so that steps often conflict.
// `fuzz` and `fuzz:history` apply them to the model and send them to the service in the same way.
import type { Status } from '../../src/core/rules/transitions.ts';
import { fixtures, must, type TestChannel, type TestVariant } from '../kit/fixtures.ts';
import { Model, type ModelLimits, type ModelRules } from '../kit/model.ts';
import type { TestService } from '../kit/service.ts';

export interface IntakeStep {
  kind: 'intake';
  channel: number;
  number: string;
  status: 0 | 1;
  backorder: boolean;
  /** The number starts with the prefix of another channel. */
  reserved?: boolean;
  /** The limits of the channel at that moment. */
  limits?: ModelLimits | null;
  /** the price in thousandths */
  lines: { sku: string; quantity: number; price: number }[];
}

export interface ReportStep {
  kind: 'report';
  /** null: the back office */
  channel: number | null;
  number: string;
  status: Status;
}

/** Cancelled by the service unless it was paid in time. */
export interface ExpireStep {
  kind: 'expire';
  number: string;
}

export type GateStep = IntakeStep | ReportStep | ExpireStep;

export type StockStep =
  | { kind: 'set'; variant: number; quantity: number; expected: number | null }
  | { kind: 'adjust'; variant: number; delta: number }
  | { kind: 'allocate'; channel: number; variant: number; allocated: number; quota: number };

export type DeskStep =
  | StockStep
  | { kind: 'map'; channel: number; sku: string; variant: number }
  | { kind: 'unmap'; channel: number; sku: string }
  /** of the rated channel's currency, in millionths */
  | { kind: 'rate'; rate: number };

export const RATED_CHANNEL = 1;
export const RATED_CURRENCY = 'JPY';

export const rateText = (millionths: number): string =>
  `${Math.floor(millionths / 1_000_000)}.${String(millionths % 1_000_000).padStart(6, '0')}`;

/** Each channel has two SKUs for each variant. */
export const ALIASES = ['a', 'b'] as const;
export const skuOf = (variant: number, alias: (typeof ALIASES)[number]): string => `V${variant}${alias}`;
const skusOf = (variant: number): string[] => ALIASES.map((alias) => skuOf(variant, alias));

/** Each channel maps each variant twice. Quantity null: no stock row. */
export function newModel(
  channels: readonly number[],
  quantities: Iterable<readonly [variant: number, quantity: number | null]>,
): Model {
  const model = new Model(channels);
  for (const [variant, quantity] of quantities) {
    for (const channel of channels) for (const sku of skusOf(variant)) model.map(channel, sku, variant);
    if (quantity !== null) model.setStock(variant, quantity);
  }
  return model;
}

/** The channels and variants of one run. */
export interface Market {
  channels: TestChannel[];
  variants: TestVariant[];
}

/** As the admin API and the gate name them. */
export const limitFields = ({ line, unpaid, unpaidPercent, backordered }: ModelLimits) => ({
  line_quantity_max: line,
  unpaid_quantity_max: unpaid,
  unpaid_percent_max: unpaidPercent,
  backordered_quantity_max: backordered,
});

/**
 * The initial state of the model in the service, with channels and items that no other run uses. `rules`: of each
 * channel; none if absent.
 */
export async function newMarket(
  service: Pick<TestService, 'admin' | 'channel'>,
  channelFields: readonly object[],
  quantities: readonly (number | null)[],
  rules: readonly ModelRules[] = [],
): Promise<Market> {
  const make = fixtures(service);
  const variants = await Promise.all(quantities.map((quantity) => make.variant(quantity)));
  const mappings = variants.flatMap(({ code }, variant) =>
    skusOf(variant).map((sku) => ({ sku, variant_code: code })),
  );
  // Create them one after the other, because the stock row lists channels by id.
  const channels: TestChannel[] = [];
  for (const [place, fields] of channelFields.entries()) {
    const { prefix = null, limits = null } = rules[place] ?? {};
    const channel = await make.channel({ ...fields, is_active: false, order_number_prefix: prefix });
    await must(service.admin('PUT', `/channels/${channel.id}/mappings`, { mappings }), 200);
    if (limits) await must(service.admin('PUT', `/channels/${channel.id}/limits`, limitFields(limits)), 200);
    channels.push(channel);
  }
  // At the end: a process that has read one of these channels as active has read all prefixes and limits with it.
  for (const { id } of channels)
    await must(service.admin('PATCH', `/channels/${id}`, { is_active: true }), 200);
  return { channels, variants };
}

/** The model's answer. `expires`: channels have an expiry, and every unpaid order is past it. */
export function gateOnModel(model: Model, step: GateStep, expires: boolean): string {
  switch (step.kind) {
    case 'intake':
      return model.intake(step);
    case 'report':
      return model.report(step);
    case 'expire':
      return model.expire(step.number, expires);
  }
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

interface DeskRequest {
  method: 'PUT' | 'POST' | 'DELETE';
  /** below /admin/v1 */
  path: string;
  body?: object;
}

/** The request by which an administrator makes a change. */
export function deskRequest({ channels, variants }: Market, step: DeskStep): DeskRequest {
  const channel = 'channel' in step ? `/channels/${channels[step.channel]?.id}` : '';
  const code = 'variant' in step ? variants[step.variant]?.code : undefined;
  switch (step.kind) {
    case 'set': {
      const body = { quantity: step.quantity, expected_quantity: step.expected };
      return { method: 'PUT', path: `/stock/${code}`, body };
    }
    case 'adjust':
      return {
        method: 'POST',
        path: `/stock/${code}/adjustments`,
        body: { delta: step.delta, reason: 'count' },
      };
    case 'allocate': {
      const body = { allocated_qty: step.allocated, reserve_quota: step.quota };
      return { method: 'PUT', path: `${channel}/allocations/${code}`, body };
    }
    case 'map': {
      const mappings = [{ sku: step.sku, variant_code: code }];
      return { method: 'PUT', path: `${channel}/mappings`, body: { mappings } };
    }
    case 'unmap':
      return { method: 'DELETE', path: `${channel}/mappings/${step.sku}` };
    case 'rate': {
      const body = { currency_code: RATED_CURRENCY, rate: rateText(step.rate) };
      return { method: 'POST', path: '/exchange-rates', body };
    }
  }
}
