// The current channel API compared with the stored copy of v1: existing clients keep working.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { breakingChanges } from '../tools/scripts/openapi-compare.ts';
import type { OpenApiDocument, Operation, Schema } from '../src/platform/docs/document.ts';
import { sendRaw } from './kit/raw-http.ts';
import { call, startTestService } from '../verify/kit/service.ts';

const service = await startTestService();
const stored = JSON.parse(
  readFileSync(new URL('../docs/channels/openapi-v1.json', import.meta.url), 'utf8'),
) as OpenApiDocument;

test('no client of v1 breaks, and the stored copy has every addition', async () => {
  const now = (await call(`${service.origin}/api/v1/openapi.json`, 'GET')).json as OpenApiDocument;
  assert.deepEqual(breakingChanges(stored, now), []);
  assert.ok(
    isDeepStrictEqual(now, stored),
    'Nothing breaks, but the stored copy lacks additions or changed wording, so their removal would not be noticed: run "npm run openapi:v1" and commit docs/channels/openapi-v1.json.',
  );
});

interface Collection {
  variable: { key: string; value: string }[];
  item: { item: { request: { method: string; url: { raw: string } }; response: object[] }[] }[];
}

const fetchCollection = async (headers: Record<string, string> = {}): Promise<Collection> =>
  JSON.parse((await sendRaw(service.origin, collectionRequest(headers)))?.text ?? '') as Collection;

