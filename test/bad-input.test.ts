// Contract 7.1, 7.5 and 7.6 with their readings: for any input the answer has a listed status and one of the two error
// shapes, reveals no internals, and nothing is stored.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { assertCareful, assertInvalid, assertRefused } from './kit/answers.ts';
import { fixtures, must, orderOf, type LineInput, type TestChannel } from '../verify/kit/fixtures.ts';
import { plainRequest } from '../verify/kit/plain-request.ts';
import { sendRaw, type RawOptions } from './kit/raw-http.ts';
import { ADMIN_TOKEN, call, startTestService, type HttpAnswer } from '../verify/kit/service.ts';

const service = await startTestService();
const make = fixtures(service);

const MIB = 1024 * 1024;

let channel: TestChannel;
let sku: string;
let untouched: unknown;

const line = (quantity = 1): LineInput => ({ sku, quantity, unit_price: 1 });
const order = (fields: object = {}) => orderOf([line()], fields);
const post = (body: unknown, headers?: Record<string, string>) =>
  channel.call('POST', '/orders', body, headers);

async function counters(): Promise<unknown> {
  const { rows } = await service.service.services.pool.query({
    text: `select (select count(*) from orders) as orders, (select count(*) from order_history) as history,
                  (select json_agg(s order by s.variant_id) from stock s) as stock,
                  (select count(*) from stock_movement) as movements, (select count(*) from allocation) as shares,
                  (select count(*) from audit) as audit, (select count(*) from mapping) as mappings`,
  });
  return rows[0];
}

before(async () => {
  ({ channel, sku } = await make.setting(10));
  untouched = await counters();
});
// No invalid input changes orders, history, movements or counters.
afterEach(async () => assert.deepEqual(await counters(), untouched));

const isServing = async () => assert.equal(await make.available(channel, sku), 10);

// Bodies

test('contract 7.5a: a body that is not JSON is 422', async () => {
  const good = JSON.stringify(order());
  const bodies = [
    '{',
    '}',
    '{"a"}',
    "{'a': 1}",
    '{"a": 1,}',
    '[1, 2',
    'undefined',
    'NaN',
    'hello',
    '<order/>',
    '{"order_number": "x"',
    `${good}x`,
    `${good}${good}`,
    `${good},`,
    `// c\n${good}`,
    `/* */${good}`,
    good.slice(0, -1),
    good.replace('"quantity":1', '"quantity":01'),
    good.replace('"quantity":1', '"quantity":+1'),
    good.replace('"quantity":1', '"quantity":1.'),
    'a=b&c=d',
    '\0',
    `${good}\0`,
    '"\u0001"',
    '{"a": "\n"}',
    '{"a": "\\x"}',
    '{"a": "\\u12"}',
  ];
  for (const body of bodies) assertInvalid(await post(body), 'body');
});

test('contract 7.5a: a body that is not an object is 422', async () => {
  for (const body of [
    'null',
    'true',
    '1',
    '-0',
    '"text"',
    '[]',
    '[{}]',
    `[${JSON.stringify(order())}]`,
    ' 1 ',
  ])
    assertInvalid(await post(body), 'body');
});

test('contract 7.5a: an empty or blank body, or none at all, is 422', async () => {
  for (const body of ['', ' ', '\r\n\t ']) assertInvalid(await post(body), 'body');
  assertInvalid(await channel.call('POST', '/orders'), 'body');
  assertInvalid(
    await channel.call('POST', '/orders', undefined, { 'content-type': 'application/json' }),
    'body',
  );
  assertInvalid(await channel.call('POST', '/orders/X/status'), 'body');
  const empty = 'The body must not be empty: send a JSON object.';
  for (const headers of [{}, { 'content-type': 'application/json' }, { 'content-type': 'text/plain' }])
    for (const path of ['/orders', '/orders/X/status', '/inventory/lookup'])
      assert.equal((await channel.call('POST', path, undefined, headers)).json.message, empty);
  assert.equal((await post('\ufeff')).json.message, empty);
  assert.equal((await service.admin('POST', '/channels')).json.message, empty);
});

