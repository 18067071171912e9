// Checks values of CSV rows and command-line options, with the limits of the admin API.
import type { FieldFaultAs } from '../values/field-fault.ts';
import { formatDecimal, parseDecimal, parsePrice, UNIT_PRICE_DECIMALS_MAX } from '../values/money.ts';
import { INT32_MAX } from '../values/int32.ts';
import { isBlank } from '../values/text-limits.ts';
import { readTimestamp } from '../values/timestamps.ts';
import type { CsvRow } from './csv.ts';
import type { ColumnFault, CsvFact, Problems } from './problems.ts';

/** What is wrong with a text, or null. Lengths count Unicode characters. */
export function textFault(
  text: string,
  characters_max: number,
): FieldFaultAs<'too_long' | 'not_storable'> | null {
  if (text.includes('\0')) return { kind: 'not_storable' };
  // Cheap check first: a text never has more characters than UTF-16 units.
  const tooLong = text.length > characters_max && Array.from(text).length > characters_max;
  return tooLong ? { kind: 'too_long', characters_max } : null;
}

const FLAGS: readonly string[] = ['true', 'false', '1', '0'];

/** Reads the fields of one row; `ok` is false if one is invalid. */
export class RowReader {
  readonly #row: CsvRow;
  readonly #problems: Problems;
  ok = true;

  constructor(row: CsvRow, problems: Problems) {
    this.#row = row;
    this.#problems = problems;
  }

  fail(fact: CsvFact): void {
    this.ok = false;
    this.#problems.add(this.#row.line, fact);
  }

  text(column: string, characters_max: number): string {
    const value = this.optional(column, characters_max) ?? '';
    if (value === '') this.fail({ kind: 'value_missing', column });
    return value;
  }

  /** null: the field is empty or the file has no such column. */
  optional(column: string, characters_max: number): string | null {
    const value = this.#row.values[column] ?? '';
    const fault = textFault(value, characters_max);
    if (fault !== null) this.fail({ ...fault, column });
    if (isBlank(value)) return null;
    if (value !== value.trim()) this.#problems.warnOnce(this.#row.line, { kind: 'outer_blanks', column });
    return value;
  }

  /** A number, time or other word of ours; blanks around it mean nothing. Empty if the file has no such column. */
  word(column: string): string {
    return (this.#row.values[column] ?? '').trim();
  }

  fault(column: string, fault: ColumnFault): void {
    this.fail({ ...fault, column });
  }

  /** Like `quantity`, or null: the field is empty or the file has no such column. */
  optionalQuantity(column: string): number | null {
    return this.word(column) === '' ? null : this.quantity(column);
  }

  /** Empty or missing means false. */
  flag(column: string, otherwise = false): boolean {
    const text = this.word(column).toLowerCase();
    if (text === '') return otherwise;
    if (!FLAGS.includes(text)) this.fault(column, { kind: 'not_listed', allowed: FLAGS });
    return text === 'true' || text === '1';
  }

  /** An exact decimal of at least 0, in plain digits; null: the field is empty or missing. */
  decimal(column: string, decimals_max = UNIT_PRICE_DECIMALS_MAX): string | null {
    const text = this.word(column);
    if (text === '') return null;
    const value = parseDecimal(text) && parsePrice(text);
    if (value && value.scale <= decimals_max) return formatDecimal(value);
    this.fault(column, { kind: 'not_a_price', decimals_max });
    return null;
  }

  /** null: the field is empty or missing. */
  timestamp(column: string): Date | null {
    const text = this.word(column);
    if (text === '') return null;
    const at = readTimestamp(text);
    if (at === null) this.fault(column, { kind: 'not_a_timestamp' });
    return at;
  }

  quantity(column: string): number {
    const text = this.word(column);
    const value = Number(text);
    if (!/^\d{1,10}$/.test(text) || value > INT32_MAX) {
      this.fail({ kind: 'not_a_quantity', column, value: text, maximum: INT32_MAX });
    }
    return value;
  }
}

/** Finds the second row with the same key. */
export class SeenKeys {
  readonly #lines = new Map<string, number>();

  /** The line of an earlier row with this key, if any. */
  earlier(key: string, line: number): number | null {
    const first = this.#lines.get(key);
    if (first === undefined) this.#lines.set(key, line);
    return first ?? null;
  }
}

/** The same for texts that differ only in case, width, blanks, invisible characters or leading zeros. */
export const plainOf = (code: string): string =>
  code
    .normalize('NFKC')
    .replaceAll(/[\s\p{Cf}]/gu, '')
    .toLowerCase()
    .replace(/^0+(?=\d+$)/, '');

/** Finds codes that differ only in case, width, blanks, invisible characters or leading zeros. */
export class SimilarCodes {
  readonly #first = new Map<string, { value: string; line: number }>();
  readonly #reported = new Set<string>();

  /** Adds a warning for the second code of a pair, once. Codes of different scopes are not compared. */
  check(problems: Problems, line: number, found: { column: string; value: string; scope?: string }): void {
    const { column, value, scope = '' } = found;
    const key = `${scope} ${plainOf(value)}`;
    const first = this.#first.get(key);
    if (!first) this.#first.set(key, { value, line });
    if (!first || first.value === value || this.#reported.has(`${scope} ${value}`)) return;
    this.#reported.add(`${scope} ${value}`);
    const { value: first_value, line: first_line } = first;
    problems.warn(line, { kind: 'looks_alike', column, value, first_value, first_line });
  }
}
