// Converts a pasted or uploaded list of items and quantities to the CSV that the service reads.

const HEADER = 'variant_code,quantity';

export interface PastedList {
  csv: string;
  /** Number of lines added at the start: line numbers of the service are higher by this number. */
  linesAdded: number;
}

/** Converts full-width digits, but only in cells that consist of them: a code keeps its characters and its blanks. */
const plainNumber = (cell: string): string =>
  /^\s*[０-９]+\s*$/.test(cell)
    ? cell.replaceAll(/[０-９]/g, (digit) => String.fromCodePoint((digit.codePointAt(0) ?? 0) - 0xfee0))
    : cell;

/** A quantity with separators, as spreadsheets show it: 1,000. */
const ungrouped = (cell: string): string =>
  /^\d{1,3}(,\d{3})+$/.test(cell) ? cell.replaceAll(',', '') : cell;

const csvCell = (cell: string): string => (/[",\s]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** Spreadsheets copy cells with tabs, and some export semicolons. Commas, with their quotes, are left to the service. */
function withCommas(text: string): string {
  const separator = text.includes('\t') ? '\t' : !text.includes(',') && text.includes(';') ? ';' : null;
  if (separator === null) return text;
  const lines = text.split(/\r\n|\n|\r/);
  const codes = Math.max(
    0,
    (lines[0] ?? '')
      .split(separator)
      .map((cell) => cell.trim().toLowerCase())
      .indexOf('variant_code'),
  );
  return lines
    .map((line) =>
      line.trim() === ''
        ? ''
        : line
            .split(separator)
            .map((cell) => plainNumber(cell))
            .map((cell, at) => csvCell(at === codes ? cell : ungrouped(cell)))
            .join(','),
    )
    .join('\n');
}

/** Ensures the header that the service needs: adds it before data, or replaces a header with other names. */
export function pastedList(text: string): PastedList {
  const csv = withCommas(text.replace(/^\u{feff}/u, ''));
  const first = /^[^\r\n]*/.exec(csv)?.[0] ?? '';
  const cells = first.split(',').map((cell) => cell.trim().toLowerCase());
  if (cells.includes('variant_code') && cells.includes('quantity')) return { csv, linesAdded: 0 };
  const isData = cells.length !== 2 || /\d/.test(cells[1] ?? '');
  if (isData) return { csv: `${HEADER}\n${csv}`, linesAdded: 1 };
  return { csv: HEADER + csv.slice(first.length), linesAdded: 0 };
}

/** The CSV for rows typed into fields. */
export const listOf = (rows: readonly (readonly [code: string, quantity: number])[]): string =>
  [HEADER, ...rows.map(([code, quantity]) => `"${code.replaceAll('"', '""')}",${quantity}`)].join('\n');
