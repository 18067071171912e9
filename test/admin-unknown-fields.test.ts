// Unknown fields of the admin API are refused by every operation, at every depth; the channel API ignores them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OpenApiDocument, Schema } from '../src/platform/docs/document.ts';
import { at } from '../verify/kit/document-schema.ts';
import { fixtures, orderOf, unique } from '../verify/kit/fixtures.ts';
import { ADMIN_TOKEN, call, startTestService, type HttpAnswer } from '../verify/kit/service.ts';
import { signedIn } from './kit/visitor.ts';

const service = await startTestService();
const make = fixtures(service);
const document = (await call(`${service.origin}/admin/v1/openapi.json`, 'GET')).json as OpenApiDocument;
const { visitor } = await signedIn(service, 'admin');

interface Faulty {
  field: string;
  code: string;
  details: { nearest: string | null };
}
const faultsOf = ({ json }: HttpAnswer): Faulty[] => json.details.faults;

/** The operation as an administrator, with a token or, where the operation needs one, with an account. */
async function send(method: string, path: string, body?: unknown): Promise<HttpAnswer> {
  // A body without a type is read only where one is expected.
  const type = { 'content-type': 'application/json' };
  const headers = { ...type, authorization: `Bearer ${ADMIN_TOKEN}` };
  const answer = await call(`${service.origin}/admin/v1${path}`, method, body, headers);
  return answer.json?.code === 'account_required' ? visitor.call(method, path, body, type) : answer;
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    where: `${method} ${path}`,
    method: method.toUpperCase(),
    path: path.replaceAll(/\{\w+\}/g, '1'),
    operation,
  })),
);

const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (at(document, schema.$ref) as Schema);

/** For each object in the schema: its dotted path, its fields, and a value that leads to it. */
function* objectsIn(
  given: Schema,
  path: string,
  wrap: (inner: object) => object,
): Generator<{ path: string; fields: string[]; wrap: (inner: object) => object }> {
  const schema = resolved(given);
  if (schema.items) yield* objectsIn(schema.items, `${path}0.`, (inner) => wrap([inner]));
  if (!schema.properties || schema.additionalProperties !== undefined) return;
  yield { path, fields: Object.keys(schema.properties), wrap };
  for (const [name, inner] of Object.entries(schema.properties))
    yield* objectsIn(inner, `${path}${name}.`, (value) => wrap({ [name]: value }));
}

test('every operation refuses an unknown parameter of its query, with the nearest name', async () => {
  assert.ok(operations.length > 100);
  for (const { where, method, path, operation } of operations) {
    if (where === 'get /oidc/callback') continue; // identity providers add their own
    const names = (operation.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name);
    for (const [given, nearest] of [
      ['sluice_nonsense', null],
      ...names.filter((name) => name.length > 3).map((name) => [`${name}x`, name]),
    ]) {
      const answer = await send(method, `${path}?${given}=1`, operation.requestBody ? {} : undefined);
      assert.equal(answer.status, 422, `${where}: ${answer.text}`);
      assert.deepEqual(
        faultsOf(answer).map(({ field, code, details }) => [field, code, details.nearest]),
        [[given, 'unknown_field', nearest]],
        where,
      );
    }
  }
});

test('every operation refuses an unknown field of its body, in nested objects too, with the nearest name', async () => {
  let nested = 0;
  for (const { where, method, path, operation } of operations) {
    if (method === 'GET' || method === 'DELETE') continue; // HTTP gives a body no meaning, and it is not read
    const schema = operation.requestBody?.content['application/json']?.schema ?? { properties: {} };
    for (const { path: prefix, fields, wrap } of objectsIn(schema, '', (inner) => inner)) {
      nested += prefix === '' ? 0 : 1;
      const misspelled = fields.filter((name) => name.length > 3).slice(0, 1);
      for (const [given = '', nearest] of [
        ['sluice_nonsense', null],
        ...misspelled.map((name) => [`${name}x`, name]),
      ]) {
        const answer = await send(method, path, wrap({ [given ?? '']: null }));
        assert.equal(answer.status, 422, `${where}: ${answer.text}`);
        const [fault] = faultsOf(answer);
        assert.deepEqual(
          fault,
          { field: `${prefix}${given}`, code: 'unknown_field', details: { nearest } },
          where,
        );
      }
    }
  }
  assert.ok(nested >= 6, String(nested));
});

test('a misplaced field is named, and nothing is created; a thousand of them are one answer', async () => {
  const code = unique('P');
  const answer = await service.admin('POST', '/products', {
    code,
    name: 'x',
    variants: [{ code: `${code}-1`, low_stock_at: 5 }],
  });
  assert.equal(answer.status, 422);
  assert.deepEqual(answer.json.errors, {
    'variants.0.low_stock_at': ['variants.0.low_stock_at is not a field of this request.'],
  });
  assert.equal((await service.admin('GET', `/products/${code}`)).status, 404);
  const misspelled = await service.admin('POST', '/products', { code, nam: 'x' });
  assert.equal(
    misspelled.json.errors.nam[0],
    'nam is not a field of this request; the nearest name is name.',
  );
  const many = await service.admin(
    'POST',
    '/products',
    Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`field_${n}`, n])),
  );
  assert.equal(faultsOf(many).length, 20);
  const threshold = await service.admin('PUT', '/alert-rules/drift', { enabled: true, hours: 3 });
  assert.deepEqual(faultsOf(threshold), [
    { field: 'hours', code: 'unknown_field', details: { nearest: null } },
  ]);
});

test('the channel API ignores unknown fields and parameters', async () => {
  const { channel, sku } = await make.setting();
  const line = { sku, quantity: 1, unit_price: 1, unknown: 1 };
  const order = { ...orderOf([line]), unknown: 1 };
  const answer = await channel.call('POST', '/orders?unknown=1', order);
  assert.equal(answer.status, 201, answer.text);
});
