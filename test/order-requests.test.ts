// Orders and reports as HTTP requests: bodies in one piece, in two pieces and chunked, and the headers of each answer.
import assert from 'node:assert/strict';
import { connect as connectTo } from 'node:net';
import { test } from 'node:test';
import { assertInvalid } from './kit/answers.ts';
import { connect } from '../verify/kit/connection.ts';
import { fixtures, must, orderOf, unique } from '../verify/kit/fixtures.ts';
import { sendRaw } from './kit/raw-http.ts';
import { startTestService, type HttpAnswer } from '../verify/kit/service.ts';

// Short timeouts, so that the test of a failing gate is fast.
const service = await startTestService({
  env: { SLUICE_LOCK_TIMEOUT_MS: '800', SLUICE_RETRY_TIMEOUT_MS: '1000' },
});
const make = fixtures(service);
const { channel, sku } = await make.setting(1_000);
const stranger = await make.channel();
const line = { sku, quantity: 1, unit_price: 1 };
const elsewhere = orderOf([line]);
await make.map(stranger, await make.variant(10), sku);
await must(stranger.call('POST', '/orders', elsewhere), 201);

/** How a body is framed: with its length, with its length and a late second piece, or chunked. */
const FRAMINGS = ['length', 'pieces', 'chunked'] as const;
type Framing = (typeof FRAMINGS)[number];

const head = (path: string, framing: string, headers: readonly string[] = []): string =>
  [
    `POST /api/v1${path} HTTP/1.1`,
    'Host: x',
    `X-Api-Key: ${channel.api_key}`,
    framing,
    ...headers,
    '',
    '',
  ].join('\r\n');

async function post(
  framing: Framing,
  path: string,
  body: object | string | Buffer,
  headers: readonly string[] = [],
): Promise<HttpAnswer> {
  const bytes = Buffer.from(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  const length = Buffer.from(head(path, `Content-Length: ${bytes.length}`, headers));
  const chunk = `${head(path, 'Transfer-Encoding: chunked', headers)}${bytes.length.toString(16)}\r\n`;
  const sent = {
    length: () => Buffer.concat([length, bytes]),
    pieces: () => [Buffer.concat([length, bytes.subarray(0, 2)]), bytes.subarray(2)],
    chunked: () => Buffer.concat([Buffer.from(chunk), bytes, Buffer.from('\r\n0\r\n\r\n')]),
  };
  const answer = await sendRaw(service.origin, sent[framing]());
  assert.ok(answer, 'an answer');
  return answer;
}

/** Every answer has exactly these headers and those that change with each answer, and no "Connection: close". */
function assertHeaders({ status, headers }: HttpAnswer): void {
  const expected = ['content-security-policy', 'content-type', 'x-content-type-options'];
  if (status >= 400) expected.push('sluice-error');
  if (status === 503) expected.push('retry-after');
  const changing = ['connection', 'content-length', 'date', 'keep-alive', 'x-request-id'];
  const names = [...headers.keys()].filter((name) => !changing.includes(name));
  assert.deepEqual(names.toSorted(), expected.toSorted());
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
  assert.ok(headers.has('x-request-id'));
  assert.notEqual(headers.get('connection'), 'close');
}

const orders: [what: string, fields: object, status: number][] = [
  ['a new order', {}, 201],
  ['unpaid and with all optional fields', { status: 0, is_backorder: false, tracking_number: 'T' }, 201],
  ['more than the stock', { items: [{ ...line, quantity: 5_000 }] }, 422],
  ['an unmapped SKU', { items: [{ ...line, sku: 'nowhere' }] }, 422],
  ['a field of the wrong type', { recipient_name: 7 }, 422],
  ['no items', { items: [] }, 422],
  ['a text that cannot be stored', { recipient_name: 'a\0b' }, 422],
];
for (const [what, fields, status] of orders) {
  test(`an order, ${what}: ${status} with every framing of its body`, async () => {
    for (const framing of FRAMINGS) {
      const body = orderOf([line], fields);
      const answer = await post(framing, '/orders', body);
      assert.equal(answer.status, status, answer.text);
      assertHeaders(answer);
      if (status !== 201) continue;
      const { data } = answer.json as { data: { order_number: string } };
      assert.equal(data.order_number, body.order_number);
    }
  });
}

test('an order number of another channel: 500 without details', async () => {
  for (const framing of FRAMINGS) {
    const answer = await post(framing, '/orders', elsewhere);
    assert.equal(answer.status, 500);
    assert.deepEqual(answer.json, { error: 'Something went wrong on our side.' });
    assertHeaders(answer);
  }
});

const bodies: [what: string, body: string | Buffer, text: RegExp][] = [
  ['no JSON', '{"order_number":', /"The body is not valid JSON\."/],
  ['another type', '[]', /"body must be a JSON object\."/],
  ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), /"The body is not valid UTF-8\."/],
  [
    'a number out of range',
    '{"order_number":"x","items":[{"sku":"x","quantity":1e400,"unit_price":1}]}',
    /"items.0.quantity":\["items.0.quantity has too many digits to be stored exactly\."\]/,
  ],
  ['a prototype', '{"__proto__":{"order_number":"x"}}', /"order_number is required\."/],
];
for (const [what, body, text] of bodies) {
  test(`a body that is not an order, ${what}: 422 with every framing`, async () => {
    for (const framing of FRAMINGS) {
      const answer = await post(framing, '/orders', body);
      assert.equal(answer.status, 422);
      assert.match(answer.text, text);
      assertHeaders(answer);
    }
  });
}

