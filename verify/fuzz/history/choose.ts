// Chooses a client's next request about one SKU.
import type { Random } from '../../kit/random.ts';
import type { ModelRules } from '../../kit/model.ts';
import { ALIASES, skuOf, type ReportStep } from '../steps.ts';
import { SKU_CHANNELS, type SkuRequest } from './requests.ts';

const RECENT_NUMBERS = 6;

const maybe = (random: Random, first: number, last: number): number | null =>
  random.chance(0.5) ? random.between(first, last) : null;

/** How the order numbers of a channel begin, whether or not that is its prefix. */
const beginning = (prefix: string, channel: number): string => `${prefix}-${'AB'[channel]}`;

/** Of each channel, for a whole epoch: another process takes over a change some milliseconds later. */
export const chooseRules = (random: Random, prefix: string): ModelRules[] =>
  SKU_CHANNELS.map((channel) => ({
    prefix: random.chance(0.4) ? beginning(prefix, channel) : null,
    limits: random.chance(0.6)
      ? {
          line: maybe(random, 1, 4),
          unpaid: maybe(random, 0, 8),
          unpaidPercent: maybe(random, 0, 100),
          backordered: maybe(random, 0, 6),
        }
      : null,
  }));

export interface KnownNumber {
  number: string;
  channel: number;
}

/** New order numbers are added to the known ones, which all clients share. */
export function chooseRequest(
  random: Random,
  item: number,
  numbers: KnownNumber[],
  prefix: string,
): SkuRequest {
  const channel = random.pick(SKU_CHANNELS);
  const recent = numbers.slice(-RECENT_NUMBERS);
  const known = recent.length > 0 ? random.pick(recent) : undefined;
  const what = random.below(100);
  if (what < 24) return { kind: 'lookup', channel };
  if (what < 40) return { kind: 'list', channel };
  if (what < 42) return { kind: 'level' };
  if (what < 45) return { kind: 'set', variant: item, quantity: random.below(16), expected: null };
  if (what < 48) return { kind: 'adjust', variant: item, delta: random.between(-4, 6) || 1 };
  if (what < 51)
    return { kind: 'allocate', channel, variant: item, allocated: random.below(6), quota: random.below(6) };
  if (what < 74 && known) {
    const status = random.pick<ReportStep['status']>([1, 2, 9, 3, 3, 88, 88]);
    const by = random.chance(0.95) ? known.channel : channel;
    return { kind: 'report', channel: by, number: known.number, status };
  }
  if (what < 78 && known) return { kind: 'expire', number: known.number };
  const resent = random.chance(0.25) ? known : undefined;
  const whose = random.chance(0.9) ? channel : random.pick(SKU_CHANNELS);
  const number = resent?.number ?? `${beginning(prefix, whose)}-${item}-${numbers.length}`;
  if (!resent) numbers.push({ number, channel });
  return {
    kind: 'intake',
    channel: resent && random.chance(0.9) ? resent.channel : channel,
    number,
    status: random.chance(0.4) ? 0 : 1,
    backorder: random.chance(0.25),
    lines: Array.from({ length: random.between(1, 2) }, () => ({
      sku: skuOf(item, random.pick(ALIASES)),
      quantity: random.between(1, 4),
      price: 10_500,
    })),
  };
}
