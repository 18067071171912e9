// Stopping the service: first out of the load balancer, then no new connections, then the end; and clients that could
// delay it.
import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../src/platform/embedded-postgres/process.ts';
import { ADMIN_TOKEN } from '../verify/kit/canaries.ts';
import { copyCluster } from '../verify/kit/cluster.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { fixtures, must, orderOf } from '../verify/kit/fixtures.ts';
import { LONG_ONLY } from '../verify/kit/long.ts';
import { plainRequest } from '../verify/kit/plain-request.ts';
import {
  onDatabase,
  spawnService,
  startService,
  temporaryDirectory,
  type ServiceProcess,
} from '../verify/kit/process.ts';
import { startProxy, type Proxy } from '../verify/kit/proxy.ts';
import { startReceiver } from '../verify/kit/receiver.ts';
import { call, openService } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';

type Setting = Awaited<ReturnType<ReturnType<typeof fixtures>['setting']>>;

const database = await createDatabase();
after(() => database.drop());

interface Answer {
  status: number;
  closes: boolean;
}

/** A client with keep-alive connections, like a load balancer. Rejects when a connection breaks. */
function client(origin: string) {
  const agent = new Agent({ keepAlive: true });
  const send = async (method: string, path: string, key?: string, body?: unknown): Promise<Answer> => {
    const headers = {
      ...(key && { 'x-api-key': key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const chunks = body === undefined ? [] : [JSON.stringify(body)];
    const answer = await plainRequest(`${origin}${path}`, { method, agent, headers }, chunks);
    return { status: answer.status, closes: answer.headers.connection === 'close' };
  };
  return { send, close: () => agent.destroy() };
}

test('SIGTERM: /readyz turns 503 while requests are still served, with Connection: close; then the service ends, and no request is lost', async () => {
  const service = await spawnService({
    ...onDatabase(database.url),
    SLUICE_DRAIN_MS: '4000',
  });
  after(() => service.stop());
  assert.equal(await service.ready(), true, service.output());
  const { channel, sku } = await fixtures({
    admin: (method, path, body) => service.admin(method, path, body),
    channel: (key) => (method, path, body) =>
      call(`${service.origin}/api/v1${path}`, method, body, { 'x-api-key': key ?? '' }),
  }).setting(1_000_000);
  const { api_key } = channel;
  const balancer = client(service.origin);
  const ready = async (): Promise<boolean> => (await balancer.send('GET', '/readyz')).status === 200;

  let isInBalancer = true;
  after(() => void (isInBalancer = false));
  const answers: Answer[] = [];
  const senders = Array.from({ length: 8 }, async () => {
    while (isInBalancer) {
      const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
      answers.push(await balancer.send('POST', '/api/v1/orders', api_key, order));
      await sleep(5);
    }
  });
  const idle = client(service.origin);
  assert.equal((await idle.send('GET', '/readyz')).status, 200);
  await until(() => answers.length > 20, 'accepted orders');
  assert.ok(answers.every(({ closes }) => !closes));

  service.signal('SIGTERM');
  await until(async () => !(await ready()), '/readyz turns 503');
  const seen = answers.length;
  await until(() => answers.length > seen + 20, 'accepted orders during the drain');
  const learning = await idle.send('GET', `/api/v1/inventory/${sku}`, api_key);
  assert.deepEqual(
    learning,
    { status: 200, closes: true },
    'an idle connection is served, with Connection: close',
  );
  isInBalancer = false;
  await Promise.all(senders);
  assert.ok(answers.every(({ status }) => status === 201));
  assert.ok(
    answers.slice(seen + 8).every(({ closes }) => closes),
    'every answer during the drain has Connection: close',
  );
  assert.deepEqual(await service.ended, { code: 0, signal: null }, service.output());
  for (const one of [balancer, idle]) one.close();
});

test('incomplete headers and bodies delay a stop by at most 2 seconds, and get 408', async () => {
  const service = await openService({ database });
  const { api_key } = await fixtures(service).channel();
  const halves = [
    'POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nX-Api-K',
    `POST /api/v1/orders HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${api_key}\r\nContent-Length: 100\r\n\r\n{"order_number": "`,
    'POST /admin/v1/session HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"email": "',
  ];
  const { hostname, port } = new URL(service.origin);
  const theirs: Socket[] = [];
  service.service.app.server.on('connection', (socket: Socket) => theirs.push(socket));
  const closed = halves.map(
    (bytes) =>
      new Promise<string>((resolve) => {
        let received = '';
        const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
        socket.on('data', (chunk) => (received += String(chunk)));
        socket.on('error', () => {});
        // The client does not close its side of the connection, which is the worst case.
        socket.on('end', () => resolve(received));
        socket.on('close', () => resolve(received));
        after(() => socket.destroy());
        socket.write(bytes);
      }),
  );
  const bytes = halves.reduce((sum, half) => sum + half.length, 0);
  const read = () => theirs.reduce((sum, socket) => sum + socket.bytesRead, 0);
  await until(() => read() === bytes, 'the service has read what was sent');
  const started = performance.now();
  await service.close();
  const ms = performance.now() - started;
  assert.ok(ms < 12_000, `the stop took ${Math.round(ms)} ms`);
  for (const answer of await Promise.all(closed))
    assert.match(answer, /^HTTP\/1\.1 408 [^]*\r\nsluice-error: request_timeout\r\n/);
});

/** Reads and changes of every kind, each of which needs the database and may be answered or not. */
async function keepBusy(service: ServiceProcess, { channel, sku, variant }: Setting) {
  const auth = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const begun = await channel.call('GET', '/inventory?limit=10');
  const token = String(begun.json.changes_since);
  const feed = await channel.call('GET', '/orders?changes_since=');
  const csv = `variant_code,quantity\n${variant.code},999\n`;
  return () => [
    channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }])),
    channel.call('GET', '/inventory'),
    channel.call('GET', `/inventory/${sku}`),
    channel.call('GET', `/inventory?changes_since=${token}&wait=20`),
    channel.call('GET', `/orders?changes_since=${feed.json.changes_since}&wait=20`),
    service.admin('POST', '/stock/import', { csv, reason: 'count' }),
    call(`${service.origin}/admin/v1/orders/export?format=csv`, 'GET', undefined, auth),
    service.admin('POST', '/reconcile'),
    service.admin('POST', '/session', { email: 'nobody@example.com', password: 'not a password' }),
  ];
}

