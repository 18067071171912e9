// Rates are decimal texts; only a comparison of sizes looks at them as numbers.
import type { ExchangeRate } from '../../api/types.ts';

const RATE = /^\d{1,9}(\.\d{1,12})?$/;
/** A rate that moved this much at once is more likely one for 100 units. */
const JUMP = 5;

/** As the API demands: above 0, below 10^9, at most 12 decimals. */
export const isRate = (text: string): boolean => RATE.test(text) && /[1-9]/.test(text);

export function isFarOff(text: string, current: string): boolean {
  const ratio = Number(text) / Number(current);
  return ratio > JUMP || ratio < 1 / JUMP;
}

export type RateState = 'current' | 'scheduled' | 'past' | 'overruled';

/** Of a list with the latest first: what each of them is at this moment. */
export function statesOf(rates: readonly ExchangeRate[], now: number): RateState[] {
  let hasCurrent = false;
  return rates.map(({ effective_at }, at) => {
    // Two for one moment: the one added later holds.
    if (rates[at - 1]?.effective_at === effective_at) return 'overruled';
    if (Date.parse(effective_at) > now) return 'scheduled';
    if (hasCurrent) return 'past';
    hasCurrent = true;
    return 'current';
  });
}