test('contract 7.5a: a body over 1 MiB is 422, whatever it contains; exactly 1 MiB is read', async () => {
  const sized = (bytes: number) => {
    const text = JSON.stringify({ ...order(), status: 7, padding: '' });
    return text.replace('"padding":""', `"padding":"${'x'.repeat(bytes - Buffer.byteLength(text))}"`);
  };
  assert.equal(Buffer.byteLength(sized(MIB)), MIB);
  assertInvalid(await post(sized(MIB)), 'status');
  for (const bytes of [MIB + 1, 2 * MIB, 8 * MIB]) assertInvalid(await post(sized(bytes)), 'body');
  assertInvalid(await post(' '.repeat(MIB + 1)), 'body');
  assertInvalid(await channel.call('POST', '/orders/X/status', sized(2 * MIB)), 'body');
});

test('contract 7.5a: a body over 1 MiB without a Content-Length is 422 too', async () => {
  const chunk = Buffer.alloc(64 * 1024, 0x20);
  const answer = await chunked(Array.from({ length: 40 }, () => chunk));
  assertInvalid(answer, 'body');
});

test('contract 7.5a: a client that sends all of a body over 1 MiB before it reads gets the 422, and the connection stays open', async () => {
  const { hostname, port } = new URL(service.origin);
  const client = connect({ host: hostname, port: Number(port) });
  let text = '';
  client.on('data', (chunk) => (text += String(chunk)));
  client.on('error', () => {});
  client.write(send(`Content-Length: ${4 * MIB}\r\n`));
  for (let sent = 0; sent < 4 * MIB; sent += MIB / 8) {
    await new Promise((written) => {
      client.write(Buffer.alloc(MIB / 8, ' '), written);
    });
    await sleep(2);
  }
  client.write('GET /api/v1/nope HTTP/1.1\r\nHost: s\r\nConnection: close\r\n\r\n');
  await once(client, 'close');
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
  assert.deepEqual(statuses, [422, 404]);
});

test('contract 7.1b: a body that is not valid UTF-8 is 422', async () => {
  const good = Buffer.from(JSON.stringify(order({ recipient_name: '@' })));
  const at = good.indexOf('@');
  const faults = [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82]];
  for (const bytes of faults) {
    const body = Buffer.concat([good.subarray(0, at), Buffer.from(bytes), good.subarray(at + 1)]);
    assertInvalid(await post(body), 'body');
  }
  assertInvalid(await post(Buffer.from(JSON.stringify(order()), 'utf16le')), 'body');
});

test('contract 7.5a: a byte order mark before the body is ignored', async () => {
  const refused = await post(`\ufeff${JSON.stringify({ ...order(), items: [line(11)] })}`);
  assertRefused(refused, 422, sku, 11, 10);
  assertInvalid(await post(`\ufeff\ufeff${JSON.stringify(order())}`), 'body');
});

test('contract 7.5a: /inventory/ without a SKU is an unknown path, and no unmapped SKU is recorded', async () => {
  const unmapped = async () => {
    await service.service.flush();
    const rows = await must(service.admin('GET', `/channels/${channel.id}/unmapped`), 200);
    return rows.map((row: { sku: string }) => row.sku) as string[];
  };
  // Other tests ask for unmapped SKUs too.
  const known = await unmapped();
  for (const path of ['/inventory/', '/inventory/?x=1']) {
    assertRefused(await channel.call('GET', path), 404, 'nothing at this path');
    assertRefused(await service.channel(undefined)('GET', path), 404, 'nothing at this path');
  }
  await channel.call('GET', '/inventory/BEHIND');
  assert.deepEqual((await unmapped()).toSorted(), [...known, 'BEHIND'].toSorted());
});

test('contract 7.5a: an operation without the prefix of the base address is an unknown path, and the text names the prefix', async () => {
  const hint = 'The paths of the channel API begin with /api/v1, for example /api/v1/inventory.';
  const { origin } = service;
  for (const path of ['/inventory', '/inventory/A?x=1', '/api/orders', '/v1/orders/A-1/status'])
    for (const method of ['GET', 'POST'])
      assertRefused(await call(origin + path, method), 404, 'nothing at this path', hint);
  for (const path of ['/', '/orders-of/x', '/api/v1/order', '/admin/v1/inventory', '/x/inventory']) {
    const { text } = await call(origin + path, 'POST');
    assert.ok(!text.includes(hint), path);
  }
});

test('contract 7.5a: a path with an empty order number is an unknown path', async () => {
  const requests = [
    ['GET', '/orders/'],
    ['GET', '/orders/?changes_since=now'],
    ['POST', '/orders//status'],
  ] as const;
  for (const [method, path] of requests) {
    const body = method === 'POST' ? { status: 1 } : undefined;
    for (const send of [channel.call, service.channel(undefined)]) {
      const answer = await send(method, path, body);
      assertRefused(answer, 404, 'nothing at this path');
      assert.equal(answer.headers.get('sluice-error'), 'not_found');
    }
  }
});

