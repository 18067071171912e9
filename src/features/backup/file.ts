// The format of a backup file before compression: lines of JSON, and between them the rows of each table in COPY text
// format. The rows of a table end with a line `\.`, which cannot be a row. The last line is the checksum of everything
// before it.
import { createHash, type Hash } from 'node:crypto';

const FORMAT = 'sluice-backup';
const FORMAT_VERSION = 1;

export interface BackupTable {
  readonly name: string;
  readonly columns: readonly string[];
}

export interface BackupHeader {
  readonly made_at: string;
  readonly server_version: string;
  readonly migrations: readonly { version: number; name: string; checksum: string }[];
  /** In loading order: a table comes after the tables that it references. */
  readonly tables: readonly BackupTable[];
}

export interface BackupEnd {
  readonly rows: Readonly<Record<string, number>>;
  readonly sequences: readonly { name: string; last_value: string; is_called: boolean }[];
}

/** The file is not a backup, or it is damaged. */
export class BackupFileError extends Error {
  override readonly name = 'BackupFileError';
}

const END_OF_ROWS = Buffer.from('\\.\n');
const END_AFTER_ROW = Buffer.from('\n\\.\n');
const LINE_FEED = 10;
const LINE_BYTES_MAX = 4 * 1024 * 1024;

const line = (value: object): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);

export const headerLine = (header: BackupHeader): Buffer =>
  line({ format: FORMAT, format_version: FORMAT_VERSION, ...header });
export const tableLine = (table: BackupTable): Buffer => line({ table: table.name });
export const endOfRows = END_OF_ROWS;
export const endLine = (end: BackupEnd): Buffer => line({ end });

/** Passes the data through and appends the checksum line. */
export async function* withChecksum(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of source) {
    hash.update(chunk);
    yield chunk;
  }
  yield line({ sha256: hash.digest('hex') });
}

/** A value from the file that is not checked yet. */
type Unchecked<T> = { [Name in keyof T]?: unknown };

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Names of tables, columns, sequences and migrations. They get into SQL and onto the terminal. */
const isName = (value: unknown): boolean =>
  typeof value === 'string' && /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/.test(value);

const isTable = (value: unknown): boolean =>
  isObject(value) &&
  isName(value['name']) &&
  Array.isArray(value['columns']) &&
  value['columns'].every(isName) &&
  new Set(value['columns']).size === value['columns'].length;

const isMigration = (value: unknown): boolean =>
  isObject(value) &&
  Number.isInteger(value['version']) &&
  isName(value['name']) &&
  typeof value['checksum'] === 'string';

const isHeader = (header: object): header is BackupHeader => {
  const { made_at, server_version, migrations, tables }: Unchecked<BackupHeader> = header;
  return (
    typeof made_at === 'string' &&
    /^[\d:.TZ+-]{10,40}$/.test(made_at) &&
    typeof server_version === 'string' &&
    Array.isArray(migrations) &&
    migrations.every(isMigration) &&
    Array.isArray(tables) &&
    tables.every(isTable)
  );
};

const isSequence = (value: unknown): boolean =>
  isObject(value) &&
  isName(value['name']) &&
  /^\d{1,19}$/.test(String(value['last_value'])) &&
  typeof value['is_called'] === 'boolean';

const isEnd = (end: unknown): end is BackupEnd => {
  if (!isObject(end)) return false;
  const { rows, sequences }: Unchecked<BackupEnd> = end;
  return (
    isObject(rows) &&
    Object.values(rows).every(Number.isInteger) &&
    Array.isArray(sequences) &&
    sequences.every(isSequence)
  );
};

/** Reads the parts in order; anything unexpected is a BackupFileError. */
export class BackupReader {
  readonly #source: AsyncIterator<Buffer>;
  readonly #hash: Hash = createHash('sha256');
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async header(): Promise<BackupHeader> {
    const { format, format_version, ...header } = await this.#json();
    if (format !== FORMAT) throw new BackupFileError('it is no backup of Sluice');
    if (typeof format_version !== 'number') throw new BackupFileError('it is no backup of Sluice');
    if (format_version !== FORMAT_VERSION) {
      throw new BackupFileError(`its format is ${format_version}, and this version of Sluice reads 1`);
    }
    if (!isHeader(header)) throw new BackupFileError('it is damaged, or no backup of Sluice');
    return header;
  }

  async table(expected: string): Promise<void> {
    const { table } = await this.#json();
    if (table !== expected) throw new BackupFileError(`the table ${expected} is missing`);
  }

  /** The rows of the table read last. */
  async *rows(): AsyncGenerator<Buffer> {
    if (await this.#startsWithEnd()) {
      this.#take(END_OF_ROWS.length);
      return;
    }
    for (;;) {
      const at = this.#rest.indexOf(END_AFTER_ROW);
      if (at >= 0) {
        yield this.#take(at + 1);
        this.#take(END_OF_ROWS.length);
        return;
      }
      // The end marker may be split across two chunks.
      const sure = this.#rest.length - END_AFTER_ROW.length;
      if (sure > 0) yield this.#take(sure);
      await this.#more();
    }
  }

  /** Checks the checksum, and that nothing follows it. */
  async end(): Promise<BackupEnd> {
    const { end } = await this.#json();
    const computed = this.#hash.copy().digest('hex');
    const { sha256 } = await this.#json();
    if (sha256 !== computed) throw new BackupFileError('its checksum is wrong: it was changed or damaged');
    if (this.#rest.length > 0 || (await this.#source.next()).done !== true) {
      throw new BackupFileError('something follows its end');
    }
    if (!isEnd(end)) throw new BackupFileError('it is no backup of Sluice');
    return end;
  }

  async #startsWithEnd(): Promise<boolean> {
    while (this.#rest.length < END_OF_ROWS.length) await this.#more();
    return this.#rest.subarray(0, END_OF_ROWS.length).equals(END_OF_ROWS);
  }

  async #json(): Promise<Readonly<Record<string, unknown>>> {
    let at = this.#rest.indexOf(LINE_FEED);
    while (at < 0) {
      if (this.#rest.length > LINE_BYTES_MAX) throw new BackupFileError('it is no backup of Sluice');
      await this.#more();
      at = this.#rest.indexOf(LINE_FEED);
    }
    const text = this.#take(at + 1).toString('utf8');
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      throw new BackupFileError('it is damaged, or no backup of Sluice', { cause: error });
    }
    if (!isObject(value)) throw new BackupFileError('it is damaged, or no backup of Sluice');
    return value;
  }

  #take(bytes: number): Buffer {
    const taken = this.#rest.subarray(0, bytes);
    this.#rest = this.#rest.subarray(bytes);
    this.#hash.update(taken);
    return taken;
  }

  async #more(): Promise<void> {
    const next = await this.#source.next();
    if (next.done === true) throw new BackupFileError('it ends too early: it is incomplete');
    this.#rest = this.#rest.length === 0 ? next.value : Buffer.concat([this.#rest, next.value]);
  }
}

/** Reads the whole file: checksum and all tables. */
export async function verifyBackup(source: AsyncIterable<Buffer>): Promise<BackupHeader> {
  const reader = new BackupReader(source);
  const header = await reader.header();
  for (const table of header.tables) {
    await reader.table(table.name);
    for await (const rows of reader.rows()) void rows;
  }
  await reader.end();
  return header;
}
