// Building blocks of all schemas: the single source of types, validation and OpenAPI.
import { Type, type TUnsafe } from './json-schema.ts';
import { INT32_MAX } from '../values/int32.ts';
import { isBlank } from '../values/text-limits.ts';
import type { ExactNumber } from './json-body.ts';

export const SKU_CHARACTERS_MAX = 100;

/** Text that PostgreSQL can store: no U+0000, no lone surrogates. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

export const FORMATS = {
  text: { type: 'string', validate: isStorable },
  nonblank: { type: 'string', validate: (text: string) => isStorable(text) && !isBlank(text) },
} as const;

interface Extra {
  description?: string;
  examples?: unknown[];
}

/** A required text. Lengths are in Unicode characters. */
export const Text = (maxLength: number, extra: Extra = {}) =>
  Type.String({ minLength: 1, maxLength, format: 'nonblank', ...extra });

/** An optional text; null counts as absent. */
export const OptionalText = (maxLength: number, extra: Extra = {}) =>
  Type.Optional(nullable<string>({ type: 'string', maxLength, format: 'text', ...extra }));

export const OptionalBoolean = (extra: Extra = {}) =>
  Type.Optional(nullable<boolean>({ type: 'boolean', ...extra }));

export const OptionalInteger = (options: { minimum?: number; maximum?: number } & Extra = {}) =>
  Type.Optional(nullable<number>({ type: 'integer', ...options }));

/** `type: [T, 'null']` keeps one error per field, where a union would report each branch. */
export const nullable = <T>(schema: { type: string } & Record<string, unknown>): TUnsafe<T | null> =>
  Type.Unsafe<T | null>({
    ...schema,
    type: [schema.type, 'null'],
    ...(Array.isArray(schema['enum']) ? { enum: [...schema['enum'], null] } : {}),
  });

export const IntegerOf = <const T extends number>(values: readonly T[], extra: Extra = {}) =>
  Type.Unsafe<T>({ type: 'integer', enum: [...values], ...extra });

/** Keeps the exact text of a number that a float would change: `decimal(numberText(price))`. */
export const Price = (extra: Extra = {}) =>
  Type.Unsafe<number | ExactNumber>({ type: 'number', minimum: 0, format: PRICE_FORMAT, ...extra });
export const PRICE_FORMAT = 'price';
export const PRICE_BELOW = 1e15;

/** Quantities are 32-bit integers. */
export const Quantity = (minimum: number, extra: Extra = {}) =>
  Type.Integer({ minimum, maximum: INT32_MAX, ...extra });

export const ErrorBody = Type.Object(
  { error: Type.String() },
  { $id: 'Problem', description: 'A rule said no.' },
);

export const ValidationBody = Type.Object(
  {
    message: Type.String({ description: 'The first text, and how many more there are.' }),
    errors: Type.Record(Type.String(), Type.Array(Type.String())),
  },
  { $id: 'ValidationError', description: 'The request is not of the required form; texts by field.' },
);
