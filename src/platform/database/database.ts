// Statements and their execution, and the types in which the driver returns values.
import pg from 'pg';

// Counters are bigint and stay below 2^53. numeric stays text: money is never a binary float.
function bigintNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint beyond 2^53: ${text}`);
  return value;
}
const elementNumber = (text: string): number | null => (text === 'NULL' ? null : bigintNumber(text));
/** OIDs of int4[] and int8[], which the driver's enumeration of types leaves out. */
const INTEGER_ARRAY_OIDS: readonly number[] = [1007, 1016];
pg.types.setTypeParser(pg.types.builtins.INT8, bigintNumber);
for (const oid of INTEGER_ARRAY_OIDS) {
  // Used for nested arrays; the driver parses character by character.
  const nested: (text: string) => unknown = pg.types.getTypeParser(oid);
  pg.types.setTypeParser(oid, (text: string) => {
    if (text === '{}') return [];
    return text.startsWith('{{') ? nested(text) : text.slice(1, -1).split(',').map(elementNumber);
  });
}

export type Answered = Pick<pg.QueryResult, 'rows' | 'rowCount' | 'command'>;

/** A connection, inside or outside a transaction. Always the first parameter. */
export interface Tx {
  query(config: pg.QueryConfig): Promise<Answered>;
}

/** Fixed text, prepared once per connection under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export const statement = (name: string, text: string): Statement => ({ name, text });

/**
 * One row per position of array parameters of these types, starting at `$first`. The arrays are unnested in the SELECT
 * list, because in FROM, PostgreSQL first copies each array to its own tuple store. That took a fifth of the time for
 * writing 32 orders, and a third for one.
 */
export function unnested(first: number, types: string): string {
  const columns = types.split(' ').map((type, index) => `unnest($${first + index}::${type}[])`);
  return `select ${columns.join(', ')}`;
}

/**
 * One accessor for each array parameter. Created once: V8 drops the compiled code of closures created per batch at each
 * full garbage collection, and recompiling costs time under load.
 */
export type Columns<Row> = readonly ((row: Row) => unknown)[];

/** The array parameters for `unnested`. */
export function columnsOf<Row>(columns: Columns<Row>, list: readonly Row[]): unknown[][] {
  const values: unknown[][] = [];
  for (const column of columns) values.push(list.map(column));
  return values;
}

/**
 * An array in PostgreSQL's text format; the driver's conversion is slow. Element types other than string, number and
 * boolean are left to the driver. Most columns have one type and are serialized in one step: element by element took a
 * quarter of the memory allocated for an order.
 */
function arrayParameter(values: readonly unknown[]): unknown {
  let texts = 0;
  let nulls = 0;
  // Not `entries()`: its pairs were half of that quarter.
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    if (typeof value === 'string') texts += 1;
    else if (value === null) nulls += 1;
    else if (typeof value !== 'number' && typeof value !== 'boolean') return values;
  }
  if (texts === 0 && nulls === 0) return `{${values.join(',')}}`;
  if (texts === values.length && !SPECIAL.test(values.join(''))) return `{"${values.join('","')}"}`;
  return `{${values.map(elementText).join(',')}}`;
}

const SPECIAL = /["\\]/;

function elementText(value: unknown): string {
  if (typeof value !== 'string') return String(value);
  return `"${SPECIAL.test(value) ? value.replaceAll(/["\\]/g, String.raw`\$&`) : value}"`;
}

const parameter = (value: unknown): unknown => (Array.isArray(value) ? arrayParameter(value) : value);

/** `Row` must match the columns that the statement selects; TypeScript cannot check this. */
export async function rows<Row extends object>(
  tx: Tx,
  { name, text }: Statement,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const result = await tx.query({ name, text, values: values.map(parameter) });
  return result.rows;
}

export async function run(
  tx: Tx,
  { name, text }: Statement,
  values: readonly unknown[] = [],
): Promise<number> {
  const result = await tx.query({ name, text, values: values.map(parameter) });
  return result.rowCount ?? 0;
}

/** Waits for all statements of a pipeline, then throws the first error. No statement stays in flight or unhandled. */
export async function together<T extends readonly unknown[]>(queries: {
  readonly [K in keyof T]: Promise<T[K]>;
}): Promise<T> {
  const settled: PromiseSettledResult<unknown>[] = await Promise.allSettled(queries);
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  return Promise.all(queries);
}

/**
 * Runs a statement that is planned for its values each time, so it is not a named statement. For a prepared statement,
 * PostgreSQL switches to one generic plan for all filters after a few calls: finding a number among three million
 * orders, or the orders of a small channel, took a second instead of 1 ms.
 */
export async function planned<Row extends object>(
  tx: Tx,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  return (await tx.query({ text, values: values.map(parameter) })).rows;
}
