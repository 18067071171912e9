// CSV with a header row, each record with its first line number; from a file or a request.
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { unprotectCell } from '../../domain/csv-cell.ts';
import { quoted, type Problems } from './problems.ts';

/** Without a limit an unclosed quote would read the rest of the file. */
const RECORD_BYTES_MAX = 16_384;

export interface CsvShape {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

export interface CsvRow {
  readonly line: number;
  /** By column; missing if the file has no such column. */
  readonly values: Readonly<Record<string, string>>;
}

/** The file as a whole cannot be read. */
export class CsvFault extends Error {
  readonly line: number;
  /** The error without the line number. */
  readonly text: string;
  readonly column: string | null;

  constructor(line: number, text: string, more: { column?: string | undefined; message?: string } = {}) {
    super(more.message ?? text);
    this.name = 'CsvFault';
    this.line = line;
    this.text = text;
    this.column = more.column ?? null;
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
  const take = ({ record, info }: Parsed): void => {
    // The parser counts a \r\n inside quotes as two lines; messages need correct line numbers.
    const line = info.lines - overcounted - occurrences(record, /[\r\n]/g);
    overcounted += occurrences(record, /\r\n/g);
    if (header === null) {
      header = readHeader(record, shape);
      return;
    }
    if (++count > rowsMax) {
      throw new CsvFault(line, `the file has more than ${rowsMax.toLocaleString('en-US')} rows; split it.`);
    }
    const values = readRecord(record, header, line, problems);
    if (values) onRow({ line, values });
  };
  await eachRecord(source, take);
  if (header === null)
    throw new CsvFault(1, `the file is empty; its first line must be ${headerText(shape)}`);
  return count;
}

async function eachRecord(
  source: AsyncIterable<string | Buffer>,
  take: (parsed: Parsed) => void,
): Promise<void> {
  const parser = parse({
    info: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true, // counted per row, to name the line and to go on
    skip_empty_lines: true,
    trim: true,
    max_record_size: RECORD_BYTES_MAX,
  });
  try {
    await pipeline(source, parser, async (records: AsyncIterable<Parsed>) => {
      for await (const parsed of records) take(parsed);
    });
  } catch (error) {
    throw error instanceof CsvError ? csvFault(error) : error;
  }
}

function csvFault(error: CsvError): CsvFault {
  const line = Number(error['lines'] ?? 0);
  const fault = (text: string) => new CsvFault(line, text, { message: `line ${line}: ${text}` });
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return fault('a quote is opened and never closed.');
  if (error.code === 'CSV_MAX_RECORD_SIZE') {
    const bytes = RECORD_BYTES_MAX.toLocaleString('en-US');
    return fault(`a row is longer than ${bytes} bytes; perhaps a quote is not closed.`);
  }
  if (error.code === 'CSV_INVALID_CLOSING_QUOTE' || error.code === 'INVALID_OPENING_QUOTE') {
    return fault('a quote stands inside a field; quote the whole field and double the quotes in it.');
  }
  return fault(`this is not valid CSV (${error.message}).`);
}

const occurrences = (record: readonly string[], pattern: RegExp): number =>
  record.reduce((sum, field) => sum + (field.match(pattern)?.length ?? 0), 0);

const headerText = ({ required, optional }: CsvShape): string =>
  [...required, ...optional.map((name) => `[${name}]`)].join(',');

function readHeader(record: readonly string[], shape: CsvShape): string[] {
  const names = record.map((name) => name.toLowerCase());
  const known = [...shape.required, ...shape.optional];
  const missing = shape.required.filter((name) => !names.includes(name));
  const unknown = names.filter((name) => !known.includes(name)).map(quoted);
  const twice = known.filter((name) => names.indexOf(name) !== names.lastIndexOf(name));
  const faults = [
    ...(missing.length > 0 ? [`missing ${missing.join(', ')}`] : []),
    ...(unknown.length > 0 ? [`unknown ${unknown.join(', ')}`] : []),
    ...(twice.length > 0 ? [`twice ${twice.join(', ')}`] : []),
  ];
  if (faults.length === 0) return names;
  const comma = names.length === 1 && /[;\t]/.test(names[0] ?? '') ? ' Fields are separated by commas.' : '';
  throw new CsvFault(
    1,
    `the header has the wrong columns: ${faults.join('; ')}. It must be ${headerText(shape)}.${comma}`,
    { column: missing[0] },
  );
}

function readRecord(
  record: readonly string[],
  header: readonly string[],
  line: number,
  problems: Problems,
): Record<string, string> | null {
  if (record.length !== header.length) {
    problems.add(line, `${record.length} fields, but the header has ${header.length}.`);
    return null;
  }
  return Object.fromEntries(header.map((name, index) => [name, unprotectCell(record[index] ?? '')]));
}
