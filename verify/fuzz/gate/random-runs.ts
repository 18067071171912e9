// Random runs in a small world: few items and small numbers, so that commands often conflict. fast-check generates and
// shrinks them.
import fc from 'fast-check';

export const CHANNELS = [0, 1, 2] as const;
export const VARIANTS = [0, 1, 2, 3] as const;
/** Mapped, but without a stock row until an administrator sets one. */
export const BARE_VARIANT = 3;
export const FIRST_QUANTITY = 20;
/** One channel in the base currency, one in a currency that gets rates, and one in a currency that never has a rate. */
export const COUNTRIES = ['KR', 'JP', 'US'] as const;
export const CURRENCIES = ['KRW', 'JPY', 'USD'] as const;
export const RATED_CHANNEL = 1;
export const UNRATED_CHANNEL = 2;
/** in millionths */
export const FIRST_RATE = 9_451_200;

const INT32_MAX = 2_147_483_647;

export type Status = 0 | 1 | 2 | 9 | 3 | 88;

/** Each channel has two SKUs for each variant. */
export const skuOf = (variant: number, alias: 'a' | 'b'): string => `V${variant}${alias}`;

export interface IntakeStep {
  kind: 'intake';
  channel: number;
  number: string;
  status: 0 | 1;
  backorder: boolean;
  /** the price in thousandths */
  lines: { sku: string; quantity: number; price: number }[];
}

export interface ReportStep {
  kind: 'report';
  /** null: the back office */
  channel: number | null;
  number: string;
  status: Status;
  /** Cancelled by the service because it was not paid in time; `channel` is null and `status` 88. */
  expires: boolean;
}

export type GateStep = IntakeStep | ReportStep;

export type DeskStep =
  | { kind: 'set'; variant: number; quantity: number; expected: number | null }
  | { kind: 'adjust'; variant: number; delta: number }
  | { kind: 'allocate'; channel: number; variant: number; allocated: number; quota: number }
  | { kind: 'map'; channel: number; sku: string; variant: number }
  | { kind: 'unmap'; channel: number; sku: string }
  /** of the rated channel's currency, in millionths */
  | { kind: 'rate'; rate: number };

/** Commands that share a batch, or one change by an administrator between batches. */
export type Group = GateStep[] | DeskStep;

export const rateText = (millionths: number): string =>
  `${Math.floor(millionths / 1_000_000)}.${String(millionths % 1_000_000).padStart(6, '0')}`;

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

type Draft<Step> = Omit<Step, 'number'> & Aim;
type Drafts = (Draft<GateStep> | DeskStep)[][];

/**
 * Assigns order numbers. A wave of drafts is a batch; a change by an administrator is alone in its wave. The waves are
 * reversed because fast-check shortens a list at its start, and the steps after a fault are the easiest to remove.
 */
function named(waves: Drafts): Group[] {
  const numbers: { number: string; channel: number }[] = [];
  const nameOf = (step: Draft<GateStep>): GateStep => {
    const { ago, own, ...rest } = step as Draft<IntakeStep>;
    const used = ago === null ? undefined : numbers[numbers.length - 1 - (ago % (numbers.length || 1))];
    const channel = own && used ? used.channel : rest.channel;
    const number = used?.number ?? `N${numbers.length}`;
    if (!used && step.kind === 'intake') numbers.push({ number, channel });
    return { ...rest, channel, number };
  };
  return waves.toReversed().map((wave) => {
    const [first] = wave;
    return first && !('ago' in first) ? first : wave.map((step) => nameOf(step as Draft<GateStep>));
  });
}

const RECENT_NUMBERS = 12;
const FAR_NUMBERS = 120;

const often = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });
const below = (end: number): fc.Arbitrary<number> => fc.nat(end - 1);
const percent = (share: number): fc.Arbitrary<boolean> => below(100).map((n) => n < share);

const channel = fc.constantFrom(...CHANNELS);
const alias = fc.constantFrom('a' as const, 'b' as const);
const stocked = below(BARE_VARIANT);
/** The bare variant is ordered less often, because it makes the whole order fail. */
const variant = fc.oneof(often(92, stocked), often(8, fc.constant(BARE_VARIANT)));
const sku = fc.tuple(variant, alias).map(([one, name]) => skuOf(one, name));
const ago = fc.oneof(often(85, below(RECENT_NUMBERS)), often(15, below(FAR_NUMBERS)));

interface World {
  intake: fc.Arbitrary<Draft<IntakeStep>>;
  report: fc.Arbitrary<Draft<ReportStep>>;
  expire: fc.Arbitrary<Draft<ReportStep>>;
  ship: fc.Arbitrary<Draft<ReportStep>>;
  desk: fc.Arbitrary<DeskStep>;
  /** Allocates more, or leaves less stock for existing allocations. */
  overcommit: fc.Arbitrary<DeskStep>;
}