test('deeply nested JSON is 422 and never crashes the service', async () => {
  for (const depth of [1_000, 100_000, 500_000]) {
    assertInvalid(await post('['.repeat(depth)), 'body');
    assertInvalid(await post('['.repeat(depth) + ']'.repeat(depth)), 'body');
    assertInvalid(await post(`{"n":1e1,"a":${'['.repeat(depth)}${']'.repeat(depth)}}`));
  }
  assertInvalid(await post('{"a":'.repeat(150_000) + '1' + '}'.repeat(150_000)));
  await isServing();
});

test('half a million faulty items are refused for their number, quickly and with a short message', async () => {
  for (const element of ['0', '{}', 'null']) {
    const count = Math.floor((MIB - 1_000) / (element.length + 1));
    const items = `${`${element},`.repeat(count - 1)}${element}`;
    const started = process.cpuUsage();
    const answer = await post(
      JSON.stringify({ ...order(), items: [] }).replace('"items":[]', `"items":[${items}]`),
    );
    assertInvalid(answer, 'items');
    const { user, system } = process.cpuUsage(started);
    assert.ok(user + system < 3_000_000, `took ${user + system} µs of CPU time`);
    assert.ok(answer.text.length < 1_000);
  }
});

test('all faults of a thousand faulty lines are reported', async () => {
  const items = Array.from({ length: 1_000 }, () => ({}));
  const answer = await post({ ...order(), items });
  assertInvalid(answer);
  assert.equal(Object.keys(answer.json.errors).length, 3_000);
  assert.match(answer.json.message, /\(and 2999 more errors\)$/);
});

test('a duplicate key: the last value counts, as in JSON.parse', async () => {
  const text = JSON.stringify(order({ status: 1 }));
  assertInvalid(await post(text.replace('"status":1', '"status":1,"status":7')), 'status');
  assertInvalid(
    await post(text.replace('"items":', '"items":[],"recipient_name":"","items":')),
    'recipient_name',
  );
});

test('__proto__, constructor and prototype are ignored like any unknown key, and nothing is inherited from them', async () => {
  const { order_number, ...rest } = order({ status: 7 });
  const inherited = `{"__proto__":${JSON.stringify({ order_number, ...rest })}}`;
  assertInvalid(
    await post(inherited),
    'order_number',
    'recipient_name',
    'recipient_phone',
    'shipping_address',
    'items',
  );
  for (const key of [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '__defineGetter__',
  ]) {
    const text = JSON.stringify(order({ status: 7 }));
    assertInvalid(await post(text.replace('{', `{"${key}":{"polluted":true,"status":1},`)), 'status');
    assertInvalid(await post(text.replace('"sku"', `"${key}":{"quantity":0},"sku"`)), 'status');
  }
  assertInvalid(await post('{"items":{"__proto__":[]}}'));
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
});

test('contract 7.1b: U+0000 and lone surrogates are validation errors in every text of a body', async () => {
  const texts = ['a\\u0000b', '\\u0000', '\\ud83d', '\\ude00', '\\ude00\\ud83d', 'ok\\udfff'];
  for (const text of texts) {
    for (const field of [
      'order_number',
      'recipient_name',
      'recipient_phone',
      'shipping_address',
      'tracking_number',
    ]) {
      const body = JSON.stringify(order({ [field]: '@@' })).replace('"@@"', `"${text}"`);
      assertInvalid(await post(body), field);
    }
    const body = JSON.stringify({ ...order(), items: [{ ...line(), sku: '@@' }] });
    assertInvalid(await post(body.replace('"@@"', `"${text}"`)), 'items.0.sku');
    for (const field of ['tracking_number', 'courier_code', 'reason']) {
      const report = `{"status":88,"${field}":"${text}"}`;
      assertInvalid(await channel.call('POST', '/orders/X/status', report), field);
    }
  }
});

test('contract 7.1b: types are strict: text is no number, a number is no text, 1 is not true', async () => {
  assertInvalid(await post(order({ status: '1' })), 'status');
  assertInvalid(await post(order({ is_backorder: 1 })), 'is_backorder');
  assertInvalid(await post(order({ is_backorder: 'false' })), 'is_backorder');
  assertInvalid(await post(order({ recipient_phone: 821012345678 })), 'recipient_phone');
  assertInvalid(await post({ ...order(), items: [{ ...line(), quantity: '1' }] }), 'items.0.quantity');
  assertInvalid(await post({ ...order(), items: [{ ...line(), unit_price: '1' }] }), 'items.0.unit_price');
  assertInvalid(await post({ ...order(), items: [{ ...line(), sku: 1 }] }), 'items.0.sku');
  assertInvalid(await post({ ...order(), items: { 0: line(), length: 1 } }), 'items');
});

