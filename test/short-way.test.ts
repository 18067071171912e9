// Orders and reports take the short way when they are plain and the framework's otherwise: nobody may be able to tell.
import assert from 'node:assert/strict';
import { connect as connectTo } from 'node:net';
import { test } from 'node:test';
import { assertInvalid } from './kit/answers.ts';
import { connect } from '../verify/kit/connection.ts';
import { fixtures, must, orderOf, unique } from '../verify/kit/fixtures.ts';
import { sendRaw } from './kit/raw-http.ts';
import { startTestService, type HttpAnswer } from '../verify/kit/service.ts';

// Shortly, so that the test of a gate that fails does not wait for long.
const service = await startTestService({
  env: { SLUICE_LOCK_TIMEOUT_MS: '200', SLUICE_RETRY_TIMEOUT_MS: '300' },
});
const make = fixtures(service);
const { channel, sku } = await make.setting(1_000);
const stranger = await make.channel();
const line = { sku, quantity: 1, unit_price: 1 };
const elsewhere = orderOf([line]);
await make.map(stranger, await make.variant(10), sku);
await must(stranger.call('POST', '/orders', elsewhere), 201);

type Way = (path: string, body: string | Buffer, headers?: readonly string[]) => Promise<HttpAnswer | null>;

const request = (path: string, framing: string, headers: readonly string[]): string =>
  [
    `POST /api/v1${path} HTTP/1.1`,
    'Host: x',
    `X-Api-Key: ${channel.api_key}`,
    framing,
    ...headers,
    '',
    '',
  ].join('\r\n');

const short: Way = (path, body, headers = []) => {
  const head = request(path, `Content-Length: ${Buffer.byteLength(body)}`, headers);
  return sendRaw(service.origin, Buffer.concat([Buffer.from(head), Buffer.from(body)]));
};
/** A body whose length is not told in advance is not plain. */
const long: Way = (path, body, headers = []) => {
  const head = request(path, 'Transfer-Encoding: chunked', headers);
  const size = Buffer.byteLength(body);
  const chunk = size === 0 ? '' : `${size.toString(16)}\r\n`;
  const end = size === 0 ? '0\r\n\r\n' : '\r\n0\r\n\r\n';
  return sendRaw(
    service.origin,
    Buffer.concat([Buffer.from(head + chunk), Buffer.from(body), Buffer.from(end)]),
  );
};