/** `isVast`: some quantities are at the limit of their type. */
function worldOf(isVast: boolean): World {
  const vast = fc.integer({ min: INT32_MAX - 2, max: INT32_MAX });
  const size = (min: number, max: number): fc.Arbitrary<number> =>
    isVast ? fc.oneof(often(92, fc.integer({ min, max })), often(8, vast)) : fc.integer({ min, max });
  const either = (...ends: number[]): fc.Arbitrary<number> => fc.oneof(...ends.map((end) => size(0, end)));
  const delta = (min: number, max: number): fc.Arbitrary<number> =>
    (isVast ? size(min, max) : fc.integer({ min, max })).map((n) => n || 1);
  const line = fc.record({
    sku: fc.oneof(often(98, sku), often(2, fc.constant('nowhere'))),
    quantity: fc.oneof(size(1, 3), size(1, 8)),
    price: fc.oneof(fc.constant(10_500), below(100_000)),
  });
  const intake = fc.record({
    kind: fc.constant('intake' as const),
    channel,
    ago: fc.oneof(often(3, fc.constant(null)), often(1, ago)),
    own: percent(65),
    status: percent(30).map((isUnpaid) => (isUnpaid ? (0 as const) : (1 as const))),
    backorder: percent(30),
    lines: fc.array(line, { minLength: 1, maxLength: 4, size: '-1' }),
  });
  const reportOf = (...statuses: Status[]): fc.Arbitrary<Draft<ReportStep>> =>
    fc.record({
      kind: fc.constant('report' as const),
      channel: fc.oneof(often(3, channel), often(1, fc.constant(null))),
      ago: fc.oneof(often(98, ago), often(2, fc.constant(null))),
      own: percent(75),
      status: fc.constantFrom(...statuses),
      expires: fc.constant(false),
    });
  const set = fc.record({
    kind: fc.constant('set' as const),
    variant,
    quantity: either(4, 40),
    expected: fc.oneof(often(85, fc.constant(null)), often(15, size(0, 20))),
  });
  const adjust = fc.record({ kind: fc.constant('adjust' as const), variant, delta: delta(-10, 30) });
  const kind = fc.constant('allocate' as const);
  const allocate = fc.record({ kind, channel, variant, allocated: size(0, 12), quota: either(0, 3, 12) });
  const map = fc.record({ kind: fc.constant('map' as const), channel, sku, variant });
  return {
    intake,
    report: reportOf(0, 1, 2, 9, 3, 3, 88, 88),
    expire: fc.record({
      kind: fc.constant('report' as const),
      channel: fc.constant(null),
      ago,
      own: fc.constant(false),
      status: fc.constant(88 as const),
      expires: fc.constant(true),
    }),
    // Includes backorders. Some orders are cancelled, so that held stock is released by shipment and by
    // cancellation.
    ship: reportOf(3, 3, 3, 88),
    desk: fc.oneof(
      often(6, set),
      often(6, adjust),
      often(6, allocate),
      often(
        2,
        fc.record({ kind: fc.constant('rate' as const), rate: fc.integer({ min: 1, max: 20_000_000 }) }),
      ),
      often(1, map),
      often(
        2,
        map.map((step) => ({ ...step, sku: skuOf(step.variant, 'a') })),
      ),
      often(1, fc.record({ kind: fc.constant('unmap' as const), channel, sku })),
    ),
    overcommit: fc.oneof(
      fc.record({
        kind: fc.constant('set' as const),
        variant: stocked,
        quantity: either(5, 39),
        expected: fc.constant(null),
      }),
      fc.record({ kind: fc.constant('adjust' as const), variant: stocked, delta: delta(-12, 8) }),
      often(
        2,
        fc.record({ kind, channel, variant: stocked, allocated: either(7, 59), quota: fc.constant(0) }),
      ),
    ),
  };
}

interface RunSize {
  groups_max: number;
  batch_max: number;
}

const full = (minLength: number, maxLength: number) => ({ minLength, maxLength, size: 'max' as const });
const alone = <T>(step: fc.Arbitrary<T>): fc.Arbitrary<T[]> => step.map((one) => [one]);

function mixedRun(
  { intake, report, expire, desk }: World,
  { groups_max, batch_max }: RunSize,
): fc.Arbitrary<Drafts> {
  const command: fc.Arbitrary<Draft<GateStep>> = fc.oneof(
    often(6, intake),
    often(5, report),
    often(1, expire),
  );
  const batch: fc.Arbitrary<Drafts[number]> = fc.array(command, full(1, batch_max));
  return fc.array(fc.oneof(often(1, alone(desk)), often(1, batch)), full(1, groups_max));
}

/**
 * Over-commits the stock, then sends a wave of orders, repeatedly: administrators allocate more than there is and set
 * lower stock, backorders ship first. A wave contains no report, so physical stock does not change in it.
 */
function promisingRun(
  { intake, overcommit, ship }: World,
  { groups_max, batch_max }: RunSize,
): fc.Arbitrary<Drafts> {
  const promise: fc.Arbitrary<Drafts[number]> = fc.oneof(often(6, alone(overcommit)), often(4, alone(ship)));
  const wave: fc.Arbitrary<Drafts[number]> = fc.array(intake, full(1, batch_max));
  const turn = fc
    .tuple(fc.array(promise, full(1, 4)), wave)
    .map(([promises, orders]) => [orders, ...promises]);
  return fc.array(turn, full(1, Math.ceil(groups_max / 3))).map((turns) => turns.flat());
}

const CALM = worldOf(false);
const VAST = worldOf(true);

export const overcommittedRun = (size: RunSize): fc.Arbitrary<Group[]> =>
  fc.oneof(often(95, promisingRun(CALM, size)), often(5, promisingRun(VAST, size))).map(named);

/** One run in four tests over-commitment. */
export const anyRun = (size: RunSize): fc.Arbitrary<Group[]> =>
  fc.oneof(
    often(3, fc.oneof(often(95, mixedRun(CALM, size)), often(5, mixedRun(VAST, size))).map(named)),
    often(1, overcommittedRun(size)),
  );
