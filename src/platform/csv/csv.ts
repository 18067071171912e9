// CSV with a header row, each record with its first line number; from a file or a request.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { EXPORT_COLUMN, unprotectCell } from './cell-rules.ts';
import { isBlank } from '../values/text-limits.ts';
import { CsvRecords, type CsvRecord } from './records.ts';
import type { FileFact, Problems } from './problems.ts';

/** Without a limit an unclosed quote would read the rest of the file. */
const RECORD_BYTES_MAX = 16_384;

export interface CsvShape {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /**
   * Messages repeat no text of the file: without a header row, the first key would be reported as an unknown column.
   */
  readonly containsSecrets?: boolean;
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

interface Columns {
  readonly names: readonly string[];
  /** The file says that Sluice wrote it: an apostrophe before a formula is removed. */
  readonly isExport: boolean;
  /** Spreadsheets omit empty cells at the end of a row, such as those below the marker of an export. */
  readonly fieldsMin: number;
}

/** Calls `onRow` for each well-formed row; the others become problems. Returns the number of rows. */
export async function parseCsv(
  source: AsyncIterable<string>,
  shape: CsvShape,
  rowsMax: number,
  problems: Problems,
  onRow: (row: CsvRow) => void,
): Promise<number> {
  let columns: Columns | null = null;
  let count = 0;
  const longNumbers = new LongNumbers();
  const take = ({ line, fields }: CsvRecord): void => {
    if (filledLength(fields) === 0) return; // spreadsheets write such rows below the data
    if (columns === null) {
      columns = readHeader(fields, shape);
      return;
    }
    if (++count > rowsMax) throw new CsvFault(line, { kind: 'too_many_rows', rows_max: rowsMax });
    const values = readRecord(fields, columns, shape, { line, problems });
    if (!values) return;
    longNumbers.see(line, values);
    onRow({ line, values });
  };
  const records = new CsvRecords(RECORD_BYTES_MAX, take, (line, kind) => {
    throw new CsvFault(line, kind === 'row_too_long' ? { kind, bytes_max: RECORD_BYTES_MAX } : { kind });
  });
  for await (const text of withoutOtherFormats(source, shape)) records.push(text);
  records.end();
  longNumbers.report(problems);
  if (columns === null)
    throw new CsvFault(1, {
      kind: 'file_empty',
      header: { required: shape.required, optional: shape.optional },
    });
  return count;
}

/** Checked before the file is parsed: quotes in another format would be reported as faults of the CSV. */
async function* withoutOtherFormats(source: AsyncIterable<string>, shape: CsvShape): AsyncGenerator<string> {
  let isFirst = true;
  for await (const chunk of source) {
    if (isFirst) refuseOtherFormat(chunk.trimStart(), shape);
    yield isFirst ? chunk.replace(/^\u{feff}/u, '') : chunk;
    isFirst = false;
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
const PIECE_CHARACTERS = 16_384;

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

async function* pieces(csv: string): AsyncGenerator<string> {
  for (let start = 0; start < csv.length; start += PIECE_CHARACTERS) {
    yield csv.slice(start, start + PIECE_CHARACTERS);
    await nextTurn();
  }
}

/** Number of fields without the blank ones at the end, which spreadsheets write for empty columns beside the data. */
const filledLength = (fields: readonly string[]): number =>
  fields.findLastIndex((field) => field.trim() !== '') + 1;

function readHeader(fields: readonly string[], shape: CsvShape): Columns {
  const names = fields.slice(0, filledLength(fields)).map((name) => name.trim().toLowerCase());
  const known = [...shape.required, ...shape.optional, EXPORT_COLUMN];
  const missing = shape.required.filter((name) => !names.includes(name));
  const unknown = names.filter((name) => !known.includes(name));
  const repeated = known.filter((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (missing.length + unknown.length + repeated.length === 0)
    return {
      names,
      isExport: names.includes(EXPORT_COLUMN),
      fieldsMin: names.findLastIndex((name) => name !== EXPORT_COLUMN) + 1,
    };
  const isSecret = shape.containsSecrets === true;
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

/** Values are taken as they are, blanks included. */
function readRecord(
  fields: readonly string[],
  { names, isExport, fieldsMin }: Columns,
  shape: CsvShape,
  { line, problems }: { line: number; problems: Problems },
): Record<string, string> | null {
  if (fields.length < fieldsMin || filledLength(fields) > names.length) {
    const expected = fieldsMin;
    problems.add(line, { kind: 'wrong_field_count', fields: fields.length, expected });
    return null;
  }
  const values: Record<string, string> = {};
  let isDamaged = false;
  for (const [index, column] of names.entries()) {
    const field = fields[index] ?? '';
    const plain = unprotectCell(field);
    if (!isExport && plain !== field) problems.warnOnce(line, { kind: 'looks_protected', column });
    const value = isExport ? plain : field;
    const isNull = NULLS.includes(value);
    if (isNull && shape.required.includes(column)) problems.warnOnce(line, { kind: 'null_text', column });
    values[column] = shape.optional.includes(column) && (isNull || isBlank(value)) ? '' : value;
    if (!SPREADSHEET_VALUE.test(value)) continue;
    problems.doubt(line, { kind: 'spreadsheet_value', column });
    isDamaged ||= !problems.takesDoubtful;
  }
  return isDamaged ? null : values;
}

/** How databases write an empty value into a file. */
const NULLS: readonly string[] = ['\\N', 'NULL'];

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
      if (zeros >= LOST_DIGITS_MIN) problems.doubt(seen.line, { kind: 'digits_lost', column });
    }
  }
}
