// Paging: `limit` and an opaque `cursor`, with `next_cursor` in the response.
import type { Tx } from '../database/database.ts';
import { reading } from '../database/transactions.ts';
import { Type, type Static, type TSchema } from '../schema/json-schema.ts';
import { Refusal } from './refusal.ts';

const LIMIT_DEFAULT = 50;
const LIMIT_MAX = 500;

export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: LIMIT_MAX, description: `Default ${LIMIT_DEFAULT}.` }),
  ),
  cursor: Type.Optional(Type.String({ description: 'The next_cursor of the page before.' })),
};
const PageQuery = Type.Object(pageQuery);
export type PageQuery = Static<typeof PageQuery>;

export const ListOf = <T extends TSchema>(item: T) =>
  Type.Object({
    data: Type.Array(item),
    next_cursor: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
  });

/** A cursor contains the sort key of the last row: a number or a text. */
type CursorKey = number | string;

const cursorOf = (key: CursorKey): string => Buffer.from(JSON.stringify(key)).toString('base64url');

const isNumberKey = (key: unknown): key is number => Number.isSafeInteger(key);
const isTextKey = (key: unknown): key is string => typeof key === 'string' && !key.includes('\0');

function decode<Key extends CursorKey>(cursor: string, isKey: (key: unknown) => key is Key): Key {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (isKey(key)) return key;
  } catch {
    // Falls through: every invalid cursor gets the same response.
  }
  throw refuseCursor();
}

export const refuseCursor = (): Refusal => Refusal.invalid('cursor', { kind: 'cursor_unknown' });

export const numberAfter = (query: PageQuery): number | null =>
  query.cursor === undefined ? null : decode(query.cursor, isNumberKey);
export const textAfter = (query: PageQuery): string | null =>
  query.cursor === undefined ? null : decode(query.cursor, isTextKey);

export const limitOf = (query: PageQuery): number => query.limit ?? LIMIT_DEFAULT;

interface Reading<Row, Item> {
  /**
   * At most `limit` rows of the list, after the cursor of the query. `resume`: the reading stopped before the limit and
   * before the end of the list, and goes on after this key.
   */
  read: (
    tx: Tx,
    limit: number,
  ) => Promise<readonly Row[] | { rows: readonly Row[]; resume: CursorKey | null }>;
  key: (row: Row) => CursorKey;
  present: (row: Row) => Item;
}

interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}

/** Reads one row more than the page holds, which shows whether there is a next page. */
export const readPage = <Row, Item>(
  pool: Tx,
  query: PageQuery,
  { read, key, present }: Reading<Row, Item>,
): Promise<Page<Item>> =>
  reading(pool, async (tx) => {
    const limit = limitOf(query);
    const found = await read(tx, limit + 1);
    const { rows, resume } = 'rows' in found ? found : { rows: found, resume: null };
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    const next = last === undefined ? resume : key(last);
    return { data: shown.map(present), next_cursor: next === null ? null : cursorOf(next) };
  });
