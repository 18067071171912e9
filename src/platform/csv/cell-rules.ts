// CSV cells, protected against formula injection: spreadsheets evaluate cells that look like formulas, and channels
// choose their own SKUs. An export puts an apostrophe in front of such a text, and an import of the export removes it.
// Files of other programs hold apostrophes that are data: a column in the header tells the two apart.
import { decimal, formatDecimal } from '../values/money.ts';

/** `=`, `+`, `-` and `@`, their full-width and small forms, and the minus sign. */
const STARTS_FORMULA = '=+\\-@\u{ff1d}\u{ff0b}\u{ff0d}\u{ff20}\u{fe66}\u{fe62}\u{fe63}\u{fe6b}\u{2212}';

/**
 * Spreadsheets skip whitespace, quotes and invisible characters before a formula, and a leading tab or line break can
 * start a new cell. Leading apostrophes are matched too: a text that already looks protected gets another one, so that
 * `unprotectCell` is always exact.
 */
const CALCULATED = new RegExp(`^'*(?:[\\t\\r\\n]|[\\s\\p{C}"]*[${STARTS_FORMULA}])`, 'u');

/**
 * The last column of every export that can be imported, without values. It must be a column, because spreadsheets keep
 * neither comments nor the quotes of a file.
 */
export const EXPORT_COLUMN = 'sluice_export';

export const protectCell = (text: string): string => (CALCULATED.test(text) ? `'${text}` : text);

/** Reverses `protectCell`; other texts are returned unchanged. */
export const unprotectCell = (text: string): string =>
  text.startsWith("'") && CALCULATED.test(text.slice(1)) ? text.slice(1) : text;

/**
 * Numbers come from the service and need no protection. They are written in plain digits, not as `1e-7`: many programs
 * read no exponents. Text is quoted if a CSV reader would otherwise split, trim or
 * skip it.
 */
export function csvField(value: string | number): string {
  if (typeof value === 'number') return formatDecimal(decimal(String(value)));
  const text = protectCell(value);
  return /[",\s]/.test(text) || text === '' ? `"${text.replaceAll('"', '""')}"` : text;
}
