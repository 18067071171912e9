// Limits for clients without credentials and for greedy channels: bodies of open routes, the budget for large bodies,
// connections, wrong credentials, metrics.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isFromThisMachine } from '../src/platform/http/client-address.ts';
import { WrongCredentials } from '../src/platform/accounts/wrong-credentials.ts';
import { parseJsonBody } from '../src/platform/schema/json-body.ts';
import { plainRequest } from '../verify/kit/plain-request.ts';
import { fixtures, must, orderOf, unique, type TestChannel } from '../verify/kit/fixtures.ts';
import { collectGarbage } from './kit/collect-garbage.ts';
import { sendRaw } from './kit/raw-http.ts';
import { until } from '../verify/kit/until.ts';
import { ADMIN_TOKEN, call, startTestService } from '../verify/kit/service.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const OPEN_BODY_BYTES_MAX = 8 * KIB;

const CONNECTIONS_PER_ADDRESS_MAX = 5;
const service = await startTestService({
  env: {
    SLUICE_INTERNAL_PORT: '0',
    // Other loopback addresses such as 127.0.0.2 are ordinary clients.
    SLUICE_TRUSTED_PROXIES: '127.0.0.1',
    SLUICE_CONNECTIONS_PER_ADDRESS_MAX: String(CONNECTIONS_PER_ADDRESS_MAX),
  },
});
const { origin } = service;
const make = fixtures(service);
const { channel, sku } = await make.setting(1_000);
const other = await make.channel();

const sockets = new Set<Socket>();
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
});

const head = (line: string, ...headers: string[]): string =>
  [`${line} HTTP/1.1`, 'Host: s', ...headers, '', ''].join('\r\n');

/** Every method and path of the service, from the router itself. */
function routes(): { method: string; path: string }[] {
  const found: { method: string; path: string }[] = [];
  const above: string[] = [];
  for (const line of service.service.app.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, indent = '', part = '', methods] = /^([│ ]*)[├└]── (.*?)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
    above.length = indent.length / 4;
    above.push(part);
    const path = above.join('').replace(/:\w+|\*/g, 'x');
    for (const method of methods?.split(', ') ?? []) found.push({ method, path });
  }
  return found;
}

test('without credentials no route reads more than 8 KiB of a body: a larger Content-Length is refused before any byte of it', async () => {
  const all = routes();
  assert.ok(all.length > 70, `${all.length} routes`);
  assert.ok(all.some(({ method, path }) => method === 'POST' && path === '/admin/v1/session'));
  const refused: string[] = [];
  for (const { method, path } of all) {
    if (method === 'GET' || method === 'HEAD') continue; // their bodies are never read
    const announced = head(`${method} ${path}`, `Content-Length: ${OPEN_BODY_BYTES_MAX + 1}`);
    const answer = await sendRaw(origin, announced, { wait_ms: 5_000 });
    assert.ok(answer && [401, 404, 422].includes(answer.status), `${method} ${path}: ${answer?.status}`);
    if (answer.status !== 422) continue;
    assert.deepEqual(answer.json.errors, { body: ['The body must be at most 8 KiB.'] });
    refused.push(`${method} ${path}`);
  }
  assert.deepEqual(refused, ['POST /admin/v1/session']);
  const unknown = head('POST /nothing', `Content-Length: ${MIB}`);
  assert.equal((await sendRaw(origin, unknown))?.status, 404);
});

test('a chunked body of an open route is refused as soon as it is too long', async () => {
  const chunk = `${(OPEN_BODY_BYTES_MAX + 1).toString(16)}\r\n{"email":"${'x'.repeat(OPEN_BODY_BYTES_MAX - 9)}\r\n`;
  const answer = await sendRaw(origin, [
    head('POST /admin/v1/session', 'Transfer-Encoding: chunked'),
    chunk,
    // One more chunk, unfinished.
    '5\r\n',
  ]);
  assert.equal(answer?.status, 422);
  assert.deepEqual(answer.json.errors, { body: ['The body must be at most 8 KiB.'] });
  const fitting = JSON.stringify({ email: 'a@b', password: 'x' }) + ' '.repeat(8_000);
  assert.equal((await call(`${origin}/admin/v1/session`, 'POST', fitting)).status, 401);
});

