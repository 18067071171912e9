// JSON as a tree whose numbers are kept as they were written: binary floating point would change them.
import { parseDecimal, type Decimal } from '../domain/money.ts';
import { collectedRate } from '../domain/exchange-rate.ts';
import { UnusableAnswer, type Published } from './quotes.ts';

/** A number as written in the document. */
export class NumberText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;
const keepNumbers: Reviver = (_key, value, context) =>
  typeof value === 'number' ? new NumberText(context?.source ?? String(value)) : value;

export function readJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''), keepNumbers);
  } catch {
    throw new UnusableAnswer({ kind: 'not_json' });
  }
}

const DIGITS_MAX = 40;
/** A number with thousands commas, which must be in the right places. */
const GROUPED = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;

/** The value of a number, or of a text that contains one; null: neither. */
export function numberOf(value: unknown): Decimal | null {
  const text = value instanceof NumberText ? value.text : value;
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
    if (typeof value !== 'object' || value === null || value instanceof NumberText) return undefined;
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
  const tree = readJson(text);
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
