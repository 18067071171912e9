// The schema functions of our own return what those of typebox do, which give them their types.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type as Typebox } from 'typebox';
import { Type } from '../src/http/json-schema.ts';

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

test('every schema is the one that typebox builds, in the same order of its fields', () => {
  assert.equal(JSON.stringify(schemasBy(Type), null, 1), JSON.stringify(schemasBy(Typebox), null, 1));
});
