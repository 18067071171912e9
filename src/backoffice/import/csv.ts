// CSV with a header row, each record with its first line number; from a file or a request.
import { pipeline } from 'node:stream/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CsvError } from 'csv-parse';
import { unprotectCell } from '../../domain/csv-cell.ts';
import type { FileFact, Problems } from './problems.ts';

/** Without a limit an unclosed quote would read the rest of the file. */
const RECORD_BYTES_MAX = 16_384;

export interface CsvShape {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /**
   * Messages repeat no text of the file: without a header row, the first key would be reported as an unknown column.
   */
  readonly holdsSecrets?: boolean;
}

export interface CsvRow {
  readonly line: number;
  /** Values by column. Columns that the file does not have are missing. */
  readonly values: Readonly<Record<string, string>>;
}

/** The file as a whole cannot be read. */
export class CsvFault extends Error {
  readonly line: number;
  readonly fact: FileFact;

  constructor(line: number, fact: FileFact) {
    super(fact.kind);
    this.name = 'CsvFault';
    this.line = line;
    this.fact = fact;
  }
}

interface Parsed {
  record: string[];
  info: { lines: number };
}

/** Calls `onRow` for each well-formed row; the others become problems. Returns the number of rows. */
export async function parseCsv(
  source: AsyncIterable<string | Buffer>,
  shape: CsvShape,
  rowsMax: number,
  problems: Problems,
  onRow: (row: CsvRow) => void,
): Promise<number> {
  let header: string[] | null = null;
  let count = 0;
  let overcounted = 0;
  const longNumbers = new LongNumbers();
  const take = ({ record, info }: Parsed): void => {
    // The parser counts a \r\n inside quotes as two lines; messages need correct line numbers.
    const line = info.lines - overcounted - occurrences(record, /[\r\n]/g);
    overcounted += occurrences(record, /\r\n/g);
    if (record.every((field) => field === '')) return; // spreadsheets write such rows below the data
    if (header === null) {
      header = readHeader(record, shape);
      return;
    }
    if (++count > rowsMax) throw new CsvFault(line, { kind: 'too_many_rows', rows_max: rowsMax });
    const values = readRecord(record, header, line, problems);
    if (!values) return;
    longNumbers.see(line, values);
    onRow({ line, values });
  };
  await eachRecord(withoutOtherFormats(source, shape), take);
  longNumbers.report(problems);
  if (header === null)
    throw new CsvFault(1, {
      kind: 'file_empty',
      header: { required: shape.required, optional: shape.optional },
    });
  return count;
}

/** Checked before the file is parsed: quotes in another format would be reported as faults of the CSV. */
async function* withoutOtherFormats(
  source: AsyncIterable<string | Buffer>,
  shape: CsvShape,
): AsyncGenerator<string | Buffer> {
  let isFirst = true;
  for await (const chunk of source) {
    if (isFirst) refuseOtherFormat(String(chunk).trimStart(), shape);
    isFirst = false;
    yield chunk;
  }
}

function refuseOtherFormat(text: string, { required, optional }: CsvShape): void {
  if (text.startsWith('<')) throw new CsvFault(1, { kind: 'markup' });
  const line = /^[^\r\n]*/.exec(text)?.[0] ?? '';
  if (line.includes(',') || !/[;\t]/.test(line)) return;
  throw new CsvFault(1, {
    kind: 'wrong_header',
    header: { required, optional },
    missing: required,
    unknown: [],
    repeated: [],
    column: required[0] ?? '',
    other_separator: true,
  });
}

/** Small enough to be parsed in a few milliseconds. Orders are processed between chunks. */
const PIECE_BYTES = 16_384;

/** Like `parseCsv`, for the text of a request. If the file as a whole is unreadable, that is a problem, with 0 rows. */
export async function parseCsvText(
  csv: string,
  shape: CsvShape,
  rowsMax: number,
  problems: Problems,
  onRow: (row: CsvRow) => void,
): Promise<number> {
  try {
    return await parseCsv(pieces(csv), shape, rowsMax, problems, onRow);
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error;
    problems.add(error.line, error.fact);
    return 0;
  }
}

/** Splits the text into chunks. A BOM may remain: the parser trims it like whitespace. */
async function* pieces(csv: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(csv);
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    yield bytes.subarray(start, start + PIECE_BYTES);
    await nextTurn();
  }
}

