// Chooses a client's next request about one SKU.
import type { Random } from '../../kit/random.ts';
import { ALIASES, skuOf, type ReportStep } from '../steps.ts';
import { SKU_CHANNELS, type SkuRequest } from './requests.ts';

const RECENT_NUMBERS = 6;

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
  const number = resent?.number ?? `${prefix}-${item}-${numbers.length}`;
  if (!resent) numbers.push({ number, channel });
  return {
    kind: 'intake',
    channel: resent && random.chance(0.9) ? resent.channel : channel,
    number,
    status: random.chance(0.3) ? 0 : 1,
    backorder: random.chance(0.25),
    lines: Array.from({ length: random.between(1, 2) }, () => ({
      sku: skuOf(item, random.pick(ALIASES)),
      quantity: random.between(1, 4),
      price: 10_500,
    })),
  };
}
