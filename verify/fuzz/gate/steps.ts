// A small crowded world for random runs: few items, few numbers, many clashes.
import { Random } from '../../kit/random.ts';

export const CHANNELS = [0, 1, 2] as const;
export const VARIANTS = [0, 1, 2, 3] as const;
/** Mapped, but without a stock row until an administrator sets one. */
export const BARE_VARIANT = 3;
export const FIRST_QUANTITY = 20;
/** Sells in the base currency, in one that gets rates, and in one that never has any. */
export const COUNTRIES = ['KR', 'JP', 'US'] as const;
export const CURRENCIES = ['KRW', 'JPY', 'USD'] as const;
export const RATED_CHANNEL = 1;
export const UNRATED_CHANNEL = 2;
/** in millionths */
export const FIRST_RATE = 9_451_200;

const UNMAPPED_SKU = 'nowhere';
const INT32_MAX = 2_147_483_647;

export type Status = 0 | 1 | 2 | 9 | 3 | 88;
type Alias = 'a' | 'b';

/** Each channel reaches each variant by two names. */
export const skuOf = (variant: number, alias: Alias): string => `V${variant}${alias}`;

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

export interface RunSize {
  steps_max: number;
  batch_max: number;
}

/** One run in four is about over-commitment. The seed says which, so that its seed is enough to replay any run. */
const OVERCOMMITTED_ONE_IN = 4;

/** The nearest seed of a run about over-commitment. */
export const overcommittedSeed = (seed: number): number => seed - (seed % OVERCOMMITTED_ONE_IN);

export function generateRun(seed: number, size: RunSize): Group[] {
  return seed === overcommittedSeed(seed) ? overcommittedRun(seed, size) : mixedRun(seed, size);
}

/**
 * Promises beyond the stock, then a wave of orders, and again: administrators allocate more than there is and count
 * less than there was, backorders ship first. A wave holds no report, so physical stock stands still in it.
 */
function overcommittedRun(seed: number, { steps_max, batch_max }: RunSize): Group[] {
  const random = new Random(seed);
  const crowd = new Crowd(random);
  const groups: Group[] = [];
  for (let steps = random.between(1, steps_max); steps > 0;) {
    for (let left = random.between(1, 4); left > 0; left--, steps--)
      groups.push(random.chance(0.6) ? crowd.overcommit() : [crowd.ship()]);
    const wave = Array.from({ length: random.between(1, batch_max) }, () => crowd.intake());
    groups.push(wave);
    steps -= wave.length;
  }
  return groups;
}

function mixedRun(seed: number, { steps_max, batch_max }: RunSize): Group[] {
  const random = new Random(seed);
  const crowd = new Crowd(random);
  const batch = random.between(1, batch_max);
  // Rare changes by administrators let batches grow to their full size.
  const deskShare = random.pick([15, 8, 3]);
  const groups: Group[] = [];
  for (let steps = random.between(1, steps_max); steps > 0; steps--) {
    if (random.chance(deskShare / 100)) {
      groups.push(crowd.desk());
      continue;
    }
    const step = random.below(11) < 6 ? crowd.intake() : crowd.report();
    const last = groups.at(-1);
    if (Array.isArray(last) && last.length < batch) last.push(step);
    else groups.push([step]);
  }
  return groups;
}

const RECENT_NUMBERS = 12;

/** Who says what next. Remembers the numbers in use, so that most reports meet an order. */
class Crowd {
  readonly #random: Random;
  readonly #numbers: { number: string; channel: number }[] = [];
  /** Now and then a run goes to the limits of the quantities. */
  readonly #isVast: boolean;

  constructor(random: Random) {
    this.#random = random;
    this.#isVast = random.chance(0.05);
  }

