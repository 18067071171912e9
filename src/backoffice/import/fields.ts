// Values of a row and of options: the limits of the admin API.
import { INT32_MAX } from '../../domain/stock.ts';
import type { CsvRow } from './csv.ts';
import { quoted, type Problems } from './problems.ts';

/** What is wrong with a text, or null. Lengths count Unicode characters. */
export function textFault(text: string, characters_max: number): string | null {
  if (text.includes('\0')) return 'contains characters that cannot be stored';
  // Cheap check first: a text never has more characters than UTF-16 units.
  const tooLong = text.length > characters_max && Array.from(text).length > characters_max;
  return tooLong ? `must have at most ${characters_max} characters` : null;
}

/** Reads the fields of one row; `ok` is false if one is invalid. */
export class RowReader {
  readonly #row: CsvRow;
  readonly #problems: Problems;
  ok = true;

  constructor(row: CsvRow, problems: Problems) {
    this.#row = row;
    this.#problems = problems;
  }

  fail(text: string, column: string | null = null): void {
    this.ok = false;
    this.#problems.add(this.#row.line, text, column);
  }

  text(column: string, characters_max: number): string {
    const value = this.optional(column, characters_max) ?? '';
    if (value.trim() === '') this.fail(`${column} is missing.`, column);
    return value;
  }

  /** null: the field is empty or the file has no such column. */
  optional(column: string, characters_max: number): string | null {
    const value = this.#row.values[column] ?? '';
    const fault = textFault(value, characters_max);
    if (fault !== null) this.fail(`${column} ${fault}.`, column);
    return value.trim() === '' ? null : value;
  }

  quantity(column: string): number {
    const text = this.#row.values[column] ?? '';
    const value = Number(text);
    if (!/^\d{1,10}$/.test(text) || value > INT32_MAX) {
      this.fail(`${column} must be a whole number from 0 to ${INT32_MAX}, not ${quoted(text)}.`, column);
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
