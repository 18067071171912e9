// Opens the CSV file of an import, checks that it is UTF-8, and streams it.
import { createReadStream } from 'node:fs';
import { CsvFault, parseCsv, type CsvRow, type CsvShape } from '../backoffice/import/csv.ts';
import type { Problems } from '../backoffice/import/problems.ts';
import { systemError } from '../system-error.ts';
import { csvText } from '../words/csv-problems.ts';
import { fromCaller } from './caller-path.ts';
import { Failure } from './command.ts';

export const IMPORT_ROWS_MAX = 1_000_000;

/** Calls `onRow` for each well-formed row; the others become problems. Returns the number of rows. */
export async function readCsv(
  file: string,
  shape: CsvShape,
  problems: Problems,
  onRow: (row: CsvRow) => void,
): Promise<number> {
  const source = file === '-' ? process.stdin : createReadStream(fromCaller(file));
  try {
    return await parseCsv(decode(source), shape, IMPORT_ROWS_MAX, problems, onRow);
  } catch (error) {
    throw asFailure(error);
  }
}

/** The first bytes of .xlsx files, which are ZIP archives, and of .xls files. */
const WORKBOOKS = [Buffer.from('PK\x03\x04'), Buffer.from('d0cf11e0', 'hex')];
const SAVE_AGAIN = 'open it in a spreadsheet program and save it as "CSV UTF-8".';

/** Strict UTF-8 without BOM. */
async function* decode(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let isFirst = true;
  for await (const bytes of source) {
    if (isFirst && WORKBOOKS.some((start) => start.equals(bytes.subarray(0, start.length))))
      throw new Failure(`the file is an Excel workbook or a ZIP archive, not CSV: ${SAVE_AGAIN}`);
    isFirst = false;
    yield decoder.decode(bytes, { stream: true });
  }
  yield decoder.decode();
}

/** Faults whose message names the line, because it helps to find the place. */
const NAMED_BY_LINE = ['quote_unclosed', 'quote_inside', 'row_too_long', 'not_csv'];
const fileFaultText = ({ line, fact }: CsvFault): string =>
  NAMED_BY_LINE.includes(fact.kind) ? `line ${line}: ${csvText(fact)}` : csvText(fact);

function asFailure(error: unknown): unknown {
  if (error instanceof CsvFault) return new Failure(fileFaultText(error));
  const { code } = systemError(error);
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
    return new Failure(`the file is not UTF-8; ${SAVE_AGAIN}`);
  }
  if (code === 'ENOENT') return new Failure('the file does not exist.');
  if (code === 'EISDIR') return new Failure('that is a directory, not a file.');
  if (code === 'EACCES') return new Failure('this user may not read the file.');
  return error;
}
