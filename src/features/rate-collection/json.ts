// Rates in a JSON document of any shape.
import { parseDecimal, type Decimal } from '../../platform/values/money.ts';
import { collectedRate } from '../../core/rules/exchange-rate.ts';
import { UnusableAnswer, type Published } from './quotes.ts';

export function readJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new UnusableAnswer({ kind: 'not_json' });
  }
}

const STRING_OR_NUMBER = /"([^"\\]*(?:\\.[^"\\]*)*)"|(-?\d[\d.eE+-]*)/g;

/**
 * The document with its numbers as texts, as they were written: binary floating point would change them. A reviver, which
 * gets the source of each number, takes six times as long: 0.6 s for 1 MiB, in which no order is processed.
 */
function readNumbersAsTexts(text: string): unknown {
  readJson(text); // the replacement expects valid JSON
  return readJson(text.replace(STRING_OR_NUMBER, '"$1$2"'));
}

const DIGITS_MAX = 40;
/** A number with thousands commas, which must be in the right places. */
const GROUPED = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;

/** The value of a text that contains a number; null: it contains none. */
export function numberOf(text: unknown): Decimal | null {
  if (typeof text !== 'string' || text.length > DIGITS_MAX) return null;
  return parseDecimal(GROUPED.test(text) ? text.replaceAll(',', '') : text);
}

/** How the number of a document becomes a rate. */
export interface JsonReading {
  /** Names and positions, separated by dots; `{currency}` stands for the code. */
  path: string;
  /** The number is the rate for this many units. */
  per_units: number;
  /** The number is units of the currency for KRW, not KRW for units. */
  is_inverted: boolean;
}

export const CURRENCY_PLACEHOLDER = '{currency}';

/** Pure. undefined: the path leads to nothing. */
function valueAt(tree: unknown, path: string): unknown {
  let value: unknown = tree;
  for (const step of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (!Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}

/** Pure. */
export function readAnyJson(
  text: string,
  currencies: readonly string[],
  { path, per_units, is_inverted }: JsonReading,
): Published {
  const tree = readNumbersAsTexts(text);
  const per: Decimal = { units: BigInt(per_units), scale: 0 };
  const published: Published = { quoted_on: null, quotes: [], missing: [] };
  for (const currency_code of currencies) {
    const found = valueAt(tree, path.replaceAll(CURRENCY_PLACEHOLDER, currency_code));
    if (found === undefined || found === null) {
      published.missing.push(currency_code);
      continue;
    }
    const number = numberOf(found);
    const rate = number && (is_inverted ? collectedRate(per, number) : collectedRate(number, per));
    if (rate === null) throw new UnusableAnswer({ kind: 'not_a_rate', currency_code });
    published.quotes.push({ currency_code, rate });
  }
  return published;
}