test('contract 7.1b: null in a required field is an error, in an optional one it counts as absent', async () => {
  for (const field of ['order_number', 'recipient_name', 'recipient_phone', 'shipping_address', 'items'])
    assertInvalid(await post(order({ [field]: null })), field);
  for (const field of ['sku', 'quantity', 'unit_price'])
    assertInvalid(await post({ ...order(), items: [{ ...line(), [field]: null }] }), `items.0.${field}`);
  const optional = { tracking_number: null, status: null, is_backorder: null };
  const refused = await post({ ...order(optional), items: [line(11)] });
  assertRefused(refused, 422, sku, 11, 10);
});

test('numbers out of range are validation errors', async () => {
  for (const number of [
    '1e400',
    '-1e400',
    '9'.repeat(400),
    '2147483648',
    '-2147483649',
    '1e-5',
    '1.0000000001',
  ]) {
    const body = JSON.stringify(order()).replace('"quantity":1', `"quantity":${number}`);
    assertInvalid(await post(body), 'items.0.quantity');
  }
  for (const number of ['1e400', '1.0000000000000000001', '18446744073709551616']) {
    assertInvalid(
      await post(JSON.stringify(order({ status: 1 })).replace('"status":1', `"status":${number}`)),
      'status',
    );
  }
});

test('contract 4.3.10a: the body is read as JSON with any content type or none; a body that is not JSON is 422', async () => {
  const invalid = JSON.stringify(order({ status: 7 }));
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/octet-stream',
    'application/vnd.api+json',
    'image/png',
  ]) {
    assertInvalid(await post(invalid, { 'content-type': type }), 'status');
    assertInvalid(await post('a=b', { 'content-type': type }), 'body');
  }
  const head = `POST /api/v1/orders HTTP/1.1\r\nHost: sluice\r\nX-Api-Key: ${channel.api_key}\r\n`;
  const without = await raw(`${head}Content-Length: ${Buffer.byteLength(invalid)}\r\n\r\n${invalid}`);
  assertInvalid(without, 'status');
  for (const type of ['', ';;;', 'nonsense', '/', 'a/b/c', '*/*', 'multipart/form-data']) {
    assertInvalid(await raw(`${head}Content-Type: ${type}\r\nContent-Length: 2\r\n\r\n{]`), 'body');
    const typed = `${head}Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(invalid)}\r\n\r\n${invalid}`;
    assertInvalid(await raw(typed), 'status');
  }
});

test('a compressed body is not JSON', async () => {
  assertInvalid(await post(gzipSync(JSON.stringify(order())), { 'content-encoding': 'gzip' }), 'body');
});

// Paths and methods

test('contract 7.1b: U+0000 in a path is a validation error', async () => {
  for (const path of ['%00', 'a%00b', 'abc%00']) {
    assertInvalid(await channel.call('GET', `/inventory/${path}`), 'sku');
    assertInvalid(await channel.call('POST', `/orders/${path}/status`, { status: 1 }), 'orderNumber');
  }
});

test('contract 7.1b: a path that is not percent-encoded UTF-8 is a validation error: lone surrogates, broken escapes', async () => {
  for (const path of [
    '%',
    '%f',
    '%zz',
    'a%',
    '%ff',
    '%c3',
    '%c0%80',
    '%ED%A0%80',
    '%F5%80%80%80',
    '%u0041',
    '%E0%A4%A',
  ]) {
    for (const answer of [
      await raw(`GET /api/v1/inventory/${path} HTTP/1.1\r\nHost: s\r\nX-Api-Key: ${channel.api_key}\r\n\r\n`),
      await raw(
        `POST /api/v1/orders/${path}/status HTTP/1.1\r\nHost: s\r\nX-Api-Key: ${channel.api_key}\r\n` +
          `Content-Length: 12\r\n\r\n{"status":1}`,
      ),
    ])
      assertInvalid(answer);
  }
});

