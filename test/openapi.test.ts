// Compares the OpenAPI documents with the answers of the service: every operation is called over HTTP, every body is
// validated against the schema documented for its status, and undocumented answers fail.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { OpenApiDocument } from '../src/platform/docs/document.ts';
import { FORMATS } from '../src/platform/schema/building-blocks.ts';
import { at, validators } from '../verify/kit/document-schema.ts';
import { adminToken } from './kit/desk.ts';
import { sendRaw } from './kit/raw-http.ts';
import { fixtures, must, orderOf, unique, type TestChannel } from '../verify/kit/fixtures.ts';
import { ADMIN_TOKEN, call, startTestService, type HttpAnswer } from '../verify/kit/service.ts';

const service = await startTestService();
const make = fixtures(service);

const documents = new Map<string, OpenApiDocument>();
for (const prefix of ['/api/v1', '/admin/v1']) {
  const answer = await call(`${service.origin}${prefix}/openapi.json`, 'GET');
  assert.equal(answer.status, 200, 'the document is public');
  documents.set(prefix, answer.json as OpenApiDocument);
}

const operationsOf = (document: OpenApiDocument) =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

/** Every object in a JSON value that has the key. */
function* holding(value: unknown, key: string): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return;
  if (Object.hasOwn(value, key)) yield value as Record<string, unknown>;
  for (const inner of Object.values(value)) yield* holding(inner, key);
}

const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { ...FORMATS, price: true } });
const validatorOf = validators(ajv);

for (const [prefix, document] of documents) {
  describe(`the document of ${prefix}`, () => {
    const operations = operationsOf(document);

    test('has the structure of OpenAPI 3.1', () => {
      assert.match(document.openapi, /^3\.1\.\d$/);
      assert.ok(document.info.title && document.info.version && document.info.description);
      assert.deepEqual(
        document.servers.map((server) => server.url),
        [prefix],
      );
      for (const { path, method, operation } of operations) {
        const where = `${method} ${path}`;
        assert.match(path, /^\/[^?#]*$/, where);
        assert.ok(operation.summary, `${where} has a summary`);
        assert.ok(Object.keys(operation.responses).length > 0, where);
        for (const [status, answer] of Object.entries(operation.responses)) {
          assert.match(status, /^[2-5]\d\d$/, where);
          assert.ok(answer.description, `${where} ${status} is described`);
        }
        const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name));
        const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
        assert.deepEqual(declared.map((parameter) => parameter.name).toSorted(), inPath.toSorted(), where);
        assert.ok(
          declared.every((parameter) => parameter.required),
          where,
        );
      }
    });

    test('resolves every reference, and defines errors and other shared schemas by name', () => {
      for (const { $ref } of holding(document, '$ref')) {
        assert.ok(at(document, String($ref)), `${String($ref)} exists`);
      }
      const names =
        prefix === '/api/v1'
          ? ['Problem', 'ValidationError', 'Order', 'InventoryRow', 'OrderRequest', 'StatusReport']
          : ['Refusal', 'InvalidRequest'];
      for (const name of names) assert.ok(document.components.schemas[name], name);
      assert.deepEqual([...holding(document, '$id')], []);
    });

    if (prefix === '/admin/v1') {
      test('requires a code in every error response', () => {
        for (const { operation } of operations) {
          for (const [status, { content }] of Object.entries(operation.responses)) {
            if (Number(status) < 400) continue;
            const schema = content?.['application/json']?.schema ?? {};
            for (const { $ref = '' } of schema.anyOf ?? [schema]) {
              const { required = [] } = at(document, $ref) as { required?: string[] };
              assert.ok(required.includes('code'), `${operation.operationId} ${status}`);
            }
          }
        }
      });
    }

    test('has a unique id for every operation', () => {
      const ids = operations.map(({ operation }) => operation.operationId);
      assert.equal(new Set(ids).size, ids.length);
      for (const id of ids) assert.match(id, /^[a-z][A-Za-z0-9]+$/);
    });

    test('requires the credentials that it defines in every operation', () => {
      const schemes = Object.keys(document.components.securitySchemes);
      assert.deepEqual(schemes, prefix === '/api/v1' ? ['apiKey'] : ['bearer', 'session']);
      for (const { path, operation } of operations) {
        const asked = (operation.security ?? []).flatMap((one) => Object.keys(one));
        if (/^\/sessions?\b/.test(path)) assert.ok(asked.every((name) => schemes.includes(name)));
        else assert.deepEqual(asked, schemes, operation.operationId);
      }
    });

    test('contains only valid schemas of JSON Schema 2020-12, and examples that match them', () => {
      for (const { operation } of operations) {
        for (const { schema, example, examples = {} } of holding(operation, 'schema')) {
          assert.ok(ajv.validateSchema(schema as object), ajv.errorsText());
          const validate = validatorOf(document, schema);
          const named = Object.values(examples as Record<string, { value: unknown }>);
          for (const value of [...(example === undefined ? [] : [example]), ...named.map((one) => one.value)])
            assert.ok(validate(value), `${operation.operationId}: ${ajv.errorsText(validate.errors)}`);
        }
      }
    });
  });
}

describe('what code generators and linters need in the document of the channel API', () => {
  const document = documents.get('/api/v1') as OpenApiDocument;

  test('every parameter, request and response has an example', () => {
    for (const { path, method, operation } of operationsOf(document)) {
      const where = `${method} ${path}`;
      for (const { name, example } of operation.parameters ?? [])
        assert.notEqual(example, undefined, `${where}: parameter ${name}`);
      if (operation.requestBody)
        assert.ok(operation.requestBody.content['application/json'].example, `${where}: request`);
      for (const [status, { content }] of Object.entries(operation.responses)) {
        const media = content?.['application/json'];
        if (media) assert.ok(Object.keys(media.examples ?? {}).length > 0, `${where}: ${status}`);
      }
    }
  });

  test('our own formats are published as patterns and bounds', () => {
    for (const all of documents.values()) {
      const formats = new Set([...holding(all, 'format')].map(({ format }) => format));
      for (const own of ['price', 'nonblank', 'text']) assert.ok(!formats.has(own), own);
    }
    const { OrderRequest, OrderLine } = document.components.schemas;
    const blank = new RegExp(OrderRequest?.properties?.['recipient_name']?.pattern ?? '');
    const storable = new RegExp(OrderRequest?.properties?.['tracking_number']?.pattern ?? '');
    for (const text of ['', ' ', '\u3000\n', '\0', 'a\0', '\0a'])
      assert.ok(!blank.test(text), JSON.stringify(text));
    for (const text of ['a', ' a ', '김', '😀', 'a\nb'])
      assert.ok(blank.test(text) && storable.test(text), text);
    assert.ok(storable.test('') && !storable.test('a\0'));
    const { unit_price } = OrderLine?.properties ?? {};
    assert.deepEqual([unit_price?.minimum, unit_price?.exclusiveMaximum], [0, 1e15]);
  });

  test('every defined component is used', () => {
    const text = JSON.stringify(document);
    for (const [part, named] of Object.entries(document.components)) {
      if (part === 'securitySchemes') continue;
      for (const name of Object.keys(named))
        assert.ok(text.includes(`"#/components/${part}/${name}"`), `${part} ${name}`);
    }
  });
});