test('8 KiB of adversarial JSON costs less than 5 ms of CPU', () => {
  const bodies = ['1e5,', '1e-5,', '12345678901234567890,', '1e999999999,', '"\\u0000",', '[', '{"a":'].map(
    (part) => Buffer.from(`{"x":[${part.repeat(OPEN_BODY_BYTES_MAX / part.length - 4)}1]}`),
  );
  const rounds = 20;
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round++) {
    for (const body of bodies) {
      try {
        parseJsonBody(body);
      } catch {
        // Not every body is valid JSON; its cost counts too.
      }
    }
  }
  const { user, system } = process.cpuUsage(before);
  const ms = (user + system) / 1_000 / rounds / bodies.length;
  assert.ok(ms < 5, `${ms} ms a body`);
});

async function open(localAddress?: string): Promise<Socket> {
  const port = Number(new URL(origin).port);
  const socket = connect({ port, host: '127.0.0.1', ...(localAddress && { localAddress }) });
  sockets.add(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Opens requests whose bodies never end; without `key` they have no credentials. */
async function holdBodies(count: number, bytes: number, path: string, key?: string): Promise<void> {
  const text = head(
    `POST ${path}`,
    `Content-Length: ${bytes}`,
    ...(key === undefined ? [] : [`X-Api-Key: ${key}`]),
  );
  await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = await open();
      await new Promise((written) => void socket.write(`${text}${'x'.repeat(bytes - 1)}`, written));
    }),
  );
}

const heldBytes = (): number => service.service.services.budgets.large_bodies.bytes;

async function takesLargeOrder(from: TestChannel, itemSku: string): Promise<void> {
  const order = orderOf([{ sku: itemSku, quantity: 1, unit_price: 1 }], { padding: 'x'.repeat(19_000) });
  const answer = await from.call('POST', '/orders', order);
  assert.equal(answer.status, 201, answer.text);
}

test('unfinished bodies without credentials do not use the budget for large bodies', async () => {
  for (const path of ['/admin/v1/session', '/api/v1/orders']) {
    await holdBodies(63, MIB, path);
    await holdBodies(70, 20_000, path);
    assert.equal(heldBytes(), 0);
    await takesLargeOrder(channel, sku);
    for (const socket of sockets) socket.destroy();
  }
});

test('unfinished bodies of one channel leave budget for other channels', async () => {
  await holdBodies(63, MIB, '/api/v1/orders', other.api_key);
  await holdBodies(70, 20_000, '/api/v1/orders', other.api_key);
  await until(() => heldBytes() > 32 * MIB, 'more than half of the budget is held');
  for (let before = 0; heldBytes() > before; await sleep(100)) before = heldBytes();
  await takesLargeOrder(channel, sku);
});

test('answers to reads of the channel API are private, and caches must revalidate them', async () => {
  for (const [method, path, body] of [
    ['GET', '/inventory'],
    ['GET', '/inventory?limit=1'],
    ['GET', `/inventory/${sku}`],
    ['GET', '/inventory/none'],
    ['POST', '/inventory/lookup', { skus: [sku] }],
  ] as const) {
    const answer = await channel.call(method, path, body);
    assert.equal(answer.headers.get('cache-control'), 'private, no-cache', path);
  }
});

const metricsWith = (headers: Record<string, string>) => call(`${origin}/metrics`, 'GET', undefined, headers);

test('metrics are open on the internal port and to this machine, but require a token behind a proxy', async () => {
  assert.equal((await metricsWith({})).status, 200);
  for (const header of [
    'X-Forwarded-For',
    'X-Forwarded-Host',
    'X-Forwarded-Proto',
    'Forwarded',
    'X-Real-IP',
    'Via',
  ]) {
    const refused = await metricsWith({ [header]: '203.0.113.1' });
    assert.equal(refused.status, 401, header);
    assert.deepEqual(Object.keys(refused.json), ['error']);
    const wrong = await metricsWith({ [header]: '203.0.113.1', authorization: 'Bearer wrong' });
    assert.equal(wrong.status, 401);
    const right = await metricsWith({ [header]: '203.0.113.1', authorization: `Bearer ${ADMIN_TOKEN}` });
    assert.equal(right.status, 200);
    assert.match(right.text, /sluice_queue_commands/);
  }
  const internal = service.service.internalOrigin();
  assert.ok(internal !== null && internal !== origin);
  const forwarded = { 'x-forwarded-for': '203.0.113.1' };
  for (const path of ['/metrics', '/healthz', '/readyz'])
    assert.equal((await call(`${internal}${path}`, 'GET', undefined, forwarded)).status, 200, path);
  for (const path of ['/api/v1/inventory', '/admin/v1/session', '/console/'])
    assert.equal((await call(`${internal}${path}`, 'GET')).status, 404, path);
});

