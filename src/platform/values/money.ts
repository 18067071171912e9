// Exact decimals: an integer and its number of decimal places. No binary floating point.

export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

export const ZERO: Decimal = { units: 0n, scale: 0 };
export const ONE: Decimal = { units: 1n, scale: 0 };

/** Decimal places of amounts in the base currency. */
const AMOUNT_SCALE = 2;
/** Largest accepted exponent and, doubled, number of digits; it bounds the cost of `10n ** n`. */
const EXPONENT_MAX = 400;

const SYNTAX = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Parses JSON number syntax exactly. null: not a number, or larger than EXPONENT_MAX allows. */
export function parseDecimal(text: string): Decimal | null {
  const match = SYNTAX.exec(text);
  if (!match) return null;
  const [, sign, whole = '', fraction = '', exponentText = '0'] = match;
  const exponent = Number(exponentText);
  if (Math.abs(exponent) > EXPONENT_MAX || whole.length + fraction.length > 2 * EXPONENT_MAX) return null;
  const units = BigInt(`${sign}${whole}${fraction}`);
  const scale = fraction.length - exponent;
  return scale >= 0 ? { units, scale } : { units: units * 10n ** BigInt(-scale), scale: 0 };
}

export function decimal(text: string): Decimal {
  const parsed = parseDecimal(text);
  if (!parsed) throw new RangeError(`not a decimal number: ${text.slice(0, 40)}`);
  return parsed;
}

const digitsOf = (units: bigint): string => units.toString().replace('-', '');

export function formatDecimal({ units, scale }: Decimal): string {
  if (scale === 0) return units.toString();
  const digits = digitsOf(units).padStart(scale + 1, '0');
  const sign = units < 0n ? '-' : '';
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

export const times = (a: Decimal, b: Decimal): Decimal => ({
  units: a.units * b.units,
  scale: a.scale + b.scale,
});

export function plus(a: Decimal, b: Decimal): Decimal {
  if (a.scale < b.scale) return plus(b, a);
  return { units: a.units + b.units * 10n ** BigInt(a.scale - b.scale), scale: a.scale };
}

/** Whether `a` and `b` differ by at most `tolerance`. */
export function isWithin(a: Decimal, b: Decimal, tolerance: Decimal): boolean {
  const [low, high] = [plus(b, { ...tolerance, units: -tolerance.units }), plus(b, tolerance)];
  return (
    plus(a, { ...low, units: -low.units }).units >= 0n && plus(high, { ...a, units: -a.units }).units >= 0n
  );
}

export const timesInteger = (a: Decimal, n: number): Decimal => ({
  units: a.units * BigInt(n),
  scale: a.scale,
});

/** a ÷ b for positive numbers, rounded half up to `scale` decimals. */
export function quotient(a: Decimal, b: Decimal, scale: number): Decimal {
  if (a.units < 0n || b.units <= 0n) throw new RangeError('the quotient is for positive numbers');
  const numerator = a.units * 10n ** BigInt(b.scale + scale);
  const divisor = b.units * 10n ** BigInt(a.scale);
  return { units: (2n * numerator + divisor) / (2n * divisor), scale };
}

/** Rounds half up to two decimals. Amounts are never negative here. */
export function roundAmount({ units, scale }: Decimal): Decimal {
  if (scale <= AMOUNT_SCALE) {
    return { units: units * 10n ** BigInt(AMOUNT_SCALE - scale), scale: AMOUNT_SCALE };
  }
  const divisor = 10n ** BigInt(scale - AMOUNT_SCALE);
  return { units: (units + divisor / 2n) / divisor, scale: AMOUNT_SCALE };
}

/**
 * Splits a JSON number of any length without arithmetic: its significant digits (an empty string for 0) and the power
 * of ten of the last digit.
 */
export function significantDigits(literal: string): { digits: string; exponent: number } {
  const [mantissa = '', power = '0'] = literal.replace(/^-/, '').split(/[eE]/);
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = (whole + fraction).replace(/^0+/, '');
  // A loop, because a regular expression for trailing zeros takes quadratic time on inner zeros.
  let end = all.length;
  while (end > 0 && all[end - 1] === '0') end -= 1;
  return { digits: all.slice(0, end), exponent: Number(power) - fraction.length + all.length - end };
}

/** Contract 8.9a. Trailing zeros do not count as decimals. */
export const UNIT_PRICE_DECIMALS_MAX = 30;
const UNIT_PRICE_WHOLE_DIGITS_MAX = 15;

/** The exact value of a price in JSON number syntax; null: out of range. */
export function parsePrice(literal: string): Decimal | null {
  const { digits, exponent } = significantDigits(literal);
  if (digits === '') return ZERO;
  if (literal.startsWith('-')) return null;
  if (digits.length + exponent > UNIT_PRICE_WHOLE_DIGITS_MAX || -exponent > UNIT_PRICE_DECIMALS_MAX)
    return null;
  const scale = Math.max(0, -exponent);
  return { units: BigInt(digits) * 10n ** BigInt(exponent + scale), scale };
}

/** The number in plain digits, without trailing zeros after the decimal point. */
export function formatPlain(value: Decimal): string {
  let { units, scale } = value;
  while (scale > 0 && units % 10n === 0n) {
    units /= 10n;
    scale -= 1;
  }
  return formatDecimal({ units, scale });
}

/** A converted amount as stored and sent: a decimal string with two decimals (contract 2.6.3a). */
export const convertedAmount = (local: Decimal, rate: Decimal): string =>
  formatDecimal(roundAmount(times(local, rate)));

export const RATE_DECIMALS_MAX = 12;
const RATE_BELOW = 10n ** 9n;

/** An exchange rate in plain digits, whatever the notation; null if out of range. */
export function exactRate(literal: string): string | null {
  const rate = parseDecimal(literal);
  if (!rate || rate.scale > RATE_DECIMALS_MAX) return null;
  const { units, scale } = rate;
  return units > 0n && units < RATE_BELOW * 10n ** BigInt(scale) ? formatDecimal(rate) : null;
}
