// Stopping the service: first out of the load balancer, then no new connections, then the end; and clients that could
// delay it.
import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../verify/kit/until.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { fixtures, orderOf } from '../verify/kit/fixtures.ts';
import { plainRequest } from '../verify/kit/plain-request.ts';
import { onDatabase, spawnService } from '../verify/kit/process.ts';
import { call, openService } from '../verify/kit/service.ts';

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
  const connections = () =>
    new Promise<number>((resolve) => {
      service.service.app.server.getConnections((_error, count) => resolve(count));
    });
  await until(async () => (await connections()) >= halves.length, 'the connections');
  await sleep(100);
  const started = performance.now();
  await service.close();
  const ms = performance.now() - started;
  assert.ok(ms < 12_000, `the stop took ${Math.round(ms)} ms`);
  for (const answer of await Promise.all(closed))
    assert.match(answer, /^HTTP\/1\.1 408 [^]*\r\nsluice-error: request_timeout\r\n/);
});