test('a code in a path that is longer than any stored code is 404', async () => {
  for (const length of [101, 1_000, 5_000, 8_193, 12_000]) {
    assertRefused(await channel.call('GET', `/inventory/${'x'.repeat(length)}`), 404);
    assertRefused(await channel.call('POST', `/orders/${'x'.repeat(length)}/status`, { status: 1 }), 404);
  }
  assertRefused(await channel.call('GET', `/inventory/${encodeURIComponent('😀'.repeat(1_000))}`), 404);
  assertInvalid(await channel.call('GET', `/inventory/${'x'.repeat(20_000)}`));
});

test('contract 7.5a: an unknown path is 404 in the error shape, whatever the body and the method', async () => {
  const paths = [
    '',
    '/',
    '/nope',
    '/order',
    '/orders/X',
    '/orders/X/status/',
    '/orders//',
    '/inventory/a/b',
    '/ORDERS',
  ];
  for (const path of paths) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const body = method === 'GET' ? undefined : '{';
      assertRefused(await channel.call(method, path, body), 404);
    }
  }
  for (const target of [
    '/apix',
    '/api',
    '/api/v2/inventory',
    '//api/v1/inventory',
    '/api/v1/../v1/inventory',
    '*',
  ])
    assertRefused(
      await raw(`GET ${target} HTTP/1.1\r\nHost: s\r\nX-Api-Key: ${channel.api_key}\r\n\r\n`),
      404,
    );
});

test('an unsupported method is 404 in the error shape, even if the body is invalid', async () => {
  const wrong: [string, string][] = [
    ...(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const).map((method): [string, string] => [
      method,
      '/inventory',
    ]),
    ...(['POST', 'PUT', 'DELETE'] as const).map((method): [string, string] => [method, `/inventory/X`]),
    ...(['PUT', 'PATCH', 'DELETE'] as const).map((method): [string, string] => [method, '/orders']),
    ...(['POST', 'PUT', 'DELETE'] as const).map((method): [string, string] => [method, '/orders/X']),
    ...(['GET', 'PUT', 'DELETE'] as const).map((method): [string, string] => [method, '/orders/X/status']),
  ];
  for (const [method, path] of wrong) {
    assertRefused(await channel.call(method, path), 404);
    if (method === 'GET') continue;
    assertRefused(await channel.call(method, path, '{{{'), 404);
    assertRefused(await channel.call(method, path, 'x'.repeat(MIB + 1)), 404);
  }
  for (const method of ['TRACE', 'PROPFIND', 'QUERY', 'PURGE', 'M-SEARCH'])
    assertRefused(
      await raw(`${method} /api/v1/inventory HTTP/1.1\r\nHost: s\r\nX-Api-Key: ${channel.api_key}\r\n\r\n`),
      404,
    );
});