test('the document for channels contains only the channel API', () => {
  const paths = Object.keys(documents.get('/api/v1')?.paths ?? {});
  assert.deepEqual(paths.toSorted(), [
    '/inventory',
    '/inventory/lookup',
    '/inventory/{sku}',
    '/orders',
    '/orders/{orderNumber}',
    '/orders/{orderNumber}/status',
  ]);
});

describe('the service answers as documented, and every operation was called successfully', () => {
  const visited = new Set<string>();
  let quoted = 1;
  const shop = createServer((request, response) => {
    if (request.url === '/rate') return void response.end(JSON.stringify({ rate: (quoted *= 2) }));
    const usercode = new URL(request.url ?? '/', 'http://shop').searchParams.get('usercode');
    const option = { opt_group: 'l', power: '-1.00', option_code: `${usercode}-o`, stock: 1, hidden: false };
    const options = usercode === 'TWICE' ? [option, option] : [option];
    response.end(
      JSON.stringify(
        usercode === 'NONE' ? { found: false } : { found: true, goods_name: 'Lens', is_monthly: 0, options },
      ),
    );
  });
  let channel: TestChannel;
  let variant: { code: string; product: string };
  let sku: string;
  let viewer: string;

  before(async () => {
    await new Promise<void>((resolve) => {
      shop.listen(0, '127.0.0.1', resolve);
    });
    const { pool } = service.service.services;
    viewer = await adminToken(pool, 'viewer');
  });
  // Each test has its own, so that none depends on the stock, quotas and limits that another one left.
  beforeEach(async () => {
    const api_url = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/`;
    ({ channel, variant, sku } = await make.setting(50, { api_url }));
  });
  after(() => shop.close());
  after(assertAllVisited);

  interface Called {
    prefix: string;
    method: string;
    template: string;
    values: object;
  }
  interface Request {
    body?: unknown;
    query?: string;
    headers?: Record<string, string>;
  }

  /** Calls the operation, and fails unless status and body are documented for it. */
  async function check(
    { prefix, method, template, values }: Called,
    request: Request,
    status: number,
  ): Promise<HttpAnswer> {
    const document = documents.get(prefix) as OpenApiDocument;
    const operation = document.paths[template]?.[method];
    assert.ok(operation, `${method} ${template} is documented`);
    const byName = new Map(Object.entries(values));
    const path = template.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
      encodeURIComponent(String(byName.get(name))),
    );
    const url = `${service.origin}${prefix}${path}${request.query ?? ''}`;
    const answer = await call(url, method.toUpperCase(), request.body, request.headers);
    const where = `${method} ${template}`;
    assert.equal(answer.status, status, `${where}: ${answer.text}`);
    const documented = operation.responses[status];
    assert.ok(documented, `${where} documents ${status}`);
    visited.add(`${prefix} ${where} ${status}`);
    assert.ok(answer.headers.get('x-request-id'));
    const media = documented.content?.['application/json'];
    if (documented.content?.['text/csv']) {
      assert.match(answer.headers.get('content-type') ?? '', /^text\/csv/);
      return answer;
    }
    if (!media) {
      assert.equal(answer.text, '', `${where} ${status} has no body`);
      return answer;
    }
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
    const validate = validatorOf(document, media.schema);
    assert.ok(
      validate(answer.json),
      `${where} ${status}: ${ajv.errorsText(validate.errors)} in ${answer.text}`,
    );
    return answer;
  }

  const asChannel = (method: string, template: string, values: object, request: Request, status: number) =>
    check(
      { prefix: '/api/v1', method, template, values },
      { headers: { 'x-api-key': channel.api_key }, ...request },
      status,
    );
  const asAdmin = (method: string, template: string, values: object, request: Request, status: number) =>
    check(
      { prefix: '/admin/v1', method, template, values },
      { headers: { authorization: `Bearer ${ADMIN_TOKEN}` }, ...request },
      status,
    );
  const line = (quantity: number) => [{ sku, quantity, unit_price: 1 }];

  test('inventory', async () => {
    const list = await asChannel('get', '/inventory', {}, {}, 200);
    const seen = {
      'x-api-key': channel.api_key,
      'if-none-match': String(list.headers.get('etag')),
    };
    await asChannel('get', '/inventory', {}, { headers: seen }, 304);
    await asChannel('get', '/inventory', {}, { headers: {} }, 401);
    const page = await asChannel('get', '/inventory', {}, { query: '?limit=1' }, 200);
    const changes = `?changes_since=${String(page.json.changes_since)}`;
    await asChannel('get', '/inventory', {}, { query: changes }, 200);
    await asChannel('get', '/inventory', {}, { query: '?limit=0' }, 422);
    await asChannel('post', '/inventory/lookup', {}, { body: { skus: [sku, 'unmapped'] } }, 200);
    await asChannel('post', '/inventory/lookup', {}, { body: { skus: [] } }, 422);
    await asChannel('post', '/inventory/lookup', {}, { body: { skus: [sku] }, headers: {} }, 401);
    await asChannel('get', '/inventory/{sku}', { sku }, {}, 200);
    await asChannel('get', '/inventory/{sku}', { sku: 'unmapped' }, {}, 404);
    await asChannel('get', '/inventory/{sku}', { sku: '\0' }, {}, 422);
    await asChannel('get', '/inventory/{sku}', { sku }, { headers: { 'x-api-key': 'wrong' } }, 401);
  });

  test('orders and their status', async () => {
    const body = orderOf(line(2), { status: 0 });
    await asChannel('post', '/orders', {}, { body }, 201);
    await asChannel('post', '/orders', {}, { body }, 200);
    await asChannel('post', '/orders', {}, { body: orderOf(line(5000)) }, 422);
    await asChannel('post', '/orders', {}, { body: orderOf([{ ...line(1)[0]!, sku: 'unmapped' }]) }, 422);
    await asChannel('post', '/orders', {}, { body: { order_number: 7 } }, 422);
    await asChannel('post', '/orders', {}, { body: 'no JSON' }, 422);
    await asChannel('post', '/orders', {}, { body, headers: {} }, 401);
    const other = await make.channel();
    await make.map(other, variant, sku);
    await asChannel('post', '/orders', {}, { body, headers: { 'x-api-key': other.api_key } }, 500);

    const target = { orderNumber: body.order_number };
    const path = '/orders/{orderNumber}/status';
    await asChannel('post', path, target, { body: { status: 1 } }, 200);
    await asChannel('get', '/orders/{orderNumber}', target, {}, 200);
    await asChannel('get', '/orders/{orderNumber}', target, { headers: {} }, 401);
    await asChannel('get', '/orders/{orderNumber}', { orderNumber: 'unknown' }, {}, 404);
    await asChannel('get', '/orders/{orderNumber}', { orderNumber: '\0' }, {}, 422);
    await asChannel('get', '/orders', {}, { query: '?changes_since=' }, 200);
    await asChannel('get', '/orders', {}, {}, 422);
    await asChannel('post', path, target, { body: { status: 0 } }, 409);
    await asChannel('post', path, target, { body: { status: 3 } }, 422);
    await asChannel('post', path, target, { body: { status: 1 }, headers: {} }, 401);
    await asChannel('post', path, { orderNumber: 'unknown' }, { body: { status: 1 } }, 404);
    const backorder = orderOf(line(5000), { is_backorder: true });
    await asChannel('post', '/orders', {}, { body: backorder }, 201);
    const ship = { status: 3, tracking_number: 'T' };
    const short = await asChannel('post', path, { orderNumber: backorder.order_number }, { body: ship }, 409);
    assert.equal(short.json.code, 'insufficient_stock');
    await asChannel(
      'post',
      path,
      { orderNumber: backorder.order_number },
      { body: { status: 88, reason: 'short' } },
      200,
    );
  });

  test('channels and keys', async () => {
    const made = await asAdmin('post', '/channels', {}, { body: { name: 'x', country_code: 'JP' } }, 201);
    const { id } = made.json.data;
    await asAdmin('post', '/channels', {}, { body: {} }, 422);
    await asAdmin('get', '/channels', {}, { query: '?limit=1' }, 200);
    await asAdmin('get', '/channels', {}, { query: '?limit=0' }, 422);
    await asAdmin('get', '/channels/{id}', { id }, {}, 200);
    await asAdmin('get', '/channels/{id}', { id: 'abc' }, {}, 404);
    await asAdmin('get', '/channels/{id}/checklist', { id }, {}, 200);
    await asAdmin('get', '/channels/{id}/checklist', { id: 'abc' }, {}, 404);
    await asAdmin('get', '/countries', {}, {}, 200);
    await asAdmin('patch', '/channels/{id}', { id }, { body: { is_active: false } }, 200);
    await asAdmin('patch', '/channels/{id}', { id }, { body: { country_code: 'XX' } }, 422);
    await asAdmin('patch', '/channels/{id}', { id: 999_999 }, { body: {} }, 404);
    await asAdmin('post', '/channels/{id}/rotate-key', { id }, {}, 200);
    await asAdmin('post', '/channels/{id}/rotate-key', { id: 999_999 }, {}, 404);
    const overlap = { body: { overlap_seconds: 60 } };
    await asAdmin('post', '/channels/{id}/rotate-key', { id }, overlap, 200);
    await asAdmin('post', '/channels/{id}/rotate-key', { id }, { body: { overlap_seconds: -1 } }, 422);
    await asAdmin('delete', '/channels/{id}/previous-key', { id }, {}, 204);
    await asAdmin('delete', '/channels/{id}/previous-key', { id }, {}, 404);
  });

  test('limits and signing', async () => {
    const held = await make.channel();
    const { id } = held;
    const headers = { 'x-api-key': held.api_key };
    const secrets = '/channels/{id}/signing-secrets';
    const made = await asAdmin('post', secrets, { id }, {}, 201);
    await asAdmin('post', secrets, { id }, {}, 201);
    await asAdmin('post', secrets, { id }, {}, 422);
    await asAdmin('post', secrets, { id: 999_999 }, {}, 404);
    await asAdmin('put', '/channels/{id}/signing', { id }, { body: { mode: 'required' } }, 200);
    await asAdmin('put', '/channels/{id}/signing', { id }, { body: { mode: 'some' } }, 422);
    await asAdmin('put', '/channels/{id}/signing', { id: 'x' }, { body: { mode: 'off' } }, 404);
    await asChannel('get', '/inventory', {}, { headers }, 401);
    const secretId = made.json.data.id as number;
    await asAdmin('delete', `${secrets}/{secretId}`, { id, secretId }, {}, 204);
    await asAdmin('delete', `${secrets}/{secretId}`, { id, secretId }, {}, 404);
    await asAdmin('put', '/channels/{id}/signing', { id }, { body: { mode: 'off' } }, 200);
    const limit = { requests_per_minute: 1, burst: 1 };
    await asAdmin('put', '/channels/{id}/rate-limit', { id }, { body: limit }, 200);
    await asAdmin('put', '/channels/{id}/rate-limit', { id }, { body: {} }, 422);
    await asAdmin('put', '/channels/{id}/rate-limit', { id: 999_999 }, { body: limit }, 404);
    const limits = '/channels/{id}/limits';
    await asAdmin('put', limits, { id }, { body: { line_quantity_max: 5 } }, 200);
    await asAdmin('put', limits, { id }, { body: { line_quantity_max: 0 } }, 422);
    await asAdmin('put', limits, { id: 999_999 }, { body: {} }, 404);
    await asAdmin('get', limits, { id }, {}, 200);
    await asAdmin('get', limits, { id: 999_999 }, {}, 404);
    await asAdmin('get', '/channels/{id}', { id }, {}, 200);
    await asChannel('get', '/inventory', {}, { headers }, 200);
    await asChannel('get', '/inventory', {}, { headers }, 429);
    await asChannel('post', '/orders', {}, { body: {}, headers }, 429);
  });

  test('catalogue and mappings', async () => {
    const code = unique('P');
    const product = { code, name: 'n', variants: [{ code: `${code}-1`, power: '-1.00' }] };
    await asAdmin('post', '/products', {}, { body: product }, 201);
    await asAdmin('post', '/products', {}, { body: product }, 409);
    await asAdmin('post', '/products', {}, { body: {} }, 422);
    await asAdmin('get', '/products', {}, { query: '?search=p' }, 200);
    await asAdmin('get', '/products/{code}', { code }, {}, 200);
    await asAdmin('get', '/products/{code}', { code: 'unknown' }, {}, 404);
    await asAdmin('patch', '/products/{code}', { code }, { body: { name: 'm' } }, 200);
    await asAdmin('patch', '/products/{code}', { code: 'unknown' }, { body: { name: 'm' } }, 404);
    const path = '/products/{code}/variants';
    await asAdmin('post', path, { code }, { body: { code: `${code}-2` } }, 201);
    await asAdmin('post', path, { code }, { body: { code: `${code}-2` } }, 409);
    await asAdmin('post', path, { code: 'unknown' }, { body: { code: `${code}-3` } }, 404);

    await asAdmin('get', '/variants', {}, { query: '?without_stock=true' }, 200);
    await asAdmin('get', '/variants/{code}', { code: `${code}-1` }, {}, 200);
    await asAdmin('get', '/variants/{code}', { code: 'unknown' }, {}, 404);
    const facts = { barcode: code, attributes: { size: 'L' }, low_stock_at: 3 };
    await asAdmin('patch', '/variants/{code}', { code: `${code}-1` }, { body: facts }, 200);
    await asAdmin('patch', '/variants/{code}', { code: `${code}-2` }, { body: facts }, 409);
    await asAdmin('patch', '/variants/{code}', { code: `${code}-2` }, { body: { barcode: 7 } }, 422);
    await asAdmin('patch', '/variants/{code}', { code: 'unknown' }, { body: facts }, 404);
    const { product: used } = variant;
    await asAdmin('patch', '/products/{code}', { code: used }, { body: { archived: true } }, 409);

    const { id } = channel;
    const mappings = [{ sku: `${code}-s`, variant_code: `${code}-1` }];
    await asAdmin('put', '/channels/{id}/mappings', { id }, { body: { mappings } }, 200);
    await asAdmin('put', '/channels/{id}/mappings', { id }, { body: {} }, 422);
    await asAdmin('put', '/channels/{id}/mappings', { id: 999_999 }, { body: { mappings } }, 404);
    await asAdmin('get', '/channels/{id}/mappings', { id }, {}, 200);
    await asAdmin('get', '/channels/{id}/mappings', { id: 999_999 }, {}, 404);
    await asAdmin('get', '/mappings', {}, { query: `?search=${code}-s` }, 200);
    await asAdmin('get', '/channels/{id}/mappings/export', { id }, {}, 200);
    await asAdmin('get', '/channels/{id}/mappings/export', { id: 999_999 }, {}, 404);
    const load = '/channels/{id}/mappings/import';
    const csv = `sku,variant_code\nfrom-file,${code}-1\n`;
    await asAdmin('post', load, { id }, { body: { csv, dry_run: true } }, 200);
    await asAdmin('post', load, { id }, { body: { csv } }, 200);
    const refused = await asAdmin('post', load, { id }, { body: { csv: 'sku,variant_code\na,none' } }, 422);
    assert.equal(refused.json.data.error_count, 1);
    await asAdmin('post', load, { id }, { body: {} }, 422);
    await asAdmin('post', load, { id: 999_999 }, { body: { csv } }, 404);
    await asChannel('get', '/inventory/{sku}', { sku: 'in vain' }, {}, 404);
    await asChannel('post', '/orders', {}, { body: orderOf(line(5000)) }, 422);
    const never = { orderNumber: 'never-sent' };
    await asChannel('post', '/orders/{orderNumber}/status', never, { body: { status: 1 } }, 404);
    await service.service.flush();
    await asAdmin('get', '/backorders', {}, {}, 200);
    await asAdmin('get', '/backorders/items', {}, {}, 200);
    const [refused_order] = (await asAdmin('get', '/refusals', {}, {}, 200)).json.data;
    await asAdmin('delete', '/refusals/{id}', { id: refused_order.id }, {}, 204);
    await asAdmin('delete', '/refusals/{id}', { id: refused_order.id }, {}, 404);
    const [late_report] = (await asAdmin('get', '/late-reports', {}, {}, 200)).json.data;
    await asAdmin('delete', '/late-reports/{id}', { id: late_report.id }, {}, 204);
    await asAdmin('delete', '/late-reports/{id}', { id: late_report.id }, {}, 404);
    await asAdmin('get', '/channels/{id}/requests', { id }, {}, 200);
    await asAdmin('get', '/channels/{id}/requests', { id: 999_999 }, {}, 404);
    await asAdmin('get', '/channels/{id}/unmapped', { id }, {}, 200);
    await asAdmin('get', '/channels/{id}/unmapped', { id: 999_999 }, {}, 404);
    await asAdmin('delete', '/channels/{id}/unmapped/{sku}', { id, sku: 'in vain' }, {}, 204);
    await asAdmin('delete', '/channels/{id}/unmapped/{sku}', { id, sku: 'in vain' }, {}, 404);
    const gone = { body: { skus: ['from-file'] } };
    await asAdmin('post', '/channels/{id}/mappings/remove', { id }, gone, 200);
    await asAdmin('post', '/channels/{id}/mappings/remove', { id: 999_999 }, gone, 404);
    await asAdmin('delete', '/channels/{id}/mappings/{sku}', { id, sku: `${code}-s` }, {}, 204);
    await asAdmin('delete', '/channels/{id}/mappings/{sku}', { id, sku: `${code}-s` }, {}, 404);
  });

  test('stock and allocations', async () => {
    const { code: variant_code } = variant;
    const unknown = { variant_code: 'unknown' };
    await asAdmin('get', '/stock', {}, { query: '?below=1000' }, 200);
    await asAdmin('get', '/stock/{variant_code}', { variant_code }, {}, 200);
    await asAdmin('get', '/stock/{variant_code}', unknown, {}, 404);
    await asAdmin('put', '/stock/{variant_code}', { variant_code }, { body: { quantity: 60 } }, 200);
    const stale = { quantity: 60, expected_quantity: 1 };
    await asAdmin('put', '/stock/{variant_code}', { variant_code }, { body: stale }, 409);
    await asAdmin('put', '/stock/{variant_code}', unknown, { body: { quantity: 1 } }, 404);
    const path = '/stock/{variant_code}/adjustments';
    await asAdmin('post', path, { variant_code }, { body: { delta: -1, reason: 'broken' } }, 200);
    await asAdmin('post', path, { variant_code }, { body: { delta: -5000, reason: 'x' } }, 422);
    await asAdmin('post', path, unknown, { body: { delta: 1, reason: 'x' } }, 404);
    await asAdmin('get', '/stock/{variant_code}/movements', { variant_code }, {}, 200);
    await asAdmin('get', '/stock/{variant_code}/movements', unknown, {}, 404);
    await asAdmin('get', '/stock/{variant_code}/orders', { variant_code }, {}, 200);
    await asAdmin('get', '/stock/{variant_code}/orders', unknown, {}, 404);
    await asAdmin('get', '/stock/export', {}, {}, 200);
    const csv = `variant_code,quantity\n${variant_code},60\n`;
    const count = { csv, mode: 'set', reason: 'count', counted_at: '2026-01-01T00:00:00Z' };
    await asAdmin('post', '/stock/import', {}, { body: { ...count, dry_run: true } }, 200);
    const outdated = await asAdmin('post', '/stock/import', {}, { body: count }, 422);
    assert.equal(outdated.json.data.problems[0].code, 'count_outdated');
    const { json: counted } = await asAdmin(
      'post',
      '/stock/import',
      {},
      { body: { ...count, counted_at: null } },
      200,
    );
    const { import_id } = counted.data;
    const undo = '/stock/imports/{import_id}/undo';
    for (const status of [200, 409])
      await asAdmin('post', undo, { import_id }, { body: { reason: 'x' } }, status);
    await asAdmin('post', undo, { import_id: '0' }, { body: { reason: 'x' } }, 404);
    await asAdmin('post', '/stock/import', {}, { body: {} }, 422);

    const { id } = channel;
    const share = { allocated_qty: 5, reserve_quota: 3 };
    const allocation = '/channels/{id}/allocations/{variant_code}';
    await asAdmin('put', allocation, { id, variant_code }, { body: share }, 200);
    await asAdmin('put', allocation, { id, ...unknown }, { body: share }, 404);
    const late = { ...share, expected_allocated_qty: 4 };
    await asAdmin('put', allocation, { id, variant_code }, { body: late }, 409);
    await asAdmin('get', '/allocations', {}, { query: `?channel_id=${id}` }, 200);
    const changes = [{ channel_id: id, variant_code, ...share }];
    await asAdmin('get', '/allocations/export', {}, {}, 200);
    const head = 'channel_id,variant_code,allocated_qty,reserve_quota';
    const shares = `${head}\n${id},${variant_code},5,3\n`;
    await asAdmin('post', '/allocations/import', {}, { body: { csv: shares, dry_run: true } }, 200);
    await asAdmin('post', '/allocations/import', {}, { body: { csv: shares } }, 200);
    await asAdmin('post', '/allocations/import', {}, { body: { csv: `${shares}9,none,1,x` } }, 422);
    await asAdmin('put', '/allocations', {}, { body: { changes, dry_run: true } }, 200);
    await asAdmin('put', '/allocations', {}, { body: { changes: [] } }, 422);
    const move = { variant_code, from_channel_id: id, to_channel_id: 999_999, quantity: 1 };
    await asAdmin('post', '/allocations/transfers', {}, { body: move }, 404);
    await asAdmin('post', '/allocations/transfers', {}, { body: { ...move, quantity: 99 } }, 409);
    const taker = await make.channel();
    await asAdmin('post', '/allocations/transfers', {}, { body: { ...move, to_channel_id: taker.id } }, 200);
    await asAdmin('get', '/channels/{id}/allocations', { id }, {}, 200);
    await asAdmin('get', '/channels/{id}/allocations', { id: 999_999 }, {}, 404);
  });

  test('rates, codes, audit, reconcile', async () => {
    const rate = { currency_code: 'JPY', rate: '9.1' };
    const { json: added } = await asAdmin('post', '/exchange-rates', {}, { body: rate }, 201);
    await asAdmin('delete', '/exchange-rates/{id}', { id: added.data.id }, {}, 204);
    await asAdmin('delete', '/exchange-rates/{id}', { id: added.data.id }, {}, 404);
    await asAdmin('post', '/exchange-rates', {}, { body: rate }, 201);
    await asAdmin('post', '/exchange-rates', {}, { body: { ...rate, rate: 0 } }, 422);
    await asAdmin('get', '/exchange-rates', {}, {}, 200);
    await asAdmin('get', '/exchange-rates/current', {}, {}, 200);
    const source = '/exchange-rate-source';
    await asAdmin('put', source, {}, { body: { kind: 'ecb' } }, 422);
    await asAdmin('post', `${source}/run`, {}, {}, 409);
    // The stub publishes a first rate, which is stored, and then rates that jump.
    const { port } = shop.address() as AddressInfo;
    const rates = { kind: 'json', url: `http://127.0.0.1:${port}/rate`, path: 'rate', currencies: ['NOK'] };
    await asAdmin('put', source, {}, { body: rates }, 200);
    await asAdmin('post', `${source}/run`, {}, {}, 200);
    for (const name of ['accept', 'reject']) {
      const { json } = await asAdmin('post', `${source}/run`, {}, {}, 200);
      const body = { rate: json.data.waiting[0].rate as string };
      const one = { currency_code: 'NOK' };
      await asAdmin('post', `${source}/waiting/{currency_code}/${name}`, one, { body: { rate: '1' } }, 409);
      await asAdmin('post', `${source}/waiting/{currency_code}/${name}`, one, { body }, 200);
      await asAdmin('post', `${source}/waiting/{currency_code}/${name}`, one, { body }, 404);
    }
    await asAdmin('get', source, {}, {}, 200);
    await asAdmin('put', source, {}, { body: { kind: 'none' } }, 200);
    const courier = { group: 'DELIVERY_COMPANY', code: 'CJ' };
    await asAdmin('put', '/common-codes/{group}/{code}', courier, { body: { name: 'CJ' } }, 200);
    await asAdmin('get', '/common-codes/{group}', courier, {}, 200);
    await asAdmin('delete', '/common-codes/{group}/{code}', courier, {}, 204);
    await asAdmin('delete', '/common-codes/{group}/{code}', courier, {}, 404);
    for (const [path, csv] of Object.entries({
      '/channels/import': 'name,api_key\nImported,canary-old-key-openapi\n',
      '/products/import': 'product_code,product_name,variant_code\nIMP,Imported,IMP-1\n',
      '/exchange-rates/import': 'currency_code,rate\nEUR,1500\n',
      '/common-codes/import': 'group,code,name\nG,C,Name\n',
      '/orders/import': `order_number,channel_id,status,created_at,recipient_name,recipient_phone,shipping_address,sku,quantity,local_unit_price\nIMP-1,${channel.id},3,2026-01-01T00:00:00Z,R,1,1,${sku},1,1\n`,
    })) {
      await asAdmin('post', path, {}, { body: { csv, dry_run: true } }, 200);
      await asAdmin('post', path, {}, { body: { csv } }, 200);
      await asAdmin('post', path, {}, { body: { csv: `${csv}x` } }, 422);
      await asAdmin('post', path, {}, { body: {} }, 422);
    }
    await asAdmin('get', '/audit', {}, { query: '?limit=500' }, 200);
    await asAdmin('get', '/overview', {}, { query: '?hours=1' }, 200);
    await asAdmin('get', '/reconcile', {}, {}, 200);
    await asAdmin('get', '/overview', {}, { query: '?hours=168' }, 200);
    await asAdmin('get', '/overview', {}, { query: '?hours=0' }, 422);
  });

  test('orders in the back office', async () => {
    const { id } = await must(channel.call('POST', '/orders', orderOf(line(1))), 201);
    await asAdmin('get', '/orders', {}, {}, 200);
    await asAdmin('get', '/orders', {}, { query: '?from=never' }, 422);
    await asAdmin('get', '/orders', {}, { query: '?search=no-such-text&status=1,2' }, 200);
    await asAdmin('get', '/orders/totals', {}, {}, 200);
    await asAdmin('get', '/orders/changes', {}, {}, 200);
    await asAdmin('get', '/orders/changes', {}, { query: '?since=x' }, 422);
    await asAdmin('get', '/orders/export', {}, { query: '?format=csv' }, 200);
    await asAdmin('get', '/orders/export', {}, { query: '?format=pdf' }, 422);
    await asAdmin('get', '/orders/totals', {}, { query: '?search=ab' }, 422);
    await asAdmin('get', '/orders/{id}', { id }, {}, 200);
    await asAdmin('get', '/orders/{id}', { id: 999_999 }, {}, 404);
    const right = { tracking_number: 'T-2' };
    await asAdmin('patch', '/orders/{id}/shipment', { id }, { body: right }, 409);
    const ship = { status: 3, tracking_number: 'T' };
    await asAdmin('post', '/orders/{id}/status', { id }, { body: ship }, 200);
    await asAdmin('post', '/orders/{id}/status', { id }, { body: { status: 88 } }, 409);
    await asAdmin('post', '/orders/{id}/status', { id }, { body: {} }, 422);
    await asAdmin('post', '/orders/{id}/status', { id: 999_999 }, { body: ship }, 404);
    const back = { items: [{ line: 0, quantity: 1 }], reason: 'unopened' };
    await asAdmin('post', '/orders/{id}/returns', { id }, { body: back }, 201);
    await asAdmin('post', '/orders/{id}/returns', { id }, { body: { ...back, items: [] } }, 422);
    await asAdmin('post', '/orders/{id}/returns', { id: 999_999 }, { body: back }, 404);
    await asAdmin('patch', '/orders/{id}/shipment', { id }, { body: right }, 200);
    await asAdmin('patch', '/orders/{id}/shipment', { id: 999_999 }, { body: right }, 404);
    await asAdmin('patch', '/orders/{id}/shipment', { id }, { body: { tracking_number: '' } }, 422);
    await asAdmin('post', '/orders/{id}/notes', { id }, { body: { text: 'called' } }, 201);
    await asAdmin('post', '/orders/{id}/notes', { id }, { body: {} }, 422);
    const changes = [{ id, status: 88 }, { id: 999_999, status: 1 }, { status: 3 }, 'rubbish'];
    await asAdmin('post', '/orders/bulk-status', {}, { body: { changes } }, 200);
    await asAdmin('post', '/orders/bulk-status', {}, { body: { changes: [] } }, 422);
    const shipments = [{ order_number: 'nobody', tracking_number: 'T' }, 'rubbish'];
    await asAdmin('post', '/orders/shipments', {}, { body: { shipments, dry_run: true } }, 200);
    await asAdmin('post', '/orders/shipments', {}, { body: { shipments: [] } }, 422);
    await asAdmin('get', '/orders/packing', {}, { query: `?ids=${id}` }, 200);
    await asAdmin('get', '/orders/packing', {}, { query: '?ids=999999' }, 404);
    await asAdmin('get', '/orders/packing', {}, { query: '?ids=x' }, 422);
    await must(channel.call('POST', '/orders', orderOf(line(1))), 201);
    await must(channel.call('POST', '/orders', orderOf(line(1))), 201);
    await asAdmin('get', '/orders/parcels', {}, {}, 200);
    await asAdmin('get', '/orders/parcels', {}, { query: '?order_ids=x' }, 422);
  });

  test('product registration', async () => {
    const { id } = channel;
    for (const path of ['/channels/{id}/product-info', '/channels/{id}/product-info/apply']) {
      await asAdmin('post', path, { id }, { body: { usercode: unique('U') } }, 200);
      await asAdmin('post', path, { id }, { body: {} }, 422);
      await asAdmin('post', path, { id: 999_999 }, { body: { usercode: 'u' } }, 404);
    }
    const look = '/channels/{id}/product-info';
    await asAdmin('post', look, { id }, { body: { usercode: 'TWICE' } }, 200);
    await asAdmin('post', look, { id }, { body: { usercode: 'NONE' } }, 200);
    await asAdmin('post', `${look}/apply`, { id }, { body: { usercode: 'TWICE' } }, 422);
  });

  test('signing in and out, users, tokens', async () => {
    const email = `${unique('user')}@example.com`;
    const made = await asAdmin('post', '/users', {}, { body: { email, role: 'viewer' } }, 201);
    const { id, password } = made.json.data;
    await asAdmin('post', '/users', {}, { body: { email, role: 'viewer' } }, 409);
    await asAdmin('post', '/users', {}, { body: {} }, 422);
    await asAdmin('get', '/users', {}, {}, 200);
    await asAdmin('patch', '/users/{id}', { id }, { body: { name: 'n' } }, 200);
    await asAdmin('patch', '/users/{id}', { id: 999_999 }, { body: {} }, 404);
    await asAdmin('get', '/session', {}, {}, 200);

    const enter = async (given: string) => {
      const body = { email, password: given };
      const answer = await asAdmin('post', '/session', {}, { body, headers: {} }, 200);
      const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
      return { cookie, 'x-csrf-token': answer.json.data.csrf_token as string };
    };
    let headers = await enter(password);
    await asAdmin('get', '/session', {}, { headers }, 200);
    await asAdmin('get', '/channels', {}, { headers }, 403);
    await asAdmin('delete', '/session', {}, { headers: { cookie: headers.cookie } }, 403);
    const path = '/session/password';
    const change = { current_password: password, new_password: 'short' };
    await asAdmin('put', path, {}, { headers, body: change }, 422);
    const good = { ...change, new_password: 'long enough a password' };
    await asAdmin('put', path, {}, { headers, body: good }, 200);
    headers = await enter(good.new_password);
    await asAdmin('delete', '/session', {}, { headers }, 204);
    headers = await enter(good.new_password);
    const factor = '/session/second-factor';
    const owner = { current_password: good.new_password };
    await asAdmin('get', factor, {}, { headers }, 200);
    await asAdmin('post', `${factor}/remove`, {}, { headers, body: owner }, 409);
    await asAdmin('post', `${factor}/recovery-codes`, {}, { headers, body: owner }, 409);
    const begun = await asAdmin('post', factor, {}, { headers, body: owner }, 201);
    await asAdmin('put', factor, {}, { headers, body: { code: 'x' } }, 422);
    const code = new TOTP({ secret: Secret.fromBase32(begun.json.data.secret) }).generate();
    await asAdmin('put', factor, {}, { headers, body: { code } }, 200);
    await asAdmin('post', factor, {}, { headers, body: owner }, 409);
    await asAdmin('post', `${factor}/recovery-codes`, {}, { headers, body: owner }, 201);
    await asAdmin('post', '/session', {}, { body: { email, password: good.new_password }, headers: {} }, 401);
    await asAdmin('post', `${factor}/remove`, {}, { headers, body: owner }, 204);
    const again = await asAdmin('post', factor, {}, { headers, body: owner }, 201);
    const other = new TOTP({ secret: Secret.fromBase32(again.json.data.secret) }).generate();
    await asAdmin('put', factor, {}, { headers, body: { code: other } }, 200);
    await asAdmin('post', '/users/{id}/reset-second-factor', { id }, {}, 200);
    await asAdmin('post', '/users/{id}/reset-second-factor', { id }, {}, 409);
    await asAdmin('post', '/users/{id}/reset-second-factor', { id: 999_999 }, {}, 404);
    await asAdmin('put', '/second-factor-rule', {}, { body: { roles: [] } }, 200);
    await asAdmin('get', '/second-factor-rule', {}, {}, 200);
    headers = await enter(good.new_password);
    const sessions = await asAdmin('get', '/sessions', {}, { headers }, 200);
    const { id: sessionId } = sessions.json.data[0];
    await asAdmin('get', '/sessions/{id}', { id: sessionId }, { headers }, 200);
    await asAdmin('get', '/sessions/{id}', { id: 999_999 }, { headers }, 404);
    await asAdmin('delete', '/sessions/{id}', { id: sessionId }, {}, 204);
    await asAdmin('delete', '/sessions/{id}', { id: sessionId }, {}, 404);
    headers = await enter(good.new_password);
    await asAdmin('delete', '/sessions', {}, { headers }, 204);
    await asAdmin('post', '/session', {}, { body: { email }, headers: {} }, 422);
    for (const status of [401, 401, 401, 401, 401, 429])
      await asAdmin('post', '/session', {}, { body: { email, password: 'x' }, headers: {} }, status);
    await asAdmin('post', '/users/{id}/reset-password', { id }, {}, 200);
    await asAdmin('post', '/users/{id}/reset-password', { id: 999_999 }, {}, 404);

    const body = { name: unique('t'), role: 'viewer' };
    const token = await asAdmin('post', '/tokens', {}, { body }, 201);
    await asAdmin('post', '/tokens', {}, { body }, 409);
    await asAdmin('get', '/tokens', {}, {}, 200);
    await asAdmin('delete', '/tokens/{id}', { id: token.json.data.id }, {}, 204);
    await asAdmin('delete', '/tokens/{id}', { id: token.json.data.id }, {}, 404);
  });

  test('alerts and their rules', async () => {
    await asAdmin('get', '/alerts', {}, {}, 200);
    await asAdmin('get', '/alert-rules', {}, {}, 200);
    await asAdmin('get', '/alert-rules/{kind}', { kind: 'rate_stale' }, {}, 200);
    await asAdmin('get', '/alert-rules/{kind}', { kind: 'hunger' }, {}, 404);
    const body = { enabled: true, hours: 50 };
    await asAdmin('put', '/alert-rules/{kind}', { kind: 'rate_stale' }, { body }, 200);
    await asAdmin('put', '/alert-rules/{kind}', { kind: 'rate_stale' }, { body: { ...body, hours: 0 } }, 422);
    await asAdmin('put', '/alert-rules/{kind}', { kind: 'hunger' }, { body }, 404);
  });

  test('webhooks and their deliveries', async () => {
    const body = { url: 'http://127.0.0.1:1/', events: ['order.accepted'], is_active: false };
    const made = await asAdmin('post', '/webhooks', {}, { body }, 201);
    const id = made.json.data.id as number;
    await asAdmin('post', '/webhooks', {}, { body: {} }, 422);
    await asAdmin('get', '/webhooks', {}, {}, 200);
    await asAdmin('get', '/webhooks/{id}', { id }, {}, 200);
    await asAdmin('get', '/webhooks/{id}', { id: 999_999 }, {}, 404);
    await asAdmin('patch', '/webhooks/{id}', { id }, { body: { description: 'd' } }, 200);
    await asAdmin('patch', '/webhooks/{id}', { id: 999_999 }, { body: {} }, 404);
    await asAdmin('post', '/webhooks/{id}/rotate-secret', { id }, { body: {} }, 200);
    await asAdmin('post', '/webhooks/{id}/rotate-secret', { id: 999_999 }, { body: {} }, 404);
    const sent = await asAdmin('post', '/webhooks/{id}/test', { id }, {}, 200);
    const deliveryId = sent.json.data.id as number;
    const resend = '/webhooks/{id}/deliveries/{deliveryId}/resend';
    await asAdmin('post', '/webhooks/{id}/test', { id: 999_999 }, {}, 404);
    await asAdmin('get', '/webhooks/{id}/deliveries', { id }, {}, 200);
    await asAdmin('get', '/webhooks/{id}/deliveries', { id: 999_999 }, {}, 404);
    await asAdmin('post', resend, { id, deliveryId }, {}, 200);
    await asAdmin('post', resend, { id, deliveryId: 999_999 }, {}, 404);
    await asAdmin('delete', '/webhooks/{id}', { id }, {}, 204);
    await asAdmin('delete', '/webhooks/{id}', { id }, {}, 404);
  });

  test('every admin operation is 401 without a token, and 403 for a viewer without permission', async () => {
    const document = documents.get('/admin/v1') as OpenApiDocument;
    for (const { path, method } of operationsOf(document)) {
      if (method === 'post' && path === '/session') continue; // the sign-in itself
      const nobody = {
        id: 999_999,
        code: 'x',
        sku: 'x',
        variant_code: 'x',
        group: 'x',
        kind: 'x',
        deliveryId: 1,
      };
      await asAdmin(method, path, nobody, { headers: {} }, 401);
      if (method === 'get') continue;
      if (path === '/sessions/{id}') continue; // users may end their own sessions
      await asAdmin(method, path, nobody, { headers: { authorization: `Bearer ${viewer}` } }, 403);
    }
  });

  /** After all tests of this suite, in any order; a part of them, chosen by name, calls only some operations. */
  function assertAllVisited(): void {
    if (process.execArgv.some((flag) => flag.startsWith('--test-name-pattern'))) return;
    for (const [prefix, document] of documents) {
      for (const { path, method } of operationsOf(document)) {
        const successes = [...visited].filter((one) => one.startsWith(`${prefix} ${method} ${path} 2`));
        assert.ok(successes.length > 0, `${method} ${prefix}${path} was never answered with success`);
      }
    }
  }
});