test('metrics without a token are served to loopback addresses only, also when no proxy header is sent', () => {
  const from = (remoteAddress?: string, host = 'localhost:8080') =>
    isFromThisMachine({ socket: { remoteAddress }, headers: { host } });
  for (const host of ['localhost', '127.0.0.1:80', '[::1]', '[::1]:8080', 'LOCALHOST:1'])
    assert.equal(from('127.0.0.1', host), true, host);
  for (const host of [
    '',
    'attacker.example',
    'attacker.example:8080',
    'localhost.attacker.example',
    '127.0.0.1.nip.io',
  ])
    assert.equal(from('127.0.0.1', host), false, host);
  assert.deepEqual(
    ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'].map((one) => from(one)),
    [true, true, true, true],
  );
  for (const address of ['203.0.113.9', '10.0.0.1', '2001:db8::1', '::ffff:10.0.0.1', '', undefined])
    assert.equal(from(address), false, address);
});

test('a page of another site that reaches a loopback address by its own name gets no metrics without a token', async () => {
  const asked = async (headers: Record<string, string>) =>
    (await plainRequest(`${origin}/metrics`, { method: 'GET', headers }, [])).status;
  const host = 'rebinding.example';
  assert.equal(await asked({ host }), 401);
  assert.equal(await asked({ host, authorization: `Bearer ${ADMIN_TOKEN}` }), 200);
  assert.equal(await asked({}), 200);
});

test('contract 10.11: a wrong key is 401 however often it is sent; after 100 wrong keys or tokens in a minute keys are not looked up and tokens get 429', async () => {
  const from = { 'x-forwarded-for': '198.51.100.7' };
  const withKey = (key: string, headers: Record<string, string> = from) =>
    call(`${origin}/api/v1/inventory`, 'GET', undefined, { ...headers, 'x-api-key': key });
  const withToken = (token: string) =>
    call(`${origin}/admin/v1/channels`, 'GET', undefined, { ...from, authorization: `Bearer ${token}` });
  const first = await withKey('wrong');
  for (let sent = 2; sent <= 50; sent++) assert.equal((await withKey(`wrong-${sent}`)).status, 401);
  for (let sent = 1; sent <= 50; sent++) assert.equal((await withToken(`wrong-${sent}`)).status, 401);
  const token = await withToken('wrong');
  assert.deepEqual([token.status, token.headers.get('sluice-error')], [429, null]);
  assert.match(token.json.error, /wrong keys or tokens/);
  assert.match(token.headers.get('retry-after') ?? '', /^[1-9]\d?$/);
  for (const key of ['wrong', 'wrong-101', 'wrong-102']) {
    const answer = await withKey(key);
    assert.deepEqual(
      [answer.status, answer.text, answer.headers.get('sluice-error'), answer.headers.get('retry-after')],
      [401, first.text, 'key_invalid', null],
    );
  }
  assert.equal((await withKey(channel.api_key)).status, 200);
  assert.equal((await withToken(ADMIN_TOKEN)).status, 200);
  // For such an address the service does not look up unknown keys in the database. If the NOTIFY of the new channel arrives
  // only now, the service reads all keys and knows this one; then the loop tries another key.
  const { id } = await make.channel();
  let key = '';
  await until(async () => {
    key = unique('unannounced');
    await service.database.tamper('update channel set key_hash = sha256($1) where id = $2', [
      Buffer.from(key),
      id,
    ]);
    return (await withKey(key)).status === 401;
  }, 'a key that was not announced is not looked up');
  assert.equal((await withKey(key, { 'x-forwarded-for': '198.51.100.8' })).status, 200);
  assert.equal(
    (await withKey('wrong', { 'x-forwarded-for': '198.51.100.8' })).status,
    401,
    'another address',
  );
  assert.equal((await call(`${origin}/api/v1/inventory`, 'GET', undefined, from)).status, 401, 'no key');
  const { text } = await metricsWith({});
  assert.match(text, /sluice_wrong_credentials_total\{kind="token",status="429"\} 1/);
  assert.doesNotMatch(text, /sluice_wrong_credentials_total\{kind="key",status="429"\}/);
});

