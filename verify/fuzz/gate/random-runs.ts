// Random runs, generated and shrunk by fast-check.
import fc from 'fast-check';
import { between, listOf, oneOf, weighted, type Arbitrary } from '../arbitrary.ts';
import {
  ALIASES,
  RATED_CHANNEL,
  RATED_CURRENCY,
  skuOf,
  type DeskStep,
  type ExpireStep,
  type GateStep,
  type IntakeStep,
  type ReportStep,
} from '../steps.ts';

/** One channel in the base currency, one in a currency that gets rates, and one in a currency that never has a rate. */
export const COUNTRIES = ['KR', 'JP', 'US'] as const;
export const CURRENCIES = ['KRW', RATED_CURRENCY, 'USD'] as const;
export const CHANNELS = [0, RATED_CHANNEL, 2] as const;
export const UNRATED_CHANNEL = 2;
/** in millionths */
export const FIRST_RATE = 9_451_200;

/** The last variant is mapped, but without a stock row until an administrator sets one. */
export const FIRST_QUANTITIES = [20, 20, 20, null] as const;
const BARE_VARIANT = 3;

const INT32_MAX = 2_147_483_647;

/** Commands that share a batch, or one change by an administrator between batches. */
export type Group = GateStep[] | DeskStep;

export const commandsIn = (groups: readonly Group[]): number =>
  groups.reduce((sum, group) => sum + (Array.isArray(group) ? group.length : 1), 0);

/**
 * How a step refers to an order: the number that was created this many new numbers ago, or a new one. It stays
 * valid when steps are removed.
 */
interface Aim {
  ago: number | null;
  /** Sent by the channel of that order; `channel` is ignored. */
  own: boolean;
}

type Draft<Step> = Step extends unknown ? Omit<Step, 'number'> & Aim : never;
type Wave = (Draft<GateStep> | DeskStep)[];

/**
 * Assigns order numbers. A wave of drafts is a batch; a change by an administrator is alone in its wave. The waves are
 * reversed because fast-check shortens a list at its start, and the steps after a fault are the easiest to remove.
 */
function named(waves: Wave[]): Group[] {
  const numbers: { number: string; channel: number }[] = [];
  const nameOf = ({ ago, own, ...step }: Draft<GateStep>): GateStep => {
    const used = ago === null ? undefined : numbers[numbers.length - 1 - (ago % (numbers.length || 1))];
    const number = used?.number ?? `N${numbers.length}`;
    if (step.kind === 'expire') return { ...step, number };
    if (used) return { ...step, number, channel: own ? used.channel : step.channel } as GateStep;
    if (step.kind === 'intake') numbers.push({ number, channel: step.channel });
    return { ...step, number };
  };
  return waves.toReversed().map((wave) => {
    const [first] = wave;
    return first && !('ago' in first) ? first : (wave as Draft<GateStep>[]).map(nameOf);
  });
}

const RECENT_NUMBERS = 12;
const FAR_NUMBERS = 120;

const below = (end: number): Arbitrary<number> => fc.nat(end - 1);
const percent = (share: number): Arbitrary<boolean> => below(100).map((n) => n < share);

const channel = oneOf(...CHANNELS);
const stocked = below(BARE_VARIANT);
/** The bare variant is ordered less often, because it makes the whole order fail. */
const variant = weighted([92, stocked], [8, fc.constant(BARE_VARIANT)]);
const sku = fc.tuple(variant, oneOf(...ALIASES)).map(([one, alias]) => skuOf(one, alias));
const ago = weighted([85, below(RECENT_NUMBERS)], [15, below(FAR_NUMBERS)]);

interface Steps {
  intake: Arbitrary<Draft<IntakeStep>>;
  report: Arbitrary<Draft<ReportStep>>;
  expire: Arbitrary<Draft<ExpireStep>>;
  ship: Arbitrary<Draft<ReportStep>>;
  desk: Arbitrary<DeskStep>;
  /** Allocates more, or leaves less stock for existing allocations. */
  overcommit: Arbitrary<DeskStep>;
}

const limitOf = (max: number): Arbitrary<number | null> => weighted([1, fc.constant(null)], [1, fc.nat(max)]);
const limits = fc.record({
  line: limitOf(6).map((n) => n && n + 1),
  unpaid: limitOf(12),
  unpaidPercent: limitOf(100),
  backordered: limitOf(8),
});

