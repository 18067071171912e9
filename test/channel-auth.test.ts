// Contract 5: the key is checked before anything else of a request.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertRefused } from './kit/answers.ts';
import { fixtures, must, orderOf } from '../verify/kit/fixtures.ts';
import { until } from '../verify/kit/until.ts';
import { sendRaw } from './kit/raw-http.ts';
import { ADMIN_TOKEN, call, startTestService, type ChannelCall } from '../verify/kit/service.ts';

const service = await startTestService();
const make = fixtures(service);

/** Every operation, also with bodies and paths that a later check would refuse. */
const CALLS: [method: string, path: string, body?: unknown][] = [
  ['GET', '/inventory'],
  ['GET', '/inventory?limit=0'],
  ['GET', '/inventory?changes_since=x'],
  ['POST', '/inventory/lookup'],
  ['GET', '/inventory/NO-SUCH'],
  ['GET', '/inventory/%00'],
  ['GET', '/inventory/%ff'],
  ['GET', '/inventory/%zz'],
  ['POST', '/orders', orderOf([{ sku: 'NO-SUCH', quantity: 1, unit_price: 1 }])],
  ['POST', '/orders', {}],
  ['POST', '/orders', '{'],
  ['POST', '/orders', ''],
  ['POST', '/orders'],
  ['POST', '/orders', `"${'x'.repeat(1_100_000)}"`],
  ['POST', '/orders/NO-SUCH/status', { status: 1 }],
  ['POST', '/orders/NO-SUCH/status', { status: 7 }],
  ['POST', '/orders/NO-SUCH/status', 'rubbish'],
  ['POST', '/orders/%ff/status', { status: 1 }],
];

async function assertShutOut(channel: ChannelCall, text: RegExp): Promise<void> {
  for (const [method, path, body] of CALLS) {
    const answer = await channel(method, path, body);
    assertRefused(answer, 401);
    assert.match(answer.json.error, text, `${method} ${path}`);
  }
}

test('contract 5.4: a request without a key is 401, before any other check', async () => {
  await assertShutOut(service.channel(undefined), /required/i);
});

test('contract 5.4a: an empty or blank key counts as no key', async () => {
  for (const key of ['', '  ']) {
    const answer = await call(`${service.origin}/api/v1/inventory`, 'GET', undefined, { 'x-api-key': key });
    assertRefused(answer, 401, 'required');
  }
});

test('contract 5.5: an unknown key is 401, before any other check', async () => {
  await assertShutOut(service.channel(`sluice_${randomUUID()}`), /not valid|invalid/i);
});

test('contract 5.5: a value that only resembles a valid key is unknown', async () => {
  const { api_key } = await make.channel();
  const keys = [
    api_key.slice(0, -1),
    `${api_key}0`,
    api_key.toUpperCase(),
    api_key.replace('sluice_', ''),
    api_key.replaceAll('-', ''),
    `Bearer ${api_key}`,
    `"${api_key}"`,
    `${api_key},${api_key}`,
    'null',
    '*',
    "' or 1=1 --",
    'x'.repeat(8_000),
  ];
  for (const key of keys) assertRefused(await service.channel(key)('GET', '/inventory'), 401);
  assert.equal((await service.channel(api_key)('GET', '/inventory')).status, 200);
});

test('contract 5.1a: a key is sluice_ followed by a version 4 UUID, and each channel has its own', async () => {
  const keys = new Set<string>();
  for (let turn = 0; turn < 3; turn++) {
    const { api_key } = await make.channel();
    assert.match(api_key, /^sluice_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    keys.add(api_key);
  }
  assert.equal(keys.size, 3);
});

test('contract 5.3: the key of an inactive channel is refused immediately, like an unknown key, and works again after reactivation', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
  await must(channel.call('POST', '/orders', order), 201);
  const unknown = await service.channel(`sluice_${randomUUID()}`)('GET', '/inventory');
  await must(service.admin('PATCH', `/channels/${channel.id}`, { is_active: false }), 200);
  await assertShutOut(channel.call, /not valid|invalid/i);
  assert.equal((await channel.call('GET', '/inventory')).text, unknown.text);
  assertRefused(await channel.call('POST', '/orders', order), 401);
  const report = await channel.call('POST', `/orders/${order.order_number}/status`, { status: 88 });
  assertRefused(report, 401);
  assert.equal((await make.stock(variant)).unshipped, 1);
  await must(service.admin('PATCH', `/channels/${channel.id}`, { is_active: true }), 200);
  assert.equal((await channel.call('POST', '/orders', order)).status, 200);
});

test('a channel that is created inactive cannot authenticate', async () => {
  const channel = await make.channel({ is_active: false });
  assertRefused(await channel.call('GET', '/inventory'), 401);
});

test('key rotation: the old key stops immediately, and the new key gives access to the same data', async () => {
  const { channel, sku } = await make.setting(10);
  const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
  const first = await channel.call('POST', '/orders', order);
  const { api_key } = await must(service.admin('POST', `/channels/${channel.id}/rotate-key`), 200, 201);
  assert.notEqual(api_key, channel.api_key);
  assertRefused(await channel.call('GET', '/inventory'), 401);
  assertRefused(await channel.call('POST', '/orders', order), 401);
  const again = await service.channel(api_key)('POST', '/orders', order);
  assert.deepEqual([again.status, again.text], [200, first.text]);
});