async function eachRecord(
  source: AsyncIterable<string | Buffer>,
  take: (parsed: Parsed) => void,
): Promise<void> {
  // Loaded with the first file, because starting the service does not need its ten modules.
  const csv = await import('csv-parse');
  const parser = csv.parse({
    info: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true, // checked for each row, to report the line and continue
    skip_empty_lines: true,
    trim: true,
    max_record_size: RECORD_BYTES_MAX,
  });
  try {
    await pipeline(source, parser, async (records: AsyncIterable<Parsed>) => {
      for await (const parsed of records) take(parsed);
    });
  } catch (error) {
    throw error instanceof csv.CsvError ? csvFault(error) : error;
  }
}

const csvFault = (error: CsvError): CsvFault => new CsvFault(Number(error['lines'] ?? 0), factOf(error));

const QUOTE_INSIDE = [
  'CSV_INVALID_CLOSING_QUOTE',
  'CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE',
  'INVALID_OPENING_QUOTE',
];

function factOf({ code, message }: CsvError): FileFact {
  if (code === 'CSV_QUOTE_NOT_CLOSED') return { kind: 'quote_unclosed' };
  if (code === 'CSV_MAX_RECORD_SIZE') return { kind: 'row_too_long', bytes_max: RECORD_BYTES_MAX };
  if (QUOTE_INSIDE.includes(code)) return { kind: 'quote_inside' };
  return { kind: 'not_csv', parser: message };
}

const occurrences = (record: readonly string[], pattern: RegExp): number =>
  record.reduce((sum, field) => sum + (field.match(pattern)?.length ?? 0), 0);

/** Number of fields without the empty ones at the end, which spreadsheets write for empty columns beside the data. */
const filledLength = (record: readonly string[]): number => record.findLastIndex((field) => field !== '') + 1;

function readHeader(record: readonly string[], shape: CsvShape): string[] {
  const names = record.slice(0, filledLength(record)).map((name) => name.toLowerCase());
  const known = [...shape.required, ...shape.optional];
  const missing = shape.required.filter((name) => !names.includes(name));
  const unknown = names.filter((name) => !known.includes(name));
  const repeated = known.filter((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (missing.length + unknown.length + repeated.length === 0) return names;
  const isSecret = shape.holdsSecrets === true;
  throw new CsvFault(1, {
    kind: 'wrong_header',
    header: { required: shape.required, optional: shape.optional },
    missing,
    unknown: isSecret ? [] : unknown,
    ...(isSecret ? { unnamed: unknown.length } : {}),
    repeated,
    ...(missing[0] === undefined ? {} : { column: missing[0] }),
    other_separator: false,
  });
}

function readRecord(
  record: readonly string[],
  header: readonly string[],
  line: number,
  problems: Problems,
): Record<string, string> | null {
  if (record.length < header.length || filledLength(record) > header.length) {
    problems.add(line, { kind: 'wrong_field_count', fields: record.length, expected: header.length });
    return null;
  }
  const values = Object.fromEntries(header.map((name, index) => [name, unprotectCell(record[index] ?? '')]));
  const damaged = header.filter((name) => SPREADSHEET_VALUE.test(values[name] ?? ''));
  for (const column of damaged) problems.add(line, { kind: 'spreadsheet_value', column });
  return damaged.length > 0 ? null : values;
}

/** How spreadsheets save long numbers, failed formulas, and values that are wider than their column. */
const SPREADSHEET_VALUE =
  /^(?:\d(?:[.,]\d+)?e\+\d\d|#(?:n\/a|ref!|name\?|value!|div\/0!|num!|null!)|#{2,})$/i;

/** Spreadsheets calculate with 15 digits and write zeros for the others. */
const LONG_NUMBER = /^[1-9]\d{14}(\d+)$/;
/** Fewer zeros may be a coincidence: a number of 16 digits ends in 0 once in ten times. */
const LOST_DIGITS_MIN = 6;

/** Finds columns in which every long number ends in zeros. */
class LongNumbers {
  readonly #columns = new Map<string, { line: number; ends: Map<string, number> } | 'intact'>();

  see(line: number, values: CsvRow['values']): void {
    for (const [column, value] of Object.entries(values)) {
      const end = LONG_NUMBER.exec(value)?.[1];
      const seen = this.#columns.get(column) ?? { line, ends: new Map() };
      if (end === undefined || seen === 'intact') continue;
      if (!/^0+$/.test(end)) this.#columns.set(column, 'intact');
      else if (seen.ends.size < LOST_DIGITS_MIN) {
        seen.ends.set(value, end.length);
        this.#columns.set(column, seen);
      }
    }
  }

  report(problems: Problems): void {
    for (const [column, seen] of this.#columns) {
      if (seen === 'intact') continue;
      const zeros = [...seen.ends.values()].reduce((sum, count) => sum + count, 0);
      if (zeros >= LOST_DIGITS_MIN) problems.add(seen.line, { kind: 'digits_lost', column });
    }
  }
}
