// Formats numbers, money and times. Amounts are decimal strings and never converted to a float.

export type Language = 'en' | 'ko';

const DECIMAL = /^-?\d+(?:\.(\d+))?$/;
const LOCAL_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?$/;
const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;

/** Number of significant decimals: trailing zeros are not counted. */
const decimalsOf = (text: string): number => (DECIMAL.exec(text)?.[1] ?? '').replace(/0+$/, '').length;

// Cached: a formatter is more expensive to create than to use, and a table needs thousands.
const formatters = new Map<string, Intl.NumberFormat>();
function numberFormat(lang: Language, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${lang} ${JSON.stringify(options)}`;
  const known = formatters.get(key) ?? new Intl.NumberFormat(lang, options);
  formatters.set(key, known);
  return known;
}

/** Groups the digits of a decimal string exactly: Intl reads a string digit by digit, not as a float. */
export function formatDecimal(lang: Language, text: string, decimalsMin = 0): string {
  if (!DECIMAL.test(text)) return text;
  const maximumFractionDigits = Math.max(decimalsMin, decimalsOf(text));
  return numberFormat(lang, { minimumFractionDigits: decimalsMin, maximumFractionDigits }).format(
    text as `${number}`,
  );
}

/** With the symbol of the currency and its usual decimals, or more if the amount has more. */
export function formatMoney(lang: Language, text: string, currency: string): string {
  if (!DECIMAL.test(text)) return `${text} ${currency}`;
  try {
    const usual =
      numberFormat(lang, { style: 'currency', currency }).resolvedOptions().minimumFractionDigits ?? 0;
    const maximumFractionDigits = Math.max(usual, decimalsOf(text));
    const options = {
      style: 'currency',
      currency,
      minimumFractionDigits: usual,
      maximumFractionDigits,
    } as const;
    return numberFormat(lang, options).format(text as `${number}`);
  } catch {
    return `${formatDecimal(lang, text)} ${currency}`; // a currency code that Intl does not accept
  }
}

/** Digits of an amount that a person can read. Only a mistake or an attack makes a longer one. */
const WON_DIGITS_MAX = 15;

/** In whole won, rounded half up; an amount that is too long as ₩2.15E27. */
function formatWon(lang: Language, text: string): string {
  if (!DECIMAL.test(text)) return formatMoney(lang, text, 'KRW');
  const isTooLong = (text.split('.')[0] ?? '').length > WON_DIGITS_MAX;
  const form = isTooLong
    ? ({ notation: 'scientific', maximumFractionDigits: 2 } as const)
    : { maximumFractionDigits: 0 };
  return numberFormat(lang, { style: 'currency', currency: 'KRW', ...form }).format(text as `${number}`);
}

/** Local time in the zone, such as "2026-11-15 09:30" → the instant as ISO 8601 in UTC; null if it is not a time. */
export function instantInZone(local: string, zone: string): string | null {
  // Checked first, because Date.parse would also accept 01/02/2020, by its own rules.
  if (!LOCAL_TIME.test(local)) return null;
  const asUtc = Date.parse(`${local.replace(' ', 'T')}${local.length === 16 ? ':00' : ''}Z`);
  if (Number.isNaN(asUtc)) return null;
  const near = offsetMs(asUtc - offsetMs(asUtc, zone), zone);
  // Computed twice, for days on which the offset changes. A time that the clock leaves out is taken as one after the gap.
  const found = offsetMs(asUtc - near, zone);
  return new Date(asUtc - Math.min(near, found)).toISOString();
}

function offsetMs(at: number, zone: string): number {
  const name = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
    .formatToParts(at)
    .find((part) => part.type === 'timeZoneName')?.value;
  const [, sign, hours, minutes] = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(name ?? '') ?? [];
  if (sign === undefined) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR_S + Number(minutes) * MINUTE_S) * 1_000;
}

type Moment = string | number | Date;

export interface Format {
  zone: string;
  /** 12,345 */
  integer: (n: number) => string;
  /** A decimal string, grouped, with all its digits. */
  decimal: (text: string) => string;
  /** `money('45000.00', 'KRW')` → ₩45,000 */
  money: (text: string, currency: string) => string;
  /** `won('35745.90')` → ₩35,746 */
  won: (text: string) => string;
  /** 15 Nov 2026, 09:30:12 in the configured zone */
  dateTime: (at: Moment) => string;
  date: (at: Moment) => string;
  /** 09:30 */
  time: (at: Moment) => string;
  /** "3 minutes ago" */
  relative: (at: Moment, now?: number) => string;
}

export function makeFormat(lang: Language, zone: string): Format {
  const locale = lang === 'en' ? 'en-GB' : 'ko-KR';
  const times = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { timeZone: zone, hourCycle: 'h23', ...options });
  // Not dateStyle and timeStyle: in Korean they give 5:49:56, inconsistent with 06:05 elsewhere.
  const clock = { hour: '2-digit', minute: '2-digit' } as const;
  const day = {
    year: 'numeric',
    month: lang === 'en' ? 'short' : '2-digit',
    day: lang === 'en' ? 'numeric' : '2-digit',
  } as const;
  const dateTime = times({ ...day, ...clock, second: '2-digit' });
  const date = times(day);
  const time = times(clock);
  const distance = new Intl.RelativeTimeFormat(lang, { numeric: 'auto' });
  return {
    zone,
    integer: (n) => numberFormat(lang, {}).format(n),
    decimal: (text) => formatDecimal(lang, text),
    money: (text, currency) => formatMoney(lang, text, currency),
    won: (text) => formatWon(lang, text),
    dateTime: (at) => shown(dateTime, at),
    date: (at) => shown(date, at),
    time: (at) => shown(time, at),
    relative: (at, now = Date.now()) => relative(distance, at, now),
  };
}

function shown(format: Intl.DateTimeFormat, at: Moment): string {
  const moment = new Date(at);
  return Number.isNaN(moment.getTime()) ? String(at) : format.format(moment);
}

function relative(distance: Intl.RelativeTimeFormat, at: Moment, now: number): string {
  const moment = new Date(at).getTime();
  if (Number.isNaN(moment)) return String(at);
  const seconds = Math.round((moment - now) / 1_000);
  const size = Math.abs(seconds);
  if (size < MINUTE_S) return distance.format(seconds, 'second');
  if (size < HOUR_S) return distance.format(Math.trunc(seconds / MINUTE_S), 'minute');
  if (size < 2 * DAY_S) return distance.format(Math.trunc(seconds / HOUR_S), 'hour');
  return distance.format(Math.trunc(seconds / DAY_S), 'day');
}