/** What differs from one order to the next. */
const comparable = (answer: HttpAnswer | null, number: string): object => ({
  status: answer?.status,
  body: answer?.text
    .replaceAll(number, '<number>')
    .replace(/"id":\d+/, '"id":<id>')
    .replace(/"created_at":"[^"]+"/, '"created_at":<time>'),
  headers: [...(answer?.headers ?? [])]
    .filter(([name]) => !['date', 'x-request-id', 'content-length'].includes(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  has_id: answer?.headers.has('x-request-id'),
});

/** `ask` sends something of its own each time it is called. */
async function sameBothWays(
  ask: (way: Way) => Promise<{ answer: HttpAnswer | null; number: string }>,
  status: number,
): Promise<void> {
  const [plain, framed] = [await ask(short), await ask(long)];
  assert.equal(plain.answer?.status, status, plain.answer?.text);
  assert.deepEqual(comparable(plain.answer, plain.number), comparable(framed.answer, framed.number));
}

const orders: [what: string, fields: object, status: number][] = [
  ['a new order', {}, 201],
  ['before payment, with everything optional', { status: 0, is_backorder: false, tracking_number: 'T' }, 201],
  ['more than there is', { items: [{ ...line, quantity: 5_000 }] }, 422],
  ['an unmapped SKU', { items: [{ ...line, sku: 'nowhere' }] }, 422],
  ['a field of the wrong type', { recipient_name: 7 }, 422],
  ['no items', { items: [] }, 422],
  ['a text that cannot be stored', { recipient_name: 'a\0b' }, 422],
];
for (const [what, fields, status] of orders) {
  test(`an order, ${what}: ${status} either way`, () =>
    sameBothWays(async (way) => {
      const body = orderOf([line], fields);
      return { answer: await way('/orders', JSON.stringify(body)), number: body.order_number };
    }, status));
}

const bodies: [what: string, body: string | Buffer][] = [
  ['no JSON', '{"order_number":'],
  ['another type', '[]'],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
  ['a number beyond its range', '{"order_number":"x","items":[{"sku":"x","quantity":1e400,"unit_price":1}]}'],
  ['a prototype', '{"__proto__":{"order_number":"x"}}'],
];
for (const [what, body] of bodies) {
  test(`a body that is not an order, ${what}: 422 either way`, () =>
    sameBothWays(async (way) => ({ answer: await way('/orders', body), number: '-' }), 422));
}

test('a resend is answered with the stored order either way', async () => {
  const body = JSON.stringify(orderOf([line]));
  const first = await short('/orders', body);
  assert.equal(first?.status, 201);
  for (const way of [short, long]) {
    const again = await way('/orders', body);
    assert.equal(again?.status, 200);
    assert.equal(again.text, first.text);
  }
});

test('a number of another channel: 500 and no word about it, either way', () =>
  sameBothWays(async (way) => {
    const body = { ...orderOf([line]), order_number: elsewhere.order_number };
    return { answer: await way('/orders', JSON.stringify(body)), number: body.order_number };
  }, 500));

const reports: [what: string, body: object, status: number][] = [
  ['shipped', { status: 3, tracking_number: 'T-1', courier_code: 'nobody' }, 200],
  ['cancelled', { status: 88, reason: 'changed my mind' }, 200],
  ['back to before payment', { status: 0 }, 409],
  ['shipped without a tracking number', { status: 3 }, 422],
  ['no such status', { status: 4 }, 422],
];
for (const [what, body, status] of reports) {
  test(`a report, ${what}: ${status} either way`, () =>
    sameBothWays(async (way) => {
      const order = orderOf([line]);
      await must(channel.call('POST', '/orders', order), 201);
      const answer = await way(`/orders/${order.order_number}/status`, JSON.stringify(body));
      return { answer, number: order.order_number };
    }, status));
}

test('a report on nothing, and on the order of another channel: 404 either way', async () => {
  for (const number of [unique('NONE'), elsewhere.order_number]) {
    const body = JSON.stringify({ status: 88 });
    await sameBothWays(async (way) => ({ answer: await way(`/orders/${number}/status`, body), number }), 404);
  }
});

test('a number of another channel leaves a line in the log, without personal data', async (t) => {
  const warn = t.mock.method(service.service.services.log, 'warn', () => {});
  for (const way of [short, long]) {
    const body = { ...orderOf([line]), order_number: elsewhere.order_number };
    const answer = await way('/orders', JSON.stringify(body), ['X-Request-Id: taken-1']);
    assert.equal(answer?.headers.get('sluice-error'), 'order_number_taken');
  }
  const expected = { request_id: 'taken-1', channel_id: channel.id, reason: 'order_number_taken' };
  assert.deepEqual(
    warn.mock.calls.map((call) => call.arguments[0]),
    [expected, expected],
  );
});

test('contract 10.2: every refusal names its reason in Sluice-Error, and success none', async () => {
  const order = orderOf([line]);
  const post = (path: string, body: unknown) => channel.call('POST', path, body);
  const shipped = { status: 3, tracking_number: 'T' };
  const backorder = orderOf([{ ...line, quantity: 5_000 }], { is_backorder: true });
  const variant = await make.variant(5);
  const limited = { ...line, sku: await make.map(channel, variant) };
  await make.allocate(channel, variant, 0, 1);
  const bare = { ...line, sku: await make.map(channel, await make.variant(null)) };
  for (const success of [
    await post('/orders', order),
    await long('/orders', JSON.stringify(orderOf([line]))),
    await channel.call('GET', '/inventory'),
  ]) {
    assert.ok(success && success.status < 300, success?.text);
    assert.equal(success.headers.get('sluice-error'), null);
  }
  await must(post('/orders', backorder), 201);
  const cases: [reason: string, answer: Promise<HttpAnswer>][] = [
    ['key_required', service.channel(undefined)('GET', '/inventory')],
    ['key_invalid', service.channel('sluice_x')('POST', '/orders', order)],
    ['not_found', channel.call('GET', '/nowhere')],
    ['not_found', channel.call('PUT', '/orders', order)],
    ['not_found', channel.call('GET', '/inventory/')],
    ['validation', post('/orders', {})],
    ['validation', post('/orders', '{')],
    ['validation', post('/orders', ' '.repeat(2 ** 21))],
    ['validation', post(`/orders/${order.order_number}/status`, { status: 4 })],
    ['validation', channel.call('GET', '/inventory?limit=0')],
    ['validation', channel.call('GET', '/inventory?limit=5&cursor=x')],
    ['validation', channel.call('GET', '/inventory/100%')],
    ['sku_unmapped', channel.call('GET', '/inventory/nowhere')],
    ['sku_unmapped', post('/orders', orderOf([{ ...line, sku: 'nowhere' }]))],
    ['stock_missing', post('/orders', orderOf([bare]))],
    ['stock_insufficient', post('/orders', orderOf([{ ...line, quantity: 5_000 }]))],
    ['quota_insufficient', post('/orders', orderOf([{ ...limited, quantity: 2 }], { is_backorder: true }))],
    ['order_unknown', post('/orders/nowhere/status', { status: 1 })],
    ['invalid_transition', post(`/orders/${order.order_number}/status`, { status: 0 })],
    ['insufficient_stock', post(`/orders/${backorder.order_number}/status`, shipped)],
  ];
  for (const [reason, answer] of cases)
    assert.equal((await answer).headers.get('sluice-error'), reason, (await answer).text);
  const notHttp = await sendRaw(service.origin, 'rubbish\r\n\r\n');
  assert.equal(notHttp?.headers.get('sluice-error'), 'validation');
  assert.equal((await service.admin('GET', '/nowhere')).headers.get('sluice-error'), null);
  await must(post(`/orders/${backorder.order_number}/status`, { status: 88 }), 200);
});

test('contract 10.15: a lookup behind an order on one connection shows the stock after the order', async () => {
  for (let round = 0; round < 10; round++) {
    const variant = await make.variant(10);
    const own = await make.map(channel, variant);
    const sent = [1, 2].map((quantity) => JSON.stringify(orderOf([{ ...line, sku: own, quantity }])));
    const posts = sent.map(
      (body) => request('/orders', `Content-Length: ${Buffer.byteLength(body)}`, []) + body,
    );
    const get = request(`/inventory/${own}`, 'Connection: close', []).replace('POST', 'GET');
    const answers = await allAnswers(posts.join('') + get);
    assert.deepEqual(
      [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
      ['201', '201', '200'],
    );
    assert.match(answers, /"available":7,/);
  }
});

/** Until the connection is closed. */
async function allAnswers(requests: string): Promise<string> {
  const { hostname, port } = new URL(service.origin);
  const socket = connectTo({ host: hostname, port: Number(port) });
  socket.write(requests);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

test('contract 10.13: with a prefix set, an order number that does not start with it is a validation error', async () => {
  const { channel: prefixed, sku: own } = await make.setting(100);
  const order = (order_number: string) => orderOf([{ ...line, sku: own }], { order_number });
  const old = order(unique('OLD'));
  await must(prefixed.call('POST', '/orders', old), 201);
  const patched = await must(
    service.admin('PATCH', `/channels/${prefixed.id}`, { order_number_prefix: 'TYO-' }),
    200,
  );
  assert.equal(patched.order_number_prefix, 'TYO-');
  // Twice each: the first request of a key takes the framework's way.
  for (const number of ['tyo-1', 'XTYO-1', 'TYO', old.order_number, old.order_number]) {
    const answer = await prefixed.call('POST', '/orders', order(number));
    assertInvalid(answer, 'order_number');
    assert.equal(answer.json.message, 'order_number must start with TYO-.');
  }
  for (const number of [unique('TYO-'), unique('TYO-')]) {
    await must(prefixed.call('POST', '/orders', order(number)), 201);
    await must(prefixed.call('POST', '/orders', order(number)), 200);
  }
  // Reports name an order that is there; the prefix is a rule for new ones.
  await must(prefixed.call('POST', `/orders/${old.order_number}/status`, { status: 2 }), 200);
  await must(service.admin('PATCH', `/channels/${prefixed.id}`, { order_number_prefix: null }), 200);
  await must(prefixed.call('POST', '/orders', old), 200);
});

test('the request id is the caller’s where it is fit, either way', async () => {
  for (const way of [short, long]) {
    const answer = await way('/orders', JSON.stringify(orderOf([line])), ['X-Request-Id: abc-1']);
    assert.equal(answer?.headers.get('x-request-id'), 'abc-1');
  }
});

test('a body in two pieces, and a second request behind the first on one connection, are served', async () => {
  const body = JSON.stringify(orderOf([line]));
  const head = request('/orders', `Content-Length: ${Buffer.byteLength(body)}`, []);
  const halves = await sendRaw(service.origin, [head + body.slice(0, 40), body.slice(40)]);
  assert.equal(halves?.status, 201);
  const next = JSON.stringify(orderOf([line]));
  const both = `${head}${body}${request('/orders', `Content-Length: ${Buffer.byteLength(next)}`, [])}${next}`;
  assert.equal((await sendRaw(service.origin, both))?.status, 200);
});

test('a gate that fails: 503 with Retry-After either way, once, and nothing is taken', async () => {
  const holder = await connect(service.database.url);
  await holder.query('begin');
  await holder.query('select from stock for update');
  const numbers: string[] = [];
  try {
    await sameBothWays(async (way) => {
      const body = orderOf([line]);
      numbers.push(body.order_number);
      const answer = await way('/orders', JSON.stringify(body));
      assert.equal(answer?.headers.get('retry-after'), '1');
      assert.equal(answer.headers.get('sluice-error'), 'unavailable');
      return { answer, number: body.order_number };
    }, 503);
  } finally {
    await holder.query('rollback');
  }
  const found = await holder.query('select from orders where order_number = any($1)', [numbers]);
  await holder.end();
  assert.equal(found.rowCount, 0);
});