const FAULTS: Record<string, (proxy: Proxy) => void> = {
  gone: (proxy) => proxy.cut(),
  frozen: (proxy) => proxy.freezeAll(),
  slow: (proxy) => proxy.slowDown(1_500),
};

/** Stops a service in the middle of everything while its database has this fault; the seconds that it took. */
async function stopDuring(fault: string, env: Record<string, string>): Promise<number> {
  const own = await createDatabase();
  after(() => own.drop());
  const proxy = await startProxy(own.url);
  after(() => proxy.close());
  // Accepts webhooks and never answers them.
  const receiver = await startReceiver(() => undefined);
  after(() => receiver.close());
  const service = await startService({
    ...onDatabase(proxy.url),
    SLUICE_ALLOW_PRIVATE_CHANNEL_URLS: '1',
    ...env,
  });
  after(() => service.stop());
  const make = fixtures(service);
  const setting = await make.setting(1_000_000);
  const order = orderOf([{ sku: setting.sku, quantity: 1, unit_price: 1 }]);
  await must(service.admin('POST', '/webhooks', { url: receiver.url, events: ['order.accepted'] }), 201);
  await must(setting.channel.call('POST', '/orders', order), 201);
  const requests = await keepBusy(service, setting);
  await until(() => receiver.received.length > 0, 'a webhook that is not answered');
  const before = requests();
  FAULTS[fault]?.(proxy);
  const answers = [...before, ...requests()].map((answer) => answer.catch(() => null));
  const began = performance.now();
  service.signal('SIGTERM');
  assert.deepEqual(await service.ended, { code: 0, signal: null }, `${fault}: ${service.output()}`);
  const seconds = (performance.now() - began) / 1_000;
  const statuses = (await Promise.all(answers)).map((answer) => answer?.status ?? 0);
  // Every request that got an answer got one of the service, and none was a bug.
  assert.deepEqual(
    statuses.filter((status) => status === 500),
    [],
    service.output(),
  );
  return seconds;
}

const SHORT = {
  SLUICE_STATEMENT_TIMEOUT_MS: '1000',
  SLUICE_LONG_STATEMENT_TIMEOUT_MS: '2000',
  SLUICE_RETRY_TIMEOUT_MS: '1000',
  SLUICE_CONNECT_TIMEOUT_MS: '1000',
  SLUICE_WORKERS: '1',
};

test('a stop ends in time and with status 0 while the database is frozen, in the middle of requests, jobs and webhooks', async () => {
  const seconds = await stopDuring('frozen', SHORT);
  assert.ok(seconds < 25, `the stop took ${seconds} s`);
});

test(
  'the same while it is gone, frozen or slow, with the usual timeouts, in one process and with two workers',
  LONG_ONLY,
  async (t) => {
    const cases = Object.keys(FAULTS).flatMap((fault) => ['1', '2'].map((workers) => ({ fault, workers })));
    const took = await Promise.all(
      cases.map(({ fault, workers }) => stopDuring(fault, { SLUICE_WORKERS: workers })),
    );
    for (const [index, { fault, workers }] of cases.entries())
      t.diagnostic(`${fault}, ${workers} workers: ${took[index]?.toFixed(1)} s`);
    assert.ok(Math.max(...took) < 40, `the stops took ${took.join(', ')} s`);
  },
);

test('a stop during a start that waits for its database ends with status 0', async () => {
  const own = await createDatabase();
  after(() => own.drop());
  const proxy = await startProxy(own.url);
  after(() => proxy.close());
  proxy.freezeAll();
  for (const SLUICE_WORKERS of ['1', '2']) {
    const service = await spawnService({ ...onDatabase(proxy.url), SLUICE_WORKERS });
    after(() => service.stop());
    await until(() => proxy.connections() > 0, 'the service connects');
    service.signal('SIGTERM');
    assert.deepEqual(await service.ended, { code: 0, signal: null }, service.output());
    await until(() => proxy.connections() === 0, 'its connections are closed');
  }
});

test(
  'a stop ends with status 0 while the embedded database is frozen, before and after it is ready',
  LONG_ONLY,
  async () => {
    for (const isReady of [false, true]) {
      const directory = await temporaryDirectory();
      after(() => directory.remove());
      await copyCluster(directory.path);
      const service = await spawnService({ SLUICE_DATA_DIR: directory.path, SLUICE_WORKERS: '1' });
      after(() => service.stop());
      if (isReady) await service.mustBeReady();
      const file = join(directory.path, 'postgres', 'postmaster.pid');
      const pidOf = async () => Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0]);
      await until(async () => (await pidOf()) > 0, 'the database server');
      const pid = await pidOf();
      process.kill(pid, 'SIGSTOP');
      const began = performance.now();
      service.signal('SIGTERM');
      assert.deepEqual(await service.ended, { code: 0, signal: null }, service.output());
      const seconds = (performance.now() - began) / 1_000;
      assert.ok(seconds < 80, `the stop took ${seconds} s`);
      assert.equal(isAlive(pid), false, 'the database server has ended');
    }
  },
);