const collectionRequest = (headers: Record<string, string>): string =>
  [
    'GET /api/v1/postman.json HTTP/1.1',
    ...Object.entries({ Host: new URL(service.origin).host, Connection: 'close', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    '\r\n',
  ].join('\r\n');

const originIn = ({ variable }: Collection): string | undefined =>
  variable.find(({ key }) => key === 'origin')?.value;

test('the Postman collection sends its requests to the address under which it was fetched', async () => {
  assert.equal(originIn(await fetchCollection()), service.origin);
  assert.equal(originIn(await fetchCollection({ Host: 'localhost:9' })), 'http://localhost:9');
  // The tests come from a trusted proxy: loopback.
  const proxied = { Host: 'sluice.example.com', 'X-Forwarded-Proto': 'https' };
  assert.equal(originIn(await fetchCollection(proxied)), 'https://sluice.example.com');
  for (const Host of ['x/../y', 'a b', '"', '<i>'])
    assert.match(originIn(await fetchCollection({ Host })) ?? '', /^http:\/\/127\.0\.0\.1:\d+$/, Host);
});

test('the Postman collection has every operation with its examples, and the stored collection is the served one', async () => {
  const served = await fetchCollection();
  const file = new URL('../docs/channels/postman-v1.json', import.meta.url);
  const kept = JSON.parse(readFileSync(file, 'utf8')) as Collection;
  assert.deepEqual({ ...kept, variable: served.variable }, served, 'run "npm run openapi:v1"');
  assert.equal(originIn(kept), 'http://127.0.0.1:8081', 'the sandbox of the guides');
  const items = served.item.flatMap((folder) => folder.item);
  assert.deepEqual(
    items.map(({ request }) => `${request.method} ${request.url.raw}`).toSorted(),
    Object.entries(stored.paths)
      .flatMap(([path, methods]) =>
        Object.keys(methods).map(
          (method) => `${method.toUpperCase()} {{origin}}/api/v1${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
        ),
      )
      .toSorted(),
  );
  assert.ok(items.every(({ response }) => response.length > 3));
});

/** A small document: one operation with a parameter, a body and an answer. */
const sample = (): OpenApiDocument => ({
  openapi: '3.1.0',
  info: { title: 't', version: '1', description: 'd' },
  servers: [{ url: '/api/v1', description: 's' }],
  tags: [],
  paths: {
    '/things/{id}': {
      post: {
        operationId: 'postThings',
        security: [{ apiKey: [] }],
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } },
        ],
        requestBody: { required: true, content: { 'application/json': { schema: requestSchema() } } },
        responses: {
          200: {
            description: 'd',
            headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } },
            content: { 'application/json': { schema: answerSchema() } },
          },
          404: {
            description: 'd',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
          },
        },
      },
    },
  },
  components: {
    securitySchemes: { apiKey: { type: 'apiKey', name: 'X-Api-Key', in: 'header' } },
    headers: {},
    schemas: { Error: { type: 'object', properties: { error: { type: 'string' } }, required: ['error'] } },
  },
});

const requestSchema = (): Schema => ({
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 100 },
    note: { type: ['string', 'null'] },
    status: { type: 'integer', enum: [0, 1] },
    items: {
      type: 'array',
      minItems: 1,
      maxItems: 9,
      items: { type: 'object', properties: { n: { type: 'number' } } },
    },
  },
  required: ['name', 'items'],
});

const answerSchema = (): Schema => ({
  type: 'object',
  properties: {
    id: { type: 'integer' },
    code: { type: 'string', enum: ['a', 'b'] },
    more: { type: 'string' },
    list: {
      type: 'array',
      items: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
    },
  },
  required: ['id', 'code', 'list'],
});

interface Parts {
  document: OpenApiDocument;
  operation: Operation;
  body: Required<Pick<Schema, 'properties' | 'required'>> & Schema;
  answer: Required<Pick<Schema, 'properties' | 'required'>> & Schema;
}

function changed(change: (parts: Parts) => void): string[] {
  const document = sample();
  const operation = document.paths['/things/{id}']?.['post'] as Operation;
  const body = operation.requestBody?.content['application/json'].schema as Parts['body'];
  const answer = operation.responses['200']?.content?.['application/json']?.schema as Parts['answer'];
  change({ document, operation, body, answer });
  return breakingChanges(sample(), document);
}

const property = (schema: Schema, ...path: string[]): Schema => {
  let found = schema;
  for (const name of path) found = (name === '[]' ? found.items : found.properties?.[name]) as Schema;
  return found;
};

describe('a breaking change is described in one sentence', () => {
  const SENDS = 'A client that sends POST /things/{id} breaks:';
  const READS = 'A client that reads POST /things/{id} (200) breaks:';
  const cases: [string, (parts: Parts) => void, string][] = [
    [
      'operation removed',
      ({ document }) => delete document.paths['/things/{id}'],
      'A client that calls POST /things/{id} gets 404: the operation was removed.',
    ],
    [
      'base address moved',
      ({ document }) => (document.servers = [{ url: '/api/v2', description: '' }]),
      'Every client fails: the base address was /api/v1 and is now /api/v2.',
    ],
    [
      'another header for the key',
      ({ document }) =>
        (document.components.securitySchemes['apiKey'] = { type: 'apiKey', name: 'K', in: 'header' }),
      'A client that authenticates by apiKey gets 401: the scheme was changed or removed.',
    ],
    [
      'a second credential',
      ({ operation }) => (operation.security = [{ apiKey: [], signature: [] }]),
      'A client that calls POST /things/{id} with apiKey gets 401: more is required.',
    ],
    [
      'parameter required',
      ({ operation }) => Object.assign(operation.parameters?.[1] ?? {}, { required: true }),
      'A client that calls POST /things/{id} without the query parameter "limit" is refused: it is now required.',
    ],
    [
      'new required header',
      ({ operation }) => operation.parameters?.push({ name: 'X', in: 'header', required: true, schema: {} }),
      'A client that calls POST /things/{id} without the header parameter "X" is refused: it is now required.',
    ],
    [
      'parameter removed',
      ({ operation }) => operation.parameters?.pop(),
      'A client that sends the query parameter "limit" to POST /things/{id} is no longer understood: it was removed.',
    ],
    [
      'parameter narrower',
      ({ operation }) => Object.assign(operation.parameters?.[1]?.schema ?? {}, { maximum: 50 }),
      `${SENDS} the query parameter "limit" has a narrower maximum: 50, previously 100.`,
    ],
    [
      'body removed',
      ({ operation }) => delete operation.requestBody,
      'A client that sends a body to POST /things/{id} is no longer understood: the operation no longer takes a body.',
    ],
    ['field required', ({ body }) => body.required.push('status'), `${SENDS} "status" is now required.`],
    [
      'new required field',
      ({ body }) => {
        body.properties['gift'] = { type: 'string' };
        body.required.push('gift');
      },
      `${SENDS} "gift" is now required.`,
    ],
    [
      'field removed',
      ({ body }) => delete body.properties['note'],
      `${SENDS} "note" is no longer understood.`,
    ],
    [
      'field no longer nullable',
      ({ body }) => (property(body, 'note').type = 'string'),
      `${SENDS} "note" no longer takes null, only string.`,
    ],
    [
      'narrower type',
      ({ body }) => (property(body, 'items', '[]', 'n').type = 'integer'),
      `${SENDS} "items[].n" no longer takes number, only integer.`,
    ],
    [
      'value removed',
      ({ body }) => (property(body, 'status').enum = [1]),
      `${SENDS} "status" no longer takes 0.`,
    ],
    [
      'values limited',
      ({ body }) => (property(body, 'name').enum = ['x']),
      `${SENDS} "name" no longer takes other values.`,
    ],
    [
      'shorter text',
      ({ body }) => (property(body, 'name').maxLength = 50),
      `${SENDS} "name" has a narrower maxLength: 50, previously 100.`,
    ],
    [
      'new lower limit',
      ({ body }) => (property(body, 'items', '[]', 'n').minimum = 0),
      `${SENDS} "items[].n" has a narrower minimum: 0, previously none.`,
    ],
    [
      'new format',
      ({ body }) => (property(body, 'name').format = 'email'),
      `${SENDS} "name" has a narrower format: "email", previously none.`,
    ],
    [
      'unknown fields refused',
      ({ body }) => (body.additionalProperties = false),
      `${SENDS} the body no longer takes unknown fields.`,
    ],
    [
      'new condition',
      ({ body }) => Object.assign(body, { then: { required: ['note'] } }),
      `${SENDS} the body has a different condition than before (then).`,
    ],
    [
      'status removed',
      ({ operation }) => delete operation.responses['404'],
      'A client that waits for 404 from POST /things/{id} breaks: the status was removed.',
    ],
    [
      'new success status',
      ({ operation }) => (operation.responses['202'] = { description: 'd' }),
      'A client of POST /things/{id} does not know 202 as a success: the status is new.',
    ],
    [
      'header removed',
      ({ operation }) => delete operation.responses['200']?.headers,
      'A client that reads X-Request-Id of POST /things/{id} (200) breaks: the header was removed.',
    ],
    [
      'answer without body',
      ({ operation }) => delete operation.responses['200']?.content,
      'A client that reads the body of POST /things/{id} (200) breaks: the response no longer has a body.',
    ],
    [
      'answer: field removed',
      ({ answer }) => delete answer.properties['more'],
      `${READS} "more" was removed.`,
    ],
    [
      'answer: field of an error removed',
      ({ document }) => (document.components.schemas['Error'] = { type: 'object', properties: {} }),
      'A client that reads POST /things/{id} (404) breaks: "error" was removed.',
    ],
    [
      'answer: type changed',
      ({ answer }) => (property(answer, 'id').type = 'string'),
      `${READS} "id" can be string, not only integer.`,
    ],
    [
      'answer: wider number',
      ({ answer }) => (property(answer, 'id').type = 'number'),
      `${READS} "id" can be number, not only integer.`,
    ],
    [
      'answer: nullable',
      ({ answer }) => (property(answer, 'id').type = ['integer', 'null']),
      `${READS} "id" can be null, not only integer.`,
    ],
    [
      'answer: optional',
      ({ answer }) => (answer.required = ['code', 'list']),
      `${READS} "id" is no longer always present.`,
    ],
    [
      'answer: optional in a list',
      ({ answer }) => (property(answer, 'list', '[]').required = []),
      `${READS} "list[].sku" is no longer always present.`,
    ],
    [
      'answer: new value',
      ({ answer }) => (property(answer, 'code').enum = ['a', 'b', 'c']),
      `${READS} "code" can be c, which is new.`,
    ],
    [
      'answer: any value',
      ({ answer }) => delete property(answer, 'code').enum,
      `${READS} "code" can be other values, which is new.`,
    ],
    [
      'answer: a second shape',
      ({ operation, answer }) =>
        Object.assign(operation.responses['200']?.content?.['application/json'] ?? {}, {
          schema: { anyOf: [answer, { type: 'array', items: {} }] },
        }),
      `${READS} the body can be array, not only object.`,
    ],
  ];
  for (const [name, change, sentence] of cases) {
    test(name, () => assert.deepEqual(changed(change), [sentence]));
  }
});

describe('a compatible change passes', () => {
  const cases: [string, (parts: Parts) => void][] = [
    ['no change', () => {}],
    ['a new operation', ({ document, operation }) => (document.paths['/new'] = { get: operation })],
    [
      'a new optional parameter',
      ({ operation }) => operation.parameters?.push({ name: 'c', in: 'query', schema: {} }),
    ],
    ['429', ({ operation }) => (operation.responses['429'] = { description: 'd' })],
    ['a new optional field', ({ body }) => (body.properties['gift'] = { type: 'string' })],
    ['a field that becomes optional', ({ body }) => (body.required = ['items'])],
    [
      'more values, longer texts',
      ({ body }) => {
        property(body, 'status').enum = [0, 1, 2];
        property(body, 'name').maxLength = 200;
      },
    ],
    [
      'a new field of an answer',
      ({ answer }) => {
        answer.properties['extra'] = { type: 'string' };
        answer.required.push('extra', 'more');
      },
    ],
    ['fewer values in an answer', ({ answer }) => (property(answer, 'code').enum = ['a'])],
    [
      'a second shape of an answer with more fields',
      ({ operation, answer }) => {
        const page = {
          ...answer,
          properties: { ...answer.properties, next_cursor: { type: ['string', 'null'] } },
        };
        Object.assign(operation.responses['200']?.content?.['application/json'] ?? {}, {
          schema: { anyOf: [answer, page] },
        });
      },
    ],
    ['an alternative credential', ({ operation }) => operation.security?.push({ other: [] })],
    ['other wording', ({ answer }) => (answer.description = 'Better said.')],
  ];
  for (const [name, change] of cases) test(name, () => assert.deepEqual(changed(change), []));
});
