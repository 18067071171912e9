// Opens the CSV file of an import, finds its encoding, and streams it.
import { createReadStream } from 'node:fs';
import { CsvFault, parseCsv, type CsvRow, type CsvShape } from './csv.ts';
import type { Problems } from './problems.ts';
import { ENCODING_NAMES, findEncoding } from './encoding-rules.ts';
import { systemError } from '../log/system-error.ts';
import { csvText } from './words.ts';
import { fromCaller } from '../cli/caller-path.ts';
import { Failure } from '../cli/command.ts';
import { note } from '../cli/output.ts';

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
/** Enough text to tell encodings apart. */
const SAMPLE_BYTES = 65_536;

/** UTF-8, UTF-16 or EUC-KR. Bytes that are invalid in it end the import. */
async function* decode(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let decoder = new TextDecoder('utf-8', { fatal: true });
  let isKnown = false;
  let isFirst = true;
  let undecoded: Buffer[] = [];
  const take = (): string => {
    const bytes = Buffer.concat(undecoded);
    undecoded = [];
    if (isKnown) return decoder.decode(bytes, { stream: true });
    isKnown = true;
    const encoding = findEncoding(bytes);
    if (encoding === null) throw new Failure(UNKNOWN_ENCODING);
    if (encoding !== 'utf-8') {
      note(
        `the file is not UTF-8: it is read as ${ENCODING_NAMES[encoding]}. Check some names after the import.`,
      );
      decoder = new TextDecoder(encoding, { fatal: true });
    }
    return decoder.decode(bytes, { stream: true });
  };
  for await (const bytes of source) {
    if (isFirst && WORKBOOKS.some((start) => start.equals(bytes.subarray(0, start.length))))
      throw new Failure(WORKBOOK);
    undecoded.push(bytes);
    // ASCII text, without the zeros of UTF-16, is the same in the other encodings.
    const isPlain = !isKnown && undecoded.length === 1 && bytes.every((byte) => byte > 0 && byte < 0x80);
    isFirst = false;
    if (isPlain) yield String(undecoded.pop());
    else if (isKnown || undecoded.reduce((sum, { length }) => sum + length, 0) >= SAMPLE_BYTES) yield take();
  }
  if (undecoded.length > 0) yield take();
  yield decoder.decode();
}

const WORKBOOK =
  'the file is an Excel workbook or a ZIP archive, not CSV: export it from its source as CSV, or open it in a spreadsheet program with every column as text, and save it as "CSV UTF-8".';
const UNKNOWN_ENCODING =
  'the file is neither UTF-8 nor UTF-16 nor EUC-KR. Convert it from its encoding, for example Shift_JIS: iconv -f SHIFT_JIS -t UTF-8 FILE > FILE.utf8.csv';
const INVALID_BYTES =
  'the file contains bytes that are invalid in its encoding. Find them with: iconv -f UTF-8 -t UTF-8 FILE > /dev/null (for a file of a Korean program -f CP949).';

/** Faults whose message names the line, because it helps to find the place. */
const NAMED_BY_LINE = ['quote_unclosed', 'quote_inside', 'row_too_long'];
const fileFaultText = ({ line, fact }: CsvFault): string =>
  NAMED_BY_LINE.includes(fact.kind) ? `line ${line}: ${csvText(fact)}` : csvText(fact);

function asFailure(error: unknown): unknown {
  if (error instanceof CsvFault) return new Failure(fileFaultText(error));
  const { code } = systemError(error);
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return new Failure(INVALID_BYTES);
  if (code === 'ENOENT') return new Failure('the file does not exist.');
  if (code === 'EISDIR') return new Failure('that is a directory, not a file.');
  if (code === 'EACCES') return new Failure('this user may not read the file.');
  return error;
}
