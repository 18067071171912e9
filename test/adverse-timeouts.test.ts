// Each configured timeout takes effect, on connections from clients and on connections to the database.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { assertNotNow, lockStockOf, openTransaction, untilReady, untilState } from './kit/adverse.ts';
import { eventually, until } from '../verify/kit/until.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { fixtures, orderOf, type TestChannel } from '../verify/kit/fixtures.ts';
import { startProxy } from '../verify/kit/proxy.ts';
import { startTestService } from '../verify/kit/service.ts';

const database = await createDatabase();
const proxy = await startProxy(database.url);
after(async () => {
  await proxy.close();
  await database.drop();
});
const service = await startTestService({
  database,
  url: proxy.url,
  env: {
    SLUICE_HEADERS_TIMEOUT_MS: '400',
    SLUICE_BODY_TIMEOUT_MS: '1000',
    SLUICE_IDLE_CONNECTION_TIMEOUT_MS: '1500',
    SLUICE_CONNECT_TIMEOUT_MS: '1000',
    SLUICE_STATEMENT_TIMEOUT_MS: '1000',
    SLUICE_LONG_STATEMENT_TIMEOUT_MS: '1500',
    SLUICE_LOCK_TIMEOUT_MS: '1200',
    SLUICE_RETRY_TIMEOUT_MS: '1500',
  },
});
/** Creates the fixtures, which on a slow machine may exceed the short timeouts under test. */
const patient = await startTestService({ database });
const make = fixtures({
  admin: (...request) => patient.admin(...request),
  channel: (key) => service.channel(key),
});

/** Sends bytes, waits until the service closes the connection, and returns its response. */
function untilClosed(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = open();
    let received = '';
    socket.on('data', (chunk) => (received += String(chunk)));
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
    socket.write(bytes);
  });
}

function open(): Socket {
  const { hostname, port } = new URL(service.origin);
  return connect(Number(port), hostname);
}

const HALF_HEADERS = 'POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nX-Api-K';
const halfBody = (key: string): string =>
  `POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nContent-Length: 100\r\n\r\n{"order_number": "`;

/** On a slow machine a lookup may exceed the timeout, so it is repeated. */
const showsTen = (channel: TestChannel, sku: string): Promise<void> =>
  eventually(async () => assert.equal(await make.available(channel, sku), 10));

test('headers or a body that do not arrive in time: 408 as an error response, and the connection is closed', async () => {
  const { api_key } = await make.channel();
  const answers = await Promise.all([untilClosed(HALF_HEADERS), untilClosed(halfBody(api_key))]);
  for (const answer of answers) {
    assert.match(answer, /^HTTP\/1\.1 408 /);
    assert.match(answer, /\r\nsluice-error: request_timeout\r\nX-Request-Id: /);
    assert.match(answer, /\{"error":"The request did not arrive in time\. Please send it again\."\}$/);
  }
});

test('a request that gets its response before its body has arrived does not get a second response', async () => {
  const answer = await untilClosed(halfBody('wrong'));
  assert.match(answer, /^HTTP\/1\.1 401 /);
  assert.equal(answer.match(/HTTP\/1\.1/g)?.length, 1, answer);
});

test('an idle connection is closed, before its first request and after a response', async () => {
  const [unused, used] = await Promise.all([
    untilClosed(''),
    untilClosed('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'),
  ]);
  assert.match(unused, /^(HTTP\/1\.1 408 |$)/);
  assert.match(used, /^HTTP\/1\.1 200 [^]*\{"status":"ok"\}$/);
});

test('the connection of a client that does not read its responses is closed', async () => {
  const { server } = service.service.app;
  const connections = () =>
    new Promise<number>((resolve, reject) => {
      server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
    });
  server.closeIdleConnections();
  await until(async () => (await connections()) === 0, 'no connection is left');
  const accepted = once(server, 'connection');
  const socket = open();
  socket.on('error', () => {});
  socket.pause();
  socket.write('GET /api/v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(500));
  await accepted;
  await until(async () => (await connections()) === 0, 'the connection is closed');
  socket.destroy();
});

test('a request that waits in the service longer than the idle timeout gets its response', async () => {
  const { channel, variant, sku } = await make.setting(10);
  const other = await openTransaction(database.adminUrl, lockStockOf(variant.code));
  const started = performance.now();
  const answer = await channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }]));
  assertNotNow(answer);
  assert.ok(performance.now() - started > 1_500, 'the request did not wait longer than the idle timeout');
  await other.end();
});

test('a slow statement times out with 503, sooner for a channel than for the back office', async () => {
  const { channel, sku } = await make.setting(10);
  const other = await openTransaction(
    database.adminUrl,
    'lock table mapping, product in access exclusive mode',
  );
  const timed = async (work: Promise<Parameters<typeof assertNotNow>[0]>): Promise<number> => {
    const started = performance.now();
    assertNotNow(await work);
    return performance.now() - started;
  };
  assert.ok((await timed(channel.call('GET', `/inventory/${sku}`))) >= 950);
  assert.ok((await timed(service.admin('GET', '/products'))) >= 1_150);
  await other.end();
  await showsTen(channel, sku);
});

test('a database that accepts connections but does not respond: 503 in time, /readyz reports it; recovers by itself', async () => {
  const { channel, sku } = await make.setting(10);
  proxy.freezeAll();
  const state = untilState(service.origin, 'silent', /does not respond/);
  assertNotNow(await channel.call('GET', `/inventory/${sku}`));
  assertNotNow(await channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }])));
  await state;
  proxy.thaw();
  await untilReady(service.origin);
  const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
  await eventually(async () => {
    const answer = await channel.call('POST', '/orders', order);
    assert.ok([200, 201].includes(answer.status), answer.text);
  });
});

test('the listening connection freezes silently: a key rotated by another process is still refused soon', async () => {
  const { channel, sku } = await make.setting(10);
  let { call } = channel;
  const isRefused = async () => (await call('GET', `/inventory/${sku}`)).status === 401;
  // If the listener is reconnecting after the test above, it misses no notification; then the test tries again.
  await until(async () => {
    await showsTen({ ...channel, call }, sku);
    proxy.freeze('sluice-listen');
    const rotated = await patient.admin('POST', `/channels/${channel.id}/rotate-key`);
    assert.equal(rotated.status, 200);
    if (!(await isRefused())) return true;
    call = service.channel(rotated.json.data.api_key);
    return false;
  }, 'a notification is lost');
  await until(isRefused, 'the old key is refused');
});
