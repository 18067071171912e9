// CSV with a header row: streamed, checked for UTF-8, each record with the line it begins on.
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { Failure } from './command.ts';
import { formatCount } from './output.ts';
import { quoted, type Problems } from './problems.ts';

export const IMPORT_ROWS_MAX = 1_000_000;
/** An unclosed quote would otherwise swallow the rest of the file before it is noticed. */
const RECORD_BYTES_MAX = 16_384;

export interface CsvShape {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

export interface CsvRow {
  readonly line: number;
  /** By column; a column that the file does not have is missing. */
  readonly values: Readonly<Record<string, string>>;
}

interface Parsed {
  record: string[];
  info: { lines: number };
}

/** Calls `onRow` for each well-formed row; the others are problems. Returns the number of rows seen. */
export async function readCsv(
  file: string,
  shape: CsvShape,
  problems: Problems,
  onRow: (row: CsvRow) => void,
): Promise<number> {
  let header: string[] | null = null;
  let count = 0;
  const take = ({ record, info }: Parsed): void => {
    if (header === null) {
      header = readHeader(record, shape);
      return;
    }
    if (++count > IMPORT_ROWS_MAX) {
      throw new Failure(`the file has more than ${formatCount(IMPORT_ROWS_MAX)} rows; split it.`);
    }
    const line = info.lines - lineBreaksIn(record);
    const values = readRecord(record, header, line, problems);
    if (values) onRow({ line, values });
  };
  await stream(file, take);
  if (header === null) throw new Failure(`the file is empty; its first line must be ${headerText(shape)}`);
  return count;
}

async function stream(file: string, take: (parsed: Parsed) => void): Promise<void> {
  const source = file === '-' ? process.stdin : createReadStream(fromCaller(file));
  const parser = parse({
    info: true,
    record_delimiter: '\n',
    relax_column_count: true, // counted per row, to name the line and to go on
    skip_empty_lines: true,
    trim: true,
    max_record_size: RECORD_BYTES_MAX,
  });
  try {
    await pipeline(source, decode, parser, async (records: AsyncIterable<Parsed>) => {
      for await (const parsed of records) take(parsed);
    });
  } catch (error) {
    throw asFailure(error);
  }
}

/** `npm run sluice` changes to the project; the file was named from where npm was called. */
function fromCaller(file: string): string {
  const { npm_lifecycle_event, INIT_CWD } = process.env;
  return npm_lifecycle_event === 'sluice' && INIT_CWD !== undefined ? resolve(INIT_CWD, file) : file;
}

/**
 * Strict UTF-8 without its BOM, every line break as \n: the parser counts a \r\n inside quotes as two lines, and
 * line numbers are what a message is worth.
 */
async function* decode(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let held = '';
  for await (const bytes of source) {
    const text = held + decoder.decode(bytes, { stream: true });
    held = text.endsWith('\r') ? '\r' : '';
    yield text.slice(0, text.length - held.length).replaceAll(/\r\n?/g, '\n');
  }
  yield (held + decoder.decode()).replace('\r', '\n');
}

function asFailure(error: unknown): unknown {
  if (error instanceof CsvError) return new Failure(csvFault(error));
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
    return new Failure('the file is not UTF-8; save it as "CSV UTF-8" and try again.');
  }
  if (code === 'ENOENT') return new Failure('the file does not exist.');
  if (code === 'EISDIR') return new Failure('that is a directory, not a file.');
  if (code === 'EACCES') return new Failure('the file must not be read by this user.');
  return error;
}

function csvFault(error: CsvError): string {
  const line = Number(error['lines'] ?? 0);
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return `line ${line}: a quote is opened and never closed.`;
  if (error.code === 'CSV_MAX_RECORD_SIZE') {
    return `line ${line}: a row is longer than ${formatCount(RECORD_BYTES_MAX)} bytes; perhaps a quote is not closed.`;
  }
  if (error.code === 'CSV_INVALID_CLOSING_QUOTE' || error.code === 'INVALID_OPENING_QUOTE') {
    return `line ${line}: a quote stands inside a field; quote the whole field and double the quotes in it.`;
  }
  return `line ${line}: this is not valid CSV (${error.message}).`;
}

const lineBreaksIn = (record: readonly string[]): number =>
  record.reduce((sum, field) => (field.includes('\n') ? sum + field.split('\n').length - 1 : sum), 0);

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
  throw new Failure(
    `the header has the wrong columns: ${faults.join('; ')}. It must be ${headerText(shape)}.${comma}`,
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
  return Object.fromEntries(header.map((name, index) => [name, record[index] ?? '']));
}
