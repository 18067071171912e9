// One cell of a CSV file. A spreadsheet calculates what looks like a formula, and channels choose their own SKUs: such a
// text goes out with an apostrophe in front, and the apostrophe is taken off when the file comes back.

/** `=`, `+`, `-` and `@`, their full-width and small forms, and the minus sign. */
const STARTS_FORMULA = '=+\\-@\u{ff1d}\u{ff0b}\u{ff0d}\u{ff20}\u{fe66}\u{fe62}\u{fe63}\u{fe6b}\u{2212}';

/**
 * Spreadsheets drop blanks, quotes and invisible characters in front of a formula; a tab or a line break in front can
 * begin a cell of its own. The apostrophes make the rule unambiguous: a text that looks protected is protected again.
 */
const CALCULATED = new RegExp(`^'*(?:[\\t\\r\\n]|[\\s\\p{C}"]*[${STARTS_FORMULA}])`, 'u');

export const protectCell = (text: string): string => (CALCULATED.test(text) ? `'${text}` : text);

/** Undoes `protectCell`; what was never protected stays as it is. */
export const unprotectCell = (text: string): string =>
  text.startsWith("'") && CALCULATED.test(text.slice(1)) ? text.slice(1) : text;

/** Numbers are the service's own and go out as they are. Quoted where a reader would otherwise split, trim or skip it. */
export function csvField(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = protectCell(value);
  return /[",\s]/.test(text) || text === '' ? `"${text.replaceAll('"', '""')}"` : text;
}
