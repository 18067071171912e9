// Our schema functions have the types of the typebox functions and must build the same schemas.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type as Typebox } from 'typebox';
import { Type } from '../src/platform/schema/json-schema.ts';

const OPTIONS = { description: 'd' };

const schemasBy = (type: typeof Type) => [
  ...(['Boolean', 'Integer', 'Null', 'Number', 'String', 'Unknown'] as const).flatMap((name) => [
    type[name](),
    type[name](OPTIONS),
  ]),
  type.Array(type.String(), { ...OPTIONS, maxItems: 2 }),
  type.Literal('a', OPTIONS),
  type.Record(type.String(), type.Integer(), OPTIONS),
  type.Union([type.Null(), type.Object({})], OPTIONS),
  type.Unsafe<'a'>({ enum: ['a'] }),
  type.Object({ a: type.Optional(type.String()) }),
  type.Object({ a: type.String(), b: type.Optional(type.String(OPTIONS)), c: type.Integer() }, OPTIONS),
  type.Object({ required: { ...type.Optional(type.String()) } }),
  type.Object({ optional: type.Optional(type.Unsafe<string | null>({ type: ['string', 'null'] })) }),
];

test('every schema equals the one that typebox builds, with its fields in the same order', () => {
  assert.equal(JSON.stringify(schemasBy(Type), null, 1), JSON.stringify(schemasBy(Typebox), null, 1));
});