test('an empty body is 422, with and without a Content-Length', async () => {
  const empty = [
    head('/orders', 'Content-Length: 0'),
    head('/orders', 'Content-Type: application/json'),
    head('/orders', 'Content-Type: rubbish', ['Content-Length: 0']),
    `${head('/orders', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    head('/orders', 'Accept: */*'),
  ];
  for (const request of empty) {
    const answer = await sendRaw(service.origin, request);
    assert.ok(answer);
    assertInvalid(answer, 'body');
    assert.equal(answer.json.message, 'The body must not be empty: send a JSON object.');
    assertHeaders(answer);
  }
});

test('a body is read as JSON with any content type', async () => {
  for (const type of ['text/plain', 'application/xml', 'rubbish', '/', '']) {
    const answer = await post('length', '/orders', orderOf([line]), [`Content-Type: ${type}`]);
    assert.equal(answer.status, 201, `${type}: ${answer.text}`);
  }
});

test('a resend is answered with the stored order, byte for byte', async () => {
  const body = orderOf([line]);
  const first = await post('length', '/orders', body);
  assert.equal(first.status, 201);
  for (const framing of FRAMINGS) {
    const again = await post(framing, '/orders', body);
    assert.equal(again.status, 200);
    assert.equal(again.text, first.text);
    assertHeaders(again);
  }
});

const reports: [what: string, body: object, status: number][] = [
  ['shipped', { status: 3, tracking_number: 'T-1', courier_code: 'nobody' }, 200],
  ['cancelled', { status: 88, reason: 'changed my mind' }, 200],
  ['back to unpaid', { status: 0 }, 409],
  ['shipped without a tracking number', { status: 3 }, 422],
  ['an unknown status', { status: 4 }, 422],
];
for (const [what, body, status] of reports) {
  test(`a report, ${what}: ${status} with every framing of its body`, async () => {
    for (const framing of FRAMINGS) {
      const order = orderOf([line]);
      await must(channel.call('POST', '/orders', order), 201);
      const answer = await post(framing, `/orders/${order.order_number}/status`, body);
      assert.equal(answer.status, status, answer.text);
      assertHeaders(answer);
    }
  });
}

test('a report for an unknown order or for an order of another channel is 404', async () => {
  for (const number of [unique('NONE'), elsewhere.order_number]) {
    const answer = await post('length', `/orders/${number}/status`, { status: 88 });
    assert.equal(answer.status, 404);
    assert.deepEqual(answer.json, { error: `Order ${number} was not found.` });
    assertHeaders(answer);
  }
});

test('an order number of another channel is logged, without personal data', async (t) => {
  const warn = t.mock.method(service.service.services.log, 'warn', () => {});
  const answer = await post('length', '/orders', elsewhere, ['X-Request-Id: taken-1']);
  assert.equal(answer.headers.get('sluice-error'), 'order_number_taken');
  assert.deepEqual(
    warn.mock.calls.map((call) => call.arguments[0]),
    [{ request_id: 'taken-1', channel_id: channel.id, reason: 'order_number_taken' }],
  );
});

test('contract 10.2: every refusal has its reason in Sluice-Error; successful answers have no such header', async () => {
  const order = orderOf([line]);
  const send = (path: string, body: unknown) => channel.call('POST', path, body);
  const shipped = { status: 3, tracking_number: 'T' };
  const backorder = orderOf([{ ...line, quantity: 5_000 }], { is_backorder: true });
  const variant = await make.variant(5);
  const limited = { ...line, sku: await make.map(channel, variant) };
  await make.allocate(channel, variant, 0, 1);
  const bare = { ...line, sku: await make.map(channel, await make.variant(null)) };
  for (const success of [
    await send('/orders', order),
    await post('chunked', '/orders', orderOf([line])),
    await channel.call('GET', '/inventory'),
  ]) {
    assert.ok(success.status < 300, success.text);
    assert.equal(success.headers.get('sluice-error'), null);
  }
  await must(send('/orders', backorder), 201);
  const cases: [reason: string, answer: Promise<HttpAnswer>][] = [
    ['key_required', service.channel(undefined)('GET', '/inventory')],
    ['key_invalid', service.channel('sluice_x')('POST', '/orders', order)],
    ['not_found', channel.call('GET', '/nowhere')],
    ['not_found', channel.call('PUT', '/orders', order)],
    ['not_found', channel.call('GET', '/inventory/')],
    ['validation', send('/orders', {})],
    ['validation', send('/orders', '{')],
    ['validation', send('/orders', ' '.repeat(2 ** 21))],
    ['validation', send(`/orders/${order.order_number}/status`, { status: 4 })],
    ['validation', channel.call('GET', '/inventory?limit=0')],
    ['validation', channel.call('GET', '/inventory?limit=5&cursor=x')],
    ['validation', channel.call('GET', '/inventory/100%')],
    ['sku_unmapped', channel.call('GET', '/inventory/nowhere')],
    ['sku_unmapped', send('/orders', orderOf([{ ...line, sku: 'nowhere' }]))],
    ['stock_missing', send('/orders', orderOf([bare]))],
    ['stock_insufficient', send('/orders', orderOf([{ ...line, quantity: 5_000 }]))],
    ['quota_insufficient', send('/orders', orderOf([{ ...limited, quantity: 2 }], { is_backorder: true }))],
    ['order_unknown', send('/orders/nowhere/status', { status: 1 })],
    ['invalid_transition', send(`/orders/${order.order_number}/status`, { status: 0 })],
    ['insufficient_stock', send(`/orders/${backorder.order_number}/status`, shipped)],
  ];
  for (const [reason, answer] of cases)
    assert.equal((await answer).headers.get('sluice-error'), reason, (await answer).text);
  const notHttp = await sendRaw(service.origin, 'rubbish\r\n\r\n');
  assert.equal(notHttp?.headers.get('sluice-error'), 'validation');
  assert.equal((await service.admin('GET', '/nowhere')).headers.get('sluice-error'), null);
  await must(send(`/orders/${backorder.order_number}/status`, { status: 88 }), 200);
});

test('contract 10.15: a lookup pipelined after orders on one connection shows the stock after these orders', async () => {
  for (let round = 0; round < 10; round++) {
    const variant = await make.variant(10);
    const own = await make.map(channel, variant);
    const sent = [1, 2].map((quantity) => JSON.stringify(orderOf([{ ...line, sku: own, quantity }])));
    const posts = sent.map((body) => head('/orders', `Content-Length: ${Buffer.byteLength(body)}`) + body);
    const get = head(`/inventory/${own}`, 'Connection: close').replace('POST', 'GET');
    const answers = await allAnswers(posts.join('') + get);
    assert.deepEqual(
      [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
      ['201', '201', '200'],
    );
    assert.match(answers, /"available":7,/);
  }
});

test('contract 10.15: at most 1,000 requests of a connection may wait; a client that sends more is disconnected', async () => {
  const { changes_since } = (await channel.call('GET', '/inventory?limit=10')).json;
  const since = encodeURIComponent(changes_since);
  const waits = (seconds: number) =>
    head(`/inventory?changes_since=${since}&wait=${seconds}`, 'X-A: b').replace('POST', 'GET');
  const get = head(`/inventory/${sku}`, 'X-A: b').replace('POST', 'GET');
  const last = head(`/inventory/${sku}`, 'Connection: close').replace('POST', 'GET');
  const answers = await allAnswers(waits(1) + get.repeat(999) + last);
  assert.equal(answers.match(/HTTP\/1\.1 200/g)?.length, 1_001);
  assert.equal(await allAnswers(waits(30) + get.repeat(1_001)), '');
});

/** Everything received until the connection is closed. */
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
  for (const number of ['tyo-1', 'XTYO-1', 'TYO', old.order_number]) {
    const answer = await prefixed.call('POST', '/orders', order(number));
    assertInvalid(answer, 'order_number');
    assert.equal(answer.json.message, 'order_number must start with TYO-.');
  }
  for (const number of [unique('TYO-'), unique('TYO-')]) {
    await must(prefixed.call('POST', '/orders', order(number)), 201);
    await must(prefixed.call('POST', '/orders', order(number)), 200);
  }
  // The prefix is required in new orders only; reports name an existing order.
  await must(prefixed.call('POST', `/orders/${old.order_number}/status`, { status: 2 }), 200);
  await must(service.admin('PATCH', `/channels/${prefixed.id}`, { order_number_prefix: null }), 200);
  await must(prefixed.call('POST', '/orders', old), 200);
});

test('contract 10.13: a number with the prefix of another channel is a validation error, and is listed as one', async () => {
  const owner = await make.setting(100, { order_number_prefix: 'OSA-' });
  const other = await make.setting(100);
  const order = (setting: typeof owner, order_number: string, quantity = 1) =>
    orderOf([{ sku: setting.sku, quantity, unit_price: 1 }], { order_number });
  const send = (setting: typeof owner, body: object) => setting.channel.call('POST', '/orders', body);
  const refused = async (number: string, quantity?: number) => {
    const answer = await send(other, order(other, number, quantity));
    assertInvalid(answer, 'order_number');
    assert.equal(answer.headers.get('sluice-error'), 'validation');
    assert.deepEqual(answer.json, {
      message: 'order_number starts with a prefix that belongs to another channel.',
      errors: { order_number: ['order_number starts with a prefix that belongs to another channel.'] },
    });
  };
  const number = unique('OSA-');
  await must(send(owner, order(owner, number)), 201);
  await refused(number);
  await refused(unique('OSA-'));
  await refused(unique('OSA-'), 1_000);
  for (const free of ['osa-1', 'OSA', unique('XOSA-')]) await must(send(other, order(other, free)), 201);
  await service.service.flush();
  const listed = await must(
    service.admin('GET', `/refusals?channel_id=${other.channel.id}&search=${number}`),
    200,
  );
  assert.deepEqual(
    listed.map((row: any) => [row.reason, row.field]),
    [['invalid', 'order_number']],
  );

  // It follows the prefix: an inactive channel keeps it, an archived one does not. Orders taken before stay resends.
  const path = `/channels/${owner.channel.id}`;
  const set = (body: object) => must(service.admin('PATCH', path, body), 200);
  await set({ is_active: false });
  await refused(unique('OSA-'));
  await set({ order_number_prefix: null });
  const taken = order(other, unique('OSA-'));
  await must(send(other, taken), 201);
  await set({ order_number_prefix: 'OSA-' });
  await must(send(other, taken), 200);
  await must(other.channel.call('POST', `/orders/${taken.order_number}/status`, { status: 88 }), 200);
  await refused(unique('OSA-'));
  await set({ archived: true });
  await must(send(other, order(other, unique('OSA-'))), 201);
});

test('a valid X-Request-Id of the caller is used, and an invalid one is replaced', async () => {
  const answer = await post('length', '/orders', orderOf([line]), ['X-Request-Id: abc-1']);
  assert.equal(answer.headers.get('x-request-id'), 'abc-1');
  const unfit = await post('length', '/orders', orderOf([line]), ['X-Request-Id: a b']);
  assert.match(unfit.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
});

test('a second order pipelined on one connection is accepted', async () => {
  const [first, second] = [orderOf([line]), orderOf([line])].map((order) => JSON.stringify(order));
  const requests = [first, second].map(
    (body = '') => head('/orders', `Content-Length: ${Buffer.byteLength(body)}`) + body,
  );
  assert.equal((await sendRaw(service.origin, requests.join('')))?.status, 201);
  assert.equal(
    (await post('length', '/orders', second ?? '')).status,
    200,
    'the second order was accepted too',
  );
});

test('when the gate fails, the answer is 503 with Retry-After and nothing is stored', async () => {
  const holder = await connect(service.database.url);
  await holder.query('begin');
  await holder.query('select from stock for update');
  const order = orderOf([line]);
  try {
    const answer = await post('length', '/orders', order);
    assert.equal(answer.status, 503);
    assert.equal(answer.headers.get('retry-after'), '1');
    assert.equal(answer.headers.get('sluice-error'), 'unavailable');
    assertHeaders(answer);
  } finally {
    await holder.query('rollback');
  }
  const found = await holder.query('select from orders where order_number = $1', [order.order_number]);
  await holder.end();
  assert.equal(found.rowCount, 0);
});
