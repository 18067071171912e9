// Rates are decimal strings; they are converted to numbers only for rough comparisons.
import type { ExchangeRate } from '../../api/types.ts';

const RATE = /^\d{1,9}(\.\d{1,12})?$/;
/** A rate that changes by more than this factor is probably quoted for 100 units. */
const JUMP = 5;

/** The rule of the API: above 0, below 10^9, at most 12 decimals. */
export const isRate = (text: string): boolean => RATE.test(text) && /[1-9]/.test(text);

export function isFarOff(text: string, current: string): boolean {
  const ratio = Number(text) / Number(current);
  return ratio > JUMP || ratio < 1 / JUMP;
}

export type RateState = 'current' | 'scheduled' | 'past' | 'overruled';

/** The state of each rate at time `now`. The list has the latest rate first. */
export function statesOf(rates: readonly ExchangeRate[], now: number): RateState[] {
  let hasCurrent = false;
  return rates.map(({ effective_at }, at) => {
    // Two rates for the same time: the one added later applies.
    if (rates[at - 1]?.effective_at === effective_at) return 'overruled';
    if (Date.parse(effective_at) > now) return 'scheduled';
    if (hasCurrent) return 'past';
    hasCurrent = true;
    return 'current';
  });
}
