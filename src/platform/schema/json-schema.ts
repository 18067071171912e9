// The functions of typebox that the schemas use: with its types, but returning plain objects. Typebox itself loads 373
// modules, a fifth of the CPU time of a start. test/json-schema.test.ts compares both.
import type { Type as Typebox } from 'typebox';

export type { Static, TObject, TProperties, TSchema, TUnsafe } from 'typebox';

type Schema = Record<string, unknown>;

/** Compared by identity: a copy of an optional schema is required, as in typebox. */
const optional = new WeakSet<Schema>();

const simple =
  (type: string) =>
  (options?: Schema): Schema => ({ type, ...options });

const builders = {
  Array: (items: Schema, options?: Schema): Schema => ({ type: 'array', items, ...options }),
  Boolean: simple('boolean'),
  Integer: simple('integer'),
  Literal: (value: string, options?: Schema): Schema => ({ type: 'string', const: value, ...options }),
  Null: simple('null'),
  Number: simple('number'),
  Object(properties: Record<string, Schema>, options?: Schema): Schema {
    const names = Object.entries(properties).flatMap(([name, schema]) => (optional.has(schema) ? [] : name));
    return { type: 'object', ...(names.length > 0 ? { required: names } : {}), properties, ...options };
  },
  Optional(schema: Schema): Schema {
    const copy = { ...schema };
    optional.add(copy);
    return copy;
  },
  Record: (_key: Schema, value: Schema, options?: Schema): Schema => ({
    type: 'object',
    patternProperties: { '^.*$': value },
    ...options,
  }),
  String: simple('string'),
  Union: (anyOf: Schema[], options?: Schema): Schema => ({ anyOf, ...options }),
  Unknown: (options?: Schema): Schema => ({ ...options }),
  Unsafe: (schema: Schema): Schema => ({ ...schema }),
};

// oxlint-disable-next-line typescript/consistent-type-assertions -- the types of typebox describe what these return.
export const Type = builders as unknown as Pick<typeof Typebox, keyof typeof builders>;
