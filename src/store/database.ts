// Statements and what they run on. Nothing else in `store/` talks to the driver.
import pg from 'pg';

// Counters are bigint and stay far below 2^53; numeric stays text, money is never a binary float.
function bigintNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint beyond 2^53: ${text}`);
  return value;
}
const elementNumber = (text: string): number | null => (text === 'NULL' ? null : bigintNumber(text));
const INTEGER_ARRAY_OIDS = [1007, 1016] as number[] as Parameters<typeof pg.types.setTypeParser>[0][];
pg.types.setTypeParser(pg.types.builtins.INT8, bigintNumber);
for (const oid of INTEGER_ARRAY_OIDS) {
  // The driver's own way goes character by character, as it must where arrays are in arrays.
  const nested = pg.types.getTypeParser(oid) as (text: string) => unknown;
  pg.types.setTypeParser(oid, (text: string) => {
    if (text === '{}') return [];
    return text.startsWith('{{') ? nested(text) : text.slice(1, -1).split(',').map(elementNumber);
  });
}

/** What a statement runs on: a connection inside or outside a transaction. Always the first parameter. */
export interface Tx {
  query(config: pg.QueryConfig): Promise<pg.QueryResult>;
}

/** A fixed text, prepared once per connection under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

export const statement = (name: string, text: string): Statement => ({ name, text });

/**
 * An array in PostgreSQL's own notation; the driver's way takes every element through a dozen questions. What is
 * neither text, number nor boolean is left to the driver. Most columns are of one kind and go in one piece: element by
 * element they were a quarter of all memory that an order takes.
 */
function arrayParameter(values: readonly unknown[]): unknown {
  let texts = 0;
  let nulls = 0;
  // Not by `entries()`: a pair for each element was half of that quarter.
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

export async function rows<Row extends object>(
  tx: Tx,
  { name, text }: Statement,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const result = await tx.query({ name, text, values: values.map(parameter) });
  return result.rows as Row[];
}

export async function run(
  tx: Tx,
  { name, text }: Statement,
  values: readonly unknown[] = [],
): Promise<number> {
  const result = await tx.query({ name, text, values: values.map(parameter) });
  return result.rowCount ?? 0;
}

/** Waits for all of a pipeline, then throws its first failure: none is left unhandled, none still under way. */
export async function together<T extends readonly unknown[]>(queries: {
  readonly [K in keyof T]: Promise<T[K]>;
}): Promise<T> {
  const settled: PromiseSettledResult<unknown>[] = await Promise.allSettled(queries);
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  return Promise.all(queries);
}