describe('/docs', () => {
  const PAGE_BYTES_MAX = 150_000;

  test('shows every operation of the channel API, and /docs/admin those of the back office, without external resources', async () => {
    const pages = { '/api/v1': '/docs', '/admin/v1': '/docs/admin' };
    for (const [prefix, path] of Object.entries(pages)) {
      const answer = await call(`${service.origin}${path}`, 'GET');
      assert.equal(answer.status, 200);
      assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
      const policy = answer.headers.get('content-security-policy') ?? '';
      assert.match(policy, /^default-src 'none'; style-src 'sha256-[\w+/=]+'/);
      assert.doesNotMatch(answer.text, /<script|<link|src=|@import|url\(/);
      const document = documents.get(prefix);
      assert.ok(document);
      const ids = operationsOf(document).map(({ operation }) => operation.operationId);
      const shown = [...answer.text.matchAll(/<article id="[a-z]+-(\w+)">/g)].map(([, id = '']) => id);
      assert.deepEqual(shown.toSorted(), ids.toSorted(), path);
      for (const [, target] of answer.text.matchAll(/href="#([^"]+)"/g)) {
        assert.ok(answer.text.includes(`id="${target}"`), `#${target} has a target`);
      }
      for (const [, target] of answer.text.matchAll(/href="(\/[^"#]+)"/g))
        assert.equal((await call(`${service.origin}${target}`, 'GET')).status, 200, target);
    }
  });

  test('every page and document is compressed, and below 150 kB on the wire', async () => {
    const guides = [
      ...(await call(`${service.origin}/docs/channels`, 'GET')).text.matchAll(/href="(\/docs[^"#]*)"/g),
    ];
    const paths = [
      '/docs',
      '/docs/admin',
      '/docs/channels',
      '/api/v1/openapi.json',
      '/admin/v1/openapi.json',
    ];
    for (const path of new Set([...paths, ...guides.map(([, guide]) => guide)])) {
      const request = (encoding: string): string =>
        `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept-Encoding: ${encoding}\r\n\r\n`;
      const small = await sendRaw(service.origin, request('gzip'));
      assert.equal(small?.headers.get('content-encoding'), 'gzip', path);
      assert.equal(small.headers.get('vary'), 'accept-encoding', path);
      const length = Number(small.headers.get('content-length'));
      assert.ok(length > 0 && length < PAGE_BYTES_MAX, `${path}: ${length} bytes`);
      const plain = await sendRaw(service.origin, request('identity'));
      assert.equal(plain?.headers.get('content-encoding'), null, path);
      assert.ok(Number(plain?.headers.get('content-length')) > length, path);
    }
  });

  test('a path with a slash at its end leads to the page without it', async () => {
    for (const page of ['/docs', '/docs/admin', '/docs/channels', '/docs/channels/errors']) {
      const { status, headers } = await fetch(`${service.origin}${page}/`, { redirect: 'manual' });
      assert.deepEqual([status, headers.get('location')], [302, page]);
    }
    for (const path of ['/docs/channels/nothing/', '/docs/channels//', '/docs//'])
      assert.equal((await call(`${service.origin}${path}`, 'GET')).status, 404, path);
  });
});
