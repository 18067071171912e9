// A small crowded world for random runs: few items, few numbers, many clashes.
import { PERSON } from './canaries.ts';
import fc from 'fast-check';
import type { Command, Outcome } from '../../src/domain/commands.ts';
import { decimal } from '../../src/domain/money.ts';
import type { Status } from '../../src/domain/transitions.ts';
import type { Model } from './model.ts';

export const CHANNELS = [0, 1, 2] as const;
export const VARIANTS = [0, 1, 2, 3] as const;
/** Mapped, but without a stock row until an administrator sets one. */
export const BARE_VARIANT = 3;
const UNMAPPED_SKU = 'nowhere';

/** Each channel reaches each variant by two names. */
export const skuOf = (variant: number, alias: 'a' | 'b'): string => `V${variant}${alias}`;

export type Step =
  | {
      kind: 'intake';
      channel: number;
      number: string;
      status: 0 | 1;
      backorder: boolean;
      lines: { sku: string; quantity: number }[];
    }
  | { kind: 'report'; channel: number | null; number: string; status: Status }
  | { kind: 'set'; variant: number; quantity: number }
  | { kind: 'adjust'; variant: number; delta: number }
  | { kind: 'allocate'; channel: number; variant: number; allocated: number; quota: number }
  | { kind: 'map'; channel: number; sku: string; variant: number }
  | { kind: 'unmap'; channel: number; sku: string };

export type GateStep = Extract<Step, { kind: 'intake' | 'report' }>;
export type DeskStep = Exclude<Step, GateStep>;

const channel = fc.constantFrom(...CHANNELS);
const variant = fc.constantFrom(...VARIANTS);
const number = fc.integer({ min: 0, max: 39 }).map((n) => `N${n}`);
const sku = fc.oneof(
  {
    weight: 20,
    arbitrary: fc.tuple(variant, fc.constantFrom('a' as const, 'b' as const)).map(([v, a]) => skuOf(v, a)),
  },
  { weight: 1, arbitrary: fc.constant(UNMAPPED_SKU) },
);
const small = (max: number) => fc.integer({ min: 0, max });

const intake: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('intake' as const),
  channel,
  number,
  status: fc.constantFrom(0 as const, 1 as const),
  backorder: fc.oneof(
    { weight: 3, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.constant(true) },
  ),
  lines: fc.array(fc.record({ sku, quantity: fc.integer({ min: 1, max: 8 }) }), {
    minLength: 1,
    maxLength: 4,
  }),
});
const report: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('report' as const),
  channel: fc.oneof({ weight: 4, arbitrary: channel }, { weight: 1, arbitrary: fc.constant(null) }),
  number,
  status: fc.constantFrom<Status>(0, 1, 2, 9, 3, 3, 88, 88),
});
const desk: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), variant, quantity: small(30) }),
  fc.record({
    kind: fc.constant('adjust' as const),
    variant,
    delta: fc.integer({ min: -10, max: 20 }).filter(Boolean),
  }),
  fc.record({
    kind: fc.constant('allocate' as const),
    channel,
    variant,
    allocated: small(12),
    quota: small(10),
  }),
  fc.record({
    kind: fc.constant('map' as const),
    channel,
    sku: fc.tuple(variant, fc.constantFrom('a' as const, 'b' as const)).map(([v, a]) => skuOf(v, a)),
    variant,
  }),
);

export const steps = (maxLength: number): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof(
      { weight: 6, arbitrary: intake },
      { weight: 5, arbitrary: report },
      { weight: 2, arbitrary: desk },
    ),
    { minLength: 1, maxLength, size: 'max' },
  );

export const isGateStep = (step: Step): step is GateStep => step.kind === 'intake' || step.kind === 'report';

/** The step as a command; ids of this world are translated to those of the database or the pure world. */
export function commandOf(
  step: GateStep,
  ids: { channel: (index: number) => number; orderId: (number: string) => number },
): Command {
  if (step.kind === 'intake') {
    return {
      kind: 'intake',
      channel_id: ids.channel(step.channel),
      order_number: step.number,
      status: step.status,
      is_backorder: step.backorder,
      ...PERSON,
      tracking_number: null,
      lines: step.lines.map(({ sku: name, quantity }) => ({
        sku: name,
        quantity,
        unit_price: decimal('10.5'),
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
    source: step.channel === null ? 'back_office' : 'channel',
    actor: 'test',
    request_id: null,
  };
}

export const applyToModel = (model: Model, step: GateStep): string =>
  step.kind === 'intake' ? model.intake(step, CHANNELS) : model.report(step);

/** An outcome in the model's words. */
export function wordsOf(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'created':
    case 'resent':
    case 'reported':
      return `${outcome.kind} ${outcome.order.status}`;
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
      return outcome.kind;
  }
}