test('HEAD is answered like GET, without a body', async () => {
  const lasting = ({ status, headers }: HttpAnswer) => ({
    status,
    headers: [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id'),
  });
  const paths = [
    '/inventory',
    `/inventory/${encodeURIComponent(sku)}`,
    '/inventory/NO-SUCH',
    '/orders/NO-SUCH',
  ];
  for (const path of paths) {
    const [head, get] = [await channel.call('HEAD', path), await channel.call('GET', path)];
    assert.deepEqual([head.text, get.text === ''], ['', false], path);
    assert.deepEqual(lasting(head), lasting(get), path);
    assert.ok(head.headers.get('x-request-id'));
  }
});

test('unknown query parameters are ignored, also malformed ones', async () => {
  for (const query of ['?', '?a=b', '?%ff', '?%', '?a[]=1&__proto__[x]=1', `?${'x'.repeat(10_000)}`]) {
    assert.equal((await channel.call('GET', `/inventory${query}`)).status, 200);
    assert.equal((await channel.call('GET', `/inventory/${encodeURIComponent(sku)}${query}`)).status, 200);
  }
});

test('the body of a GET is ignored', async () => {
  const answer = await raw(
    `GET /api/v1/inventory HTTP/1.1\r\nHost: s\r\nX-Api-Key: ${channel.api_key}\r\nContent-Length: 5\r\n\r\n{{{{{`,
  );
  assert.equal(answer.status, 200);
});

// Headers and connections

test('contract 10.1: X-Request-Id: a valid one is returned to the client, an invalid one is replaced', async () => {
  const idOf = async (id: string) =>
    (await channel.call('GET', '/inventory', undefined, { 'x-request-id': id })).headers.get('x-request-id');
  for (const id of ['trace-1.A_b', 'x'.repeat(64)]) assert.equal(await idOf(id), id);
  for (const id of ['', 'x'.repeat(65), 'x'.repeat(500), '<script>', 'a b', '"', '{}', '../..']) {
    const given = await idOf(id);
    assert.ok(given !== null && given !== '' && given !== id);
  }
  const two = await Promise.all([channel.call('GET', '/inventory'), channel.call('GET', '/inventory')]);
  assert.notEqual(two[0].headers.get('x-request-id'), two[1].headers.get('x-request-id'));
});

const send = (head: string, body = '') =>
  `POST /api/v1/orders HTTP/1.1\r\nHost: sluice\r\nX-Api-Key: ${channel.api_key}\r\n${head}\r\n${body}`;

async function raw(bytes: string | Uint8Array | string[], options?: RawOptions): Promise<HttpAnswer> {
  const answer = await sendRaw(service.origin, bytes, options);
  assert.ok(answer, 'the connection was closed without an answer');
  return answer;
}

test('headers that are too large or too many are 422', async () => {
  assertInvalid(await raw(send(`X-Big: ${'x'.repeat(20_000)}\r\nContent-Length: 2\r\n`, '{}')));
  const many = Array.from({ length: 3_000 }, (_, index) => `X-${index}: y\r\n`).join('');
  assertInvalid(await raw(send(`${many}Content-Length: 2\r\n`, '{}')));
});

test('bytes that are not HTTP are 422 in the validation shape', async () => {
  const garbage = [
    'hello\r\n\r\n',
    '\0\0\0\0\r\n\r\n',
    '{"order_number": "x"}\r\n\r\n',
    'GET\r\n\r\n',
    'GET /api/v1/inventory HTTP/9.9\r\n\r\n',
    'get /api/v1/inventory HTTP/1.1\r\nHost: s\r\n\r\n',
    'BREW /api/v1/inventory HTTP/1.1\r\nHost: s\r\n\r\n',
    'GET /api/v1/inventory HTTP/1.1\r\nHost s\r\n\r\n',
    'GET /api/v1/inventory HTTP/1.1\r\nX Y: s\r\n\r\n',
    'GET /api/v1/inventory HTTP/1.1\r\nHost: s\0\r\n\r\n',
    'GET /api/v1/invent ory HTTP/1.1\r\nHost: s\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  ];
  for (const bytes of garbage) assertInvalid(await raw(bytes));
  assertInvalid(
    await raw(new Uint8Array([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])),
  );
});

test('a missing Host, an unknown Expect and HTTP/1.0 do not change the answer', async () => {
  const get = `GET /api/v1/inventory HTTP/1.1\r\nX-Api-Key: ${channel.api_key}\r\n`;
  for (const head of [get, `${get}Host: s\r\nExpect: tea\r\n`, get.replace('1.1', '1.0')]) {
    const answer = await raw(`${head}\r\n`);
    assert.equal(answer.status, 200);
    assertCareful(answer);
  }
});

test('a wrong or conflicting Content-Length is 422, and a truncated body is never accepted', async () => {
  const good = JSON.stringify(order());
  const length = Buffer.byteLength(good);
  assertInvalid(await raw(send(`Content-Length: ${length - 1}\r\n`, good)), 'body');
  assertInvalid(await raw(send(`Content-Length: ${length + 1}\r\n`, good), { end: true }));
  for (const value of ['-1', 'x', '1e3', '0x10', '', '99999999999999999999', '5, 6'])
    assertInvalid(await raw(send(`Content-Length: ${value}\r\n`, good)));
  assertInvalid(await raw(send('Content-Length: 2\r\nContent-Length: 3\r\n', '{}')));
  assertInvalid(
    await raw(send('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', '2\r\n{}\r\n0\r\n\r\n')),
  );
});

test('a chunked body is read like any other; malformed chunks are 422', async () => {
  const invalid = JSON.stringify(order({ status: 7 }));
  const half = Math.floor(invalid.length / 2);
  const answer = await chunked(
    [invalid.slice(0, half), invalid.slice(half)].map((part) => Buffer.from(part)),
  );
  assertInvalid(answer, 'status');
  const head = 'Transfer-Encoding: chunked\r\n';
  for (const body of [
    'zz\r\n{}\r\n0\r\n\r\n',
    '-1\r\n{}\r\n',
    '2\r\n{}xx0\r\n\r\n',
    'fffffffffffffffff\r\n{}',
  ])
    assertInvalid(await raw(send(head, body)));
  assertInvalid(await raw(send(head, '0\r\n\r\n')), 'body');
  assertInvalid(await raw(send(head, '5\r\n{"a":\r\n'), { end: true }));
  assertInvalid(await raw(send('Transfer-Encoding: gzip\r\n', '{}')));
});

test('a request that arrives in small pieces is one request', async () => {
  const body = JSON.stringify({ status: 7 });
  const text = send(`Content-Length: ${body.length}\r\n`, body);
  const answer = await raw(text.match(/[^]{1,20}/g) ?? []);
  assertInvalid(answer);
  assert.ok(answer.json.errors.status);
});

test('invalid bytes after a valid request do not suppress its answer', async () => {
  const answer = await raw(
    `GET /api/v1/inventory HTTP/1.1\r\nHost: s\r\nX-Api-Key: ${channel.api_key}\r\n\r\n@@rubbish@@\r\n\r\n`,
  );
  assert.equal(answer.status, 200, answer.text);
});

test('CONNECT is 404 like an unknown path, and pipelined requests before it are answered', async () => {
  assertRefused(await raw('CONNECT sluice:80 HTTP/1.1\r\nHost: s\r\n\r\n'), 404);
  const get = `GET /api/v1/inventory HTTP/1.1\r\nHost: s\r\nX-Api-Key: ${channel.api_key}\r\n\r\n`;
  const answers = await allRaw(`${get}${get}CONNECT sluice:80 HTTP/1.1\r\nHost: s\r\n\r\n`);
  assert.deepEqual(answers, [200, 200, 404]);
});

test('invalid bytes after pipelined requests suppress none of their answers, whichever is ready first', async () => {
  const slow = send('Content-Length: 2\r\n', '{}');
  const quick = 'GET /api/v1/nope HTTP/1.1\r\nHost: s\r\n\r\n';
  const list = `GET /api/v1/inventory HTTP/1.1\r\nHost: s\r\nX-Api-Key: ${channel.api_key}\r\n\r\n`;
  assert.deepEqual(await allRaw(`${list}${slow}${quick}@@rubbish@@\r\n\r\n`), [200, 422, 404]);
});

test('further bytes after invalid ones do not reset the connection before the client has read the answer', async () => {
  const opened = once(service.service.app.server, 'connection') as Promise<[Socket]>;
  const { hostname, port } = new URL(service.origin);
  const client = connect({ host: hostname, port: Number(port) });
  let failed: Error | null = null;
  client.on('error', (error) => (failed = error));
  client.pause();
  client.write(
    `GET /api/v1/inventory HTTP/1.1\r\nHost: s\r\nX-Api-Key: ${channel.api_key}\r\n\r\n@@rubbish@@\r\n\r\n`,
  );
  const [socket] = await opened;
  await once(socket, 'finish');
  // The client has not read the answer yet; a reset now would discard it.
  await new Promise<void>((resolve) => {
    client.write(Buffer.alloc(4 * MIB, 'x'), () => resolve());
  });
  let text = '';
  client.on('data', (chunk) => (text += String(chunk)));
  client.resume();
  await once(client, 'close');
  assert.equal(failed, null);
  assert.match(text, /^HTTP\/1\.1 200 /);
});

test('a malformed body after other pipelined requests is answered in order', async () => {
  const list = `GET /api/v1/inventory HTTP/1.1\r\nHost: s\r\nX-Api-Key: ${channel.api_key}\r\n\r\n`;
  assert.deepEqual(
    await allRaw(`${list}${list}${send('Transfer-Encoding: chunked\r\n', 'zz\r\n')}`),
    [200, 200, 422],
  );
});

test('a request refused for its headers is not refused a second time for its body', async () => {
  for (const head of ['Transfer-Encoding: identity', 'Transfer-Encoding: chunked'])
    assert.deepEqual(
      await allRaw(`POST /api/v1/nope HTTP/1.1\r\nHost: s\r\n${head}\r\n\r\nzz\r\nrubbish`),
      [404],
    );
});

test('100 Continue is sent between two answers, never within one, and the connection stays open', async () => {
  const list = `GET /api/v1/inventory HTTP/1.1\r\nHost: s\r\nX-Api-Key: ${channel.api_key}\r\n`;
  const text = await allText(
    `${list}\r\n${list}Expect: 100-continue\r\n\r\n${list}Connection: close\r\n\r\n`,
  );
  const [first = '', second = '', third = ''] = text.split('HTTP/1.1 200 OK').slice(1);
  const bodies = [first, second, third].map((answer) => answer.slice(answer.indexOf('\r\n\r\n') + 4));
  assert.deepEqual(bodies, [`${bodies[2]}HTTP/1.1 100 Continue\r\n\r\n`, bodies[2], bodies[2]]);
  const alone = await allText(
    send('Expect: 100-continue\r\nConnection: close\r\nContent-Length: 2\r\n', '{}'),
  );
  assert.match(alone, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 422 /);
});

test('a request for a protocol upgrade is answered, and its connection is closed', async () => {
  const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
  const get = `GET /api/v1/inventory HTTP/1.1\r\nHost: s\r\nX-Api-Key: ${channel.api_key}\r\n${upgrade}\r\n`;
  assert.deepEqual(await allRaw(get), [200]);
  assert.deepEqual(await allRaw(send(`${upgrade}Content-Length: 2\r\n`, '{}')), [422]);
});

test('a request pipelined after an invalid body is answered too', async () => {
  const behind = `GET /api/v1/inventory HTTP/1.1\r\nHost: s\r\nX-Api-Key: ${channel.api_key}\r\nConnection: close\r\n\r\n`;
  for (const body of ['{', '{"a":1,"a":2}', '\u0000'])
    assert.deepEqual(await allRaw(send(`Content-Length: ${body.length}\r\n`, body) + behind), [422, 200]);
});

/** Everything received before the connection closes. */
async function allText(bytes: string): Promise<string> {
  const { hostname, port } = new URL(service.origin);
  const client = connect({ host: hostname, port: Number(port) });
  let text = '';
  client.on('data', (chunk) => (text += String(chunk)));
  client.on('error', () => {});
  client.write(bytes);
  await once(client, 'close');
  return text;
}

const allRaw = async (bytes: string): Promise<number[]> =>
  [...(await allText(bytes)).matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));

test('a connection that sent invalid bytes is closed, even if the client never closes its side', async () => {
  const closed = new Promise<string>((resolve) => {
    service.service.app.server.once('connection', (socket) => socket.once('close', () => resolve('closed')));
  });
  const { hostname, port } = new URL(service.origin);
  const client = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  client.on('error', () => {});
  client.write('rubbish\r\n\r\n');
  try {
    assert.equal(await Promise.race([closed, sleep(30_000, 'still open', { ref: false })]), 'closed');
  } finally {
    client.destroy();
  }
});

test('the service keeps serving after connections break off in the middle of a request', async () => {
  const body = JSON.stringify(order());
  const whole = send(`Content-Length: ${Buffer.byteLength(body)}\r\n`, body);
  for (const share of [0.1, 0.5, 0.9, 0.99])
    await sendRaw(service.origin, whole.slice(0, Math.floor(whole.length * share)), { end: true });
  await isServing();
});

test('120 invalid bodies at once are all 422, and the service keeps serving', async () => {
  const bodies = [
    '{',
    '[]',
    '{}',
    '',
    '\0',
    JSON.stringify(order({ status: 7 })),
    'x'.repeat(MIB + 1),
    '[['.repeat(9_999),
  ];
  const answers = await Promise.all(
    Array.from({ length: 120 }, (_, index) => post(bodies[index % bodies.length])),
  );
  for (const answer of answers) assertInvalid(answer);
  await isServing();
  await must(channel.call('GET', '/inventory'), 200);
});

test('errors of a percent-encoded path have the shape of its API', async () => {
  const authorization = `Bearer ${ADMIN_TOKEN}`;
  const atDesk = await call(`${service.origin}/%61dmin/v1/audit?actor=%00`, 'GET', undefined, {
    authorization,
  });
  assert.deepEqual([atDesk.status, atDesk.json.code], [422, 'validation']);
  const headers = { 'x-api-key': channel.api_key };
  const list = await call(`${service.origin}/%61pi/v1/inventory?limit=x`, 'GET', undefined, headers);
  assert.deepEqual([list.status, list.headers.get('sluice-error')], [422, 'validation']);
});

async function chunked(chunks: readonly Buffer[]): Promise<HttpAnswer> {
  const options = {
    method: 'POST',
    headers: { 'x-api-key': channel.api_key, 'transfer-encoding': 'chunked' },
  };
  const answer = await plainRequest(`${service.origin}/api/v1/orders`, options, chunks);
  const text = answer.body.toString();
  const headers = new Headers(answer.headers as Record<string, string>);
  return { status: answer.status, headers, text, json: JSON.parse(text) };
}
