// Exchange rates: KRW for one unit of a currency. What can be stored, and which collected rates wait for an operator.
import { exactRate, formatPlain, quotient, type Decimal } from '../../platform/values/money.ts';

/** Decimals of rates computed from a quote. Sources publish five or six significant digits. */
export const COLLECTED_RATE_DECIMALS = 8;
const RATE_JUMP_PERCENT_MAX = 20;

/** The rate if `units` of the currency cost `krw`; null: not a valid rate, such as 0. */
export function collectedRate(krw: Decimal, units: Decimal): string | null {
  if (krw.units <= 0n || units.units <= 0n) return null;
  return exactRate(formatPlain(quotient(krw, units, COLLECTED_RATE_DECIMALS)));
}

/** Whether `next` differs from `before` by more than RATE_JUMP_PERCENT_MAX percent of `before`. */
export function isRateJump(before: Decimal, next: Decimal): boolean {
  const scale = BigInt(Math.max(before.scale, next.scale));
  const [was, is] = [before, next].map(({ units, scale: own }) => units * 10n ** (scale - BigInt(own)));
  if (was === undefined || is === undefined) throw new RangeError('two rates are compared');
  const difference = is > was ? is - was : was - is;
  return difference * 100n > was * BigInt(RATE_JUMP_PERCENT_MAX);
}
