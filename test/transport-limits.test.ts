// What strangers and greedy channels may take: bodies of open routes, the budget for large bodies.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseJsonBody } from '../src/http/json-body.ts';
import { fixtures, orderOf, type TestChannel } from './kit/fixtures.ts';
import { sendRaw } from './kit/raw-http.ts';
import { call, startTestService } from './kit/service.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const OPEN_BODY_BYTES_MAX = 8 * KIB;

const service = await startTestService();
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

test('without credentials no route reads more than 8 KiB of a body: judged by its length, before a byte of it', async () => {
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

test('a body of an open route without a length is refused as soon as it is too long', async () => {
  const chunk = `${(OPEN_BODY_BYTES_MAX + 1).toString(16)}\r\n{"email":"${'x'.repeat(OPEN_BODY_BYTES_MAX - 9)}\r\n`;
  const answer = await sendRaw(origin, [
    head('POST /admin/v1/session', 'Transfer-Encoding: chunked'),
    chunk,
    // One more, unfinished.
    '5\r\n',
  ]);
  assert.equal(answer?.status, 422);
  assert.deepEqual(answer.json.errors, { body: ['The body must be at most 8 KiB.'] });
  const fitting = JSON.stringify({ email: 'a@b', password: 'x', more: 'y'.repeat(8_000) });
  assert.equal((await call(`${origin}/admin/v1/session`, 'POST', fitting)).status, 401);
});

test('8 KiB of awkward JSON cost less than 5 ms of CPU', () => {
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
        // Not every one is JSON; its cost counts all the same.
      }
    }
  }
  const { user, system } = process.cpuUsage(before);
  const ms = (user + system) / 1_000 / rounds / bodies.length;
  assert.ok(ms < 5, `${ms} ms a body`);
});

/** Bodies that never end; `key` undefined: of a stranger. */
async function holdBodies(count: number, bytes: number, path: string, key?: string): Promise<void> {
  const text = head(
    `POST ${path}`,
    `Content-Length: ${bytes}`,
    ...(key === undefined ? [] : [`X-Api-Key: ${key}`]),
  );
  await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(Number(new URL(origin).port), '127.0.0.1');
      sockets.add(socket);
      socket.on('error', () => {});
      await once(socket, 'connect');
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

test('unfinished bodies of strangers take nothing of the budget for large bodies', async () => {
  for (const path of ['/admin/v1/session', '/api/v1/orders']) {
    await holdBodies(63, MIB, path);
    await holdBodies(70, 20_000, path);
    assert.equal(heldBytes(), 0);
    await takesLargeOrder(channel, sku);
    for (const socket of sockets) socket.destroy();
  }
});

test('unfinished bodies of one channel leave room for the others', async () => {
  await holdBodies(63, MIB, '/api/v1/orders', other.api_key);
  await holdBodies(70, 20_000, '/api/v1/orders', other.api_key);
  for (let waited = 0; heldBytes() < 32 * MIB && waited < 10_000; waited += 10) await sleep(10);
  for (let before = 0; heldBytes() > before; await sleep(100)) before = heldBytes();
  assert.ok(heldBytes() > 32 * MIB, `${heldBytes()} bytes are held`);
  await takesLargeOrder(channel, sku);
});

test('reads of the channel API may be kept by the reader alone, and are asked for again', async () => {
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
