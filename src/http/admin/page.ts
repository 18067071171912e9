// Paging: `limit` and an opaque `cursor`, with `next_cursor` in the response.
import { Type, type Static, type TSchema } from '../json-schema.ts';
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
export type CursorKey = number | string;

export const cursorOf = (key: CursorKey): string => Buffer.from(JSON.stringify(key)).toString('base64url');

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

/** Pass one row more than the limit, which shows whether there is a next page. */
export function page<Row, Item>(
  rowsAndOne: readonly Row[],
  limit: number,
  key: (row: Row) => CursorKey,
  present: (row: Row) => Item,
): { data: Item[]; next_cursor: string | null } {
  const shown = rowsAndOne.slice(0, limit);
  const last = shown.at(-1);
  const more = rowsAndOne.length > limit && last !== undefined;
  return { data: shown.map(present), next_cursor: more ? cursorOf(key(last)) : null };
}