test('the key of an inactive channel is answered like a wrong one and is not counted as a guess', async () => {
  const from = { 'x-forwarded-for': '198.51.100.9' };
  const { id, api_key } = await make.channel();
  await must(service.admin('PATCH', `/channels/${id}`, { is_active: false }), 200);
  const withKey = (key: string) =>
    call(`${origin}/api/v1/inventory`, 'GET', undefined, { ...from, 'x-api-key': key });
  const shown = ({ status, text, headers }: Awaited<ReturnType<typeof withKey>>) => [
    status,
    text,
    headers.get('sluice-error'),
  ];
  const wrong = shown(await withKey('wrong'));
  for (let sent = 0; sent < 110; sent++) assert.deepEqual(shown(await withKey(api_key)), wrong);
  const guess = { ...from, authorization: 'Bearer wrong' };
  assert.equal((await call(`${origin}/admin/v1/channels`, 'GET', undefined, guess)).status, 401);
  await must(service.admin('PATCH', `/channels/${id}`, { is_active: true }), 200);
  assert.equal((await withKey(api_key)).status, 200);
});

test('wrong credentials are counted per address and minute, reported once a minute, and kept for a limited number of addresses', () => {
  let now = 0;
  const reports: [number, Readonly<Record<string, number>>][] = [];
  const wrong = new WrongCredentials({
    per_minute_max: 3,
    report: (...report) => reports.push(report),
    now: () => now,
  });
  assert.deepEqual(
    [1, 2, 3, 4].map(() => wrong.count('a')),
    [0, 0, 0, 60],
  );
  assert.equal(wrong.count('b'), 0);
  assert.deepEqual(
    ['a', 'b', 'c'].map((address) => wrong.isThrottled(address)),
    [true, false, false],
  );
  now = 59_500;
  assert.equal(wrong.count('a'), 1);
  now = 60_000;
  assert.equal(wrong.isThrottled('a'), false);
  assert.equal(wrong.count('a'), 0, 'a new minute');
  wrong.flush();
  wrong.flush();
  assert.deepEqual(reports, [[7, { a: 6, b: 1 }]]);
  for (let address = 0; address < 10_000; address++) wrong.count(String(address));
  assert.equal(wrong.size, 4_096);
  wrong.flush();
  assert.equal(reports[1]?.[0], 4_096, 'further addresses are counted only in the metric');
  assert.equal(Object.keys(reports[1]?.[1] ?? {}).length, 20);
});

test('connections of one address over its limit are closed immediately; other addresses and trusted proxies are served', async () => {
  const isServed = async (socket: Socket): Promise<boolean> => {
    const answered = once(socket, 'data').then(() => true);
    const closed = once(socket, 'close').then(() => false);
    socket.write(head('GET /healthz'));
    return Promise.race([answered, closed]);
  };
  const held: Socket[] = [];
  for (let count = 0; count < CONNECTIONS_PER_ADDRESS_MAX; count++) {
    const socket = await open('127.0.0.2');
    assert.ok(await isServed(socket));
    held.push(socket);
  }
  assert.equal(await isServed(await open('127.0.0.2')), false);
  assert.equal(await isServed(await open('127.0.0.3')), true);
  for (let count = 0; count < 2 * CONNECTIONS_PER_ADDRESS_MAX; count++)
    assert.equal(await isServed(await open('127.0.0.1')), true);
  const [first] = held;
  first?.destroy();
  // The service notices the closed connection a moment later.
  await until(async () => isServed(await open('127.0.0.2')), 'a further connection is accepted');
  assert.match((await metricsWith({})).text, /sluice_connections_refused_total [1-9]/);
});

test('an open connection keeps no answered request in memory', async () => {
  const { server } = service.service.app;
  const kept: WeakRef<object>[] = [];
  const note = (request: object, response: object): void => {
    kept.push(new WeakRef(request), new WeakRef(response));
  };
  server.on('request', note);
  const socket = await open();
  const key = `X-Api-Key: ${channel.api_key}`;
  const order = JSON.stringify(orderOf([{ sku, quantity: 1, unit_price: 1 }]));
  const json = ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(order)}`];
  for (const text of [
    head('GET /api/v1/inventory', key),
    head('POST /api/v1/orders', key, ...json) + order,
  ]) {
    socket.write(text);
    await once(socket, 'data');
  }
  server.off('request', note);
  assert.equal(kept.length, 4);
  await until(() => {
    collectGarbage();
    return kept.every((one) => one.deref() === undefined);
  }, 'the garbage collection of requests and responses');
  assert.equal(socket.destroyed, false);
});