test('a key created by another process works before its announcement arrives; a wrong key and a key of an inactive channel do not', async () => {
  const { id, api_key } = await make.channel();
  assert.equal((await service.channel(api_key)('GET', '/inventory')).status, 200);
  // Changes the channel as another process would, but without an announcement.
  const [fresh, previous, wrong] = [randomUUID(), randomUUID(), randomUUID()];
  const change = (key: string, before: string, isActive: boolean) =>
    service.database.tamper(
      `update channel set is_active = ${isActive}, key_hash = sha256('${key}'), previous_key_hash = sha256('${before}'),
         previous_key_valid_until = now() + interval '1 hour' where id = ${id}`,
    );
  const statuses = async (...keys: string[]) =>
    (await Promise.all(keys.map((key) => service.channel(key)('GET', '/inventory')))).map(
      ({ status }) => status,
    );
  await change(fresh, previous, false);
  assert.deepEqual(await statuses(fresh, previous, wrong), [401, 401, 401]);
  await change(fresh, previous, true);
  assert.deepEqual(await statuses(fresh, previous, wrong), [200, 200, 401]);
  assert.deepEqual(await statuses(api_key), [401]);
});

test('contract 5.2: the key determines the channel: each channel sees only its own data', async () => {
  const a = await make.setting(1);
  const b = await make.setting(2);
  for (const { channel, sku } of [a, b]) {
    const { json } = await channel.call('GET', '/inventory');
    assert.deepEqual(
      json.data.map((row: { sku: string }) => row.sku),
      [sku],
    );
  }
});

test('the header name is case-insensitive, and spaces around the key are ignored', async () => {
  const { api_key } = await make.channel();
  for (const header of [`X-Api-Key: ${api_key}`, `X-API-KEY: ${api_key}`, `x-api-key:   ${api_key}  `]) {
    const answer = await sendRaw(
      service.origin,
      `GET /api/v1/inventory HTTP/1.1\r\nHost: sluice\r\n${header}\r\n\r\n`,
    );
    assert.equal(answer?.status, 200, header);
  }
});

test('a request with two keys is refused', async () => {
  const [a, b] = [await make.channel(), await make.channel()];
  for (const [first, second] of [
    [a.api_key, b.api_key],
    [a.api_key, a.api_key],
    [a.api_key, ''],
    ['', a.api_key],
  ]) {
    const answer = await sendRaw(
      service.origin,
      `GET /api/v1/inventory HTTP/1.1\r\nHost: sluice\r\nX-Api-Key: ${first}\r\nX-Api-Key: ${second}\r\n\r\n`,
    );
    assert.ok(answer);
    assertRefused(answer, 401);
  }
});

test('a key is accepted only in its header, not in the query, a cookie or Authorization', async () => {
  const { api_key } = await make.channel();
  const at = (path: string, headers: Record<string, string> = {}) =>
    call(`${service.origin}/api/v1${path}`, 'GET', undefined, headers);
  assertRefused(await at(`/inventory?X-Api-Key=${api_key}&api_key=${api_key}`), 401);
  assertRefused(await at('/inventory', { authorization: `Bearer ${api_key}` }), 401);
  assertRefused(await at('/inventory', { cookie: `x-api-key=${api_key}` }), 401);
});

test('a 401 does not repeat the key that was sent', async () => {
  const key = `sluice_${randomUUID()}`;
  const { text, headers } = await service.channel(key)('GET', '/inventory');
  assert.ok(!text.includes(key) && ![...headers.values()].join().includes(key));
});

test('the admin API refuses channel keys, and the channel API refuses admin tokens', async () => {
  const { api_key } = await make.channel();
  assert.equal((await service.admin('GET', '/channels', undefined, api_key)).status, 401);
  assertRefused(await service.channel(ADMIN_TOKEN)('GET', '/inventory'), 401);
});

test('allowed_addresses: from any other address a key is answered like an unknown key, immediately and in every process', async () => {
  const [{ id, api_key }, cached] = [await make.channel(), await make.channel()];
  const other = await startTestService({ database: service.database });
  const from = (origin: string, key: string, address: string) =>
    call(`${origin}/api/v1/inventory`, 'GET', undefined, { 'x-api-key': key, 'x-forwarded-for': address });
  const allow = (allowed_addresses: string[]) =>
    must(service.admin('PATCH', `/channels/${id}`, { allowed_addresses }), 200);
  assert.equal((await from(service.origin, api_key, '203.0.113.7')).status, 200);

  await allow(['203.0.113.0/24', '2001:db8::1']);
  for (const inside of ['203.0.113.7', '2001:db8::1', '::ffff:203.0.113.9', '10.0.0.1, 203.0.113.7'])
    assert.equal((await from(service.origin, api_key, inside)).status, 200, inside);
  assert.equal((await cached.call('GET', '/inventory')).status, 200);
  const unknown = await from(service.origin, `sluice_${randomUUID()}`, '198.51.100.1');
  for (const outside of ['203.0.114.1', '2001:db8::2', '203.0.113.7, 10.0.0.1']) {
    const answer = await from(service.origin, api_key, outside);
    assert.deepEqual([answer.status, answer.text], [unknown.status, unknown.text], outside);
    assert.equal(answer.headers.get('sluice-error'), unknown.headers.get('sluice-error'));
  }
  assert.ok(
    service.service.services.directory.known(cached.api_key),
    'the directory keeps other cached keys',
  );
  // The connection itself comes from 127.0.0.1, which is not on the list.
  assertRefused(await service.channel(api_key)('POST', '/orders', {}), 401);
  await until(async () => (await from(other.origin, api_key, '198.51.100.1')).status === 401);

  await allow([]);
  assert.equal((await from(service.origin, api_key, '198.51.100.1')).status, 200);
});