  intake(): IntakeStep {
    const random = this.#random;
    const used = random.chance(0.25) ? this.#usedNumber() : undefined;
    const channel = used && random.chance(0.65) ? used.channel : random.pick(CHANNELS);
    const number = used?.number ?? `N${this.#numbers.length}`;
    if (!used) this.#numbers.push({ number, channel });
    return {
      kind: 'intake',
      channel,
      number,
      status: random.chance(0.3) ? 0 : 1,
      backorder: random.chance(0.3),
      lines: Array.from({ length: random.between(1, random.between(1, 4)) }, () => ({
        sku: random.chance(0.02) ? UNMAPPED_SKU : this.#sku(),
        quantity: this.#vast() ?? random.between(1, random.between(1, 8)),
        price: random.chance(0.5) ? 10_500 : random.below(100_000),
      })),
    };
  }

  report(): ReportStep {
    const random = this.#random;
    const used = random.chance(0.98) ? this.#usedNumber() : undefined;
    const who = random.below(100);
    const channel = who < 15 ? null : who < 25 || !used ? random.pick(CHANNELS) : used.channel;
    return {
      kind: 'report',
      channel,
      number: used?.number ?? `N${this.#numbers.length + 1}`,
      status: random.pick<Status>([0, 1, 2, 9, 3, 3, 88, 88]),
    };
  }

  /** Promises more, or leaves less to keep the promises with. */
  overcommit(): DeskStep {
    const random = this.#random;
    const variant = random.below(BARE_VARIANT);
    switch (random.below(4)) {
      case 0:
        return { kind: 'set', variant, quantity: random.below(random.pick([6, 40])), expected: null };
      case 1:
        return { kind: 'adjust', variant, delta: random.between(-12, 8) || 1 };
      default: {
        const allocated = this.#vast() ?? random.below(random.pick([8, 60]));
        return { kind: 'allocate', channel: random.pick(CHANNELS), variant, allocated, quota: 0 };
      }
    }
  }

  /** Mostly shipments, of backorders too; some orders are cancelled, so that holds end both ways. */
  ship(): ReportStep {
    return { ...this.report(), status: this.#random.pick<Status>([3, 3, 3, 88]) };
  }

  desk(): DeskStep {
    const random = this.#random;
    const channel = random.pick(CHANNELS);
    const variant = this.#variant();
    const small = (max: number): number => this.#vast() ?? random.below(max + 1);
    switch (random.below(12)) {
      case 0:
      case 1:
      case 2: {
        const expected = random.chance(0.15) ? small(20) : null;
        return { kind: 'set', variant, quantity: small(random.pick([4, 40])), expected };
      }
      case 3:
      case 4:
      case 5:
        return { kind: 'adjust', variant, delta: this.#vast() ?? (random.between(-10, 30) || 1) };
      case 6:
      case 7:
      case 8: {
        const quota = random.chance(0.3) ? 0 : small(random.pick([3, 12]));
        return { kind: 'allocate', channel, variant, allocated: small(12), quota };
      }
      case 9:
        return { kind: 'rate', rate: random.between(1, 20_000_000) };
      case 10:
        return { kind: 'map', channel, sku: this.#sku(), variant };
      default:
        return random.chance(0.3)
          ? { kind: 'unmap', channel, sku: this.#sku() }
          : { kind: 'map', channel, sku: skuOf(variant, random.pick(['a', 'b'])), variant };
    }
  }

  #vast(): number | null {
    return this.#isVast && this.#random.chance(0.08) ? INT32_MAX - this.#random.below(3) : null;
  }

  /** The bare one is asked for less often, so that it does not spoil most orders. */
  #variant(): number {
    return this.#random.chance(0.08) ? BARE_VARIANT : this.#random.below(BARE_VARIANT);
  }

  #sku(): string {
    return skuOf(this.#variant(), this.#random.pick(['a', 'b']));
  }

  #usedNumber(): { number: string; channel: number } | undefined {
    const from = this.#random.chance(0.85) ? Math.max(0, this.#numbers.length - RECENT_NUMBERS) : 0;
    return this.#numbers[this.#random.between(from, Math.max(from, this.#numbers.length - 1))];
  }
}
