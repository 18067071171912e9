// What people paste or send as a list of items and quantities, as the CSV that the service reads.

const HEADER = 'variant_code,quantity';

export interface PastedList {
  csv: string;
  /** Lines that were put in front: line numbers of the service are higher by this. */
  linesAdded: number;
}

/** Full-width digits are digits. Only whole cells of them: a code keeps its characters. */
const plainNumber = (cell: string): string =>
  /^[０-９]+$/.test(cell)
    ? cell.replaceAll(/[０-９]/g, (digit) => String.fromCodePoint((digit.codePointAt(0) ?? 0) - 0xfee0))
    : cell;

const csvCell = (cell: string): string => (/[",\s]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** A spreadsheet copies cells with tabs; some export semicolons. Commas are left to the service, quotes and all. */
function withCommas(text: string): string {
  const separator = text.includes('\t') ? '\t' : !text.includes(',') && text.includes(';') ? ';' : null;
  if (separator === null) return text;
  return text
    .split(/\r\n|\n|\r/)
    .map((line) =>
      line.trim() === ''
        ? ''
        : line
            .split(separator)
            .map((cell) => csvCell(plainNumber(cell.trim())))
            .join(','),
    )
    .join('\n');
}

/** With the header that the service wants: added where the first line is data, put in place of other words. */
export function pastedList(text: string): PastedList {
  const csv = withCommas(text.replace(/^\u{feff}/u, ''));
  const first = /^[^\r\n]*/.exec(csv)?.[0] ?? '';
  const cells = first.split(',').map((cell) => cell.trim().toLowerCase());
  if (cells.includes('variant_code') && cells.includes('quantity')) return { csv, linesAdded: 0 };
  const isData = cells.length !== 2 || /\d/.test(cells[1] ?? '');
  if (isData) return { csv: `${HEADER}\n${csv}`, linesAdded: 1 };
  return { csv: HEADER + csv.slice(first.length), linesAdded: 0 };
}

/** Rows that were typed into fields. */
export const listOf = (rows: readonly (readonly [code: string, quantity: number])[]): string =>
  [HEADER, ...rows.map(([code, quantity]) => `"${code.replaceAll('"', '""')}",${quantity}`)].join('\n');