/** `isVast`: some quantities are at the limit of their type. */
function stepsOf(isVast: boolean): Steps {
  const size = (min: number, max: number): Arbitrary<number> =>
    isVast ? weighted([92, between(min, max)], [8, between(INT32_MAX - 2, INT32_MAX)]) : between(min, max);
  const either = (...ends: number[]): Arbitrary<number> => fc.oneof(...ends.map((end) => size(0, end)));
  const delta = (min: number, max: number): Arbitrary<number> => size(min, max).map((n) => n || 1);
  const line = fc.record({
    sku: weighted([98, sku], [2, fc.constant('nowhere')]),
    quantity: fc.oneof(size(1, 3), size(1, 8)),
    price: fc.oneof(fc.constant(10_500), below(100_000)),
  });
  const reportOf = (...statuses: ReportStep['status'][]): Arbitrary<Draft<ReportStep>> =>
    fc.record({
      kind: fc.constant('report'),
      channel: weighted<number | null>([3, channel], [1, fc.constant(null)]),
      ago: weighted<number | null>([98, ago], [2, fc.constant(null)]),
      own: percent(75),
      status: oneOf(...statuses),
    });
  const kind = fc.constant('allocate');
  const map = fc.record({ kind: fc.constant('map'), channel, sku, variant });
  return {
    intake: fc.record({
      kind: fc.constant('intake'),
      channel,
      ago: weighted<number | null>([3, fc.constant(null)], [1, ago]),
      own: percent(65),
      status: percent(30).map((isUnpaid) => (isUnpaid ? 0 : 1)),
      backorder: percent(30),
      reserved: percent(4),
      limits: weighted([75, fc.constant(null)], [25, limits]),
      lines: fc.array(line, { minLength: 1, maxLength: 4, size: '-1' }),
    }),
    report: reportOf(0, 1, 2, 9, 3, 3, 88, 88),
    expire: fc.record({ kind: fc.constant('expire'), ago, own: fc.constant(false) }),
    // Includes backorders. Some orders are cancelled, so that held stock is released by shipment and by
    // cancellation.
    ship: reportOf(3, 3, 3, 88),
    desk: weighted<DeskStep>(
      [
        6,
        fc.record({
          kind: fc.constant('set'),
          variant,
          quantity: either(4, 40),
          expected: weighted<number | null>([85, fc.constant(null)], [15, size(0, 20)]),
        }),
      ],
      [6, fc.record({ kind: fc.constant('adjust'), variant, delta: delta(-10, 30) })],
      [6, fc.record({ kind, channel, variant, allocated: size(0, 12), quota: either(0, 3, 12) })],
      [2, fc.record({ kind: fc.constant('rate'), rate: between(1, 20_000_000) })],
      [1, map],
      [2, map.map((step) => ({ ...step, sku: skuOf(step.variant, 'a') }))],
      [1, fc.record({ kind: fc.constant('unmap'), channel, sku })],
    ),
    overcommit: weighted<DeskStep>(
      [
        1,
        fc.record({
          kind: fc.constant('set'),
          variant: stocked,
          quantity: either(5, 39),
          expected: fc.constant(null),
        }),
      ],
      [1, fc.record({ kind: fc.constant('adjust'), variant: stocked, delta: delta(-12, 8) })],
      [2, fc.record({ kind, channel, variant: stocked, allocated: either(7, 59), quota: fc.constant(0) })],
    ),
  };
}

export interface RunSize {
  groups_max: number;
  batch_max: number;
}

const alone = <T>(step: Arbitrary<T>): Arbitrary<T[]> => step.map((one) => [one]);

function mixedRun({ intake, report, expire, desk }: Steps, size: RunSize): Arbitrary<Wave[]> {
  const command = weighted<Draft<GateStep>>([6, intake], [5, report], [1, expire]);
  const wave = weighted<Wave>([1, alone(desk)], [1, listOf(command, 1, size.batch_max)]);
  return listOf(wave, 1, size.groups_max);
}

/**
 * Over-commits the stock, then sends a wave of orders, repeatedly: administrators allocate more than there is and set
 * lower stock, backorders ship first. A wave contains no report, so physical stock does not change in it.
 */
function promisingRun({ intake, overcommit, ship }: Steps, size: RunSize): Arbitrary<Wave[]> {
  const promise = weighted<Wave>([6, alone(overcommit)], [4, alone(ship)]);
  const turn = fc
    .tuple(listOf(promise, 1, 4), listOf(intake, 1, size.batch_max))
    .map(([promises, orders]) => [orders, ...promises]);
  return listOf(turn, 1, Math.ceil(size.groups_max / 3)).map((turns) => turns.flat());
}

const CALM = stepsOf(false);
const VAST = stepsOf(true);

const mostlyCalm = (make: typeof mixedRun, size: RunSize): Arbitrary<Group[]> =>
  weighted([95, make(CALM, size)], [5, make(VAST, size)]).map(named);

export const overcommittedRun = (size: RunSize): Arbitrary<Group[]> => mostlyCalm(promisingRun, size);

/** One run in four tests over-commitment. */
export const anyRun = (size: RunSize): Arbitrary<Group[]> =>
  weighted([3, mostlyCalm(mixedRun, size)], [1, overcommittedRun(size)]);
