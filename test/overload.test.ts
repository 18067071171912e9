// Overload: requests beyond the queue limit are refused early, queued ones are served.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as openSocket, type Socket } from 'node:net';
import { test } from 'node:test';
import type { Command } from '../src/core/rules/commands.ts';
import { connect } from '../verify/kit/connection.ts';
import { fixtures, orderOf } from '../verify/kit/fixtures.ts';
import { openService, PATIENT, startTestService } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';

// The gate waits long enough for a slow machine to send as many orders as fill its queue.
const service = await startTestService({ env: PATIENT });
const make = fixtures(service);

/** Reports of the back office for an order that does not exist. */
const report = (order_id: number): Command => ({
  kind: 'report',
  target: { order_id },
  status: 2,
  tracking_number: null,
  courier_code: null,
  reason: null,
  source: 'back_office',
  actor: 'test',
  request_id: null,
});

test('orders over the queue limit get 503 with Retry-After immediately; queued orders are accepted, and reads continue', async (t) => {
  const { channel, variant, sku } = await make.setting(10_000);
  const other = await make.channel();
  await make.map(other, variant, 'OTHER');
  assert.equal(await make.available(other, 'OTHER'), 10_000);
  // Makes the service read the key. Otherwise all orders wait for that first, and reach the gate in one burst.
  assert.equal(await make.available(channel, sku), 10_000);
  const client = await connect(service.database.url);
  t.after(() => client.end());
  await client.query('begin');
  // Locks the table instead of a row: commands on held rows may use only half of the queue.
  await client.query('lock table stock in exclusive mode');
  const { gate } = service.service.services;
  const send = () => channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }]));
  const waiting: ReturnType<typeof send>[] = [];
  // In waves: if this process accepts slowly, the system resets connections over its listen backlog.
  const isFull = () => gate.isFullFor(channel.id);
  while (!isFull()) {
    waiting.push(...Array.from({ length: 100 }, send));
    await until(() => isFull() || gate.waiting >= waiting.length - 256, 'the wave has arrived');
  }
  waiting.push(...Array.from({ length: 50 }, send));
  const refused = await send();
  assert.equal(refused.status, 503);
  assert.deepEqual(Object.keys(refused.json), ['error']);
  assert.ok(Number(refused.headers.get('retry-after')) >= 1);
  assert.match(refused.headers.get('content-type') ?? '', /^application\/json/);
  assert.ok(refused.headers.get('x-request-id'));
  assert.equal(refused.headers.get('sluice-error'), 'overloaded');
  const order = orderOf([{ sku: 'OTHER', quantity: 1, unit_price: 1 }]);
  const ofOther = other.call('POST', '/orders', order);
  await until(() => gate.waitingOf(other.id) === 1, 'there is room for an order of another channel');
  assert.equal((await service.channel('wrong')('POST', '/orders', {})).status, 401);
  const reports: Promise<unknown>[] = [];
  while (!gate.isFull) reports.push(gate.submit(report(2_000_000_000)));
  for (const key of [undefined, 'wrong'])
    assert.equal(
      (await service.channel(key)('POST', '/orders', {})).status,
      503,
      'before the key is checked',
    );
  assert.equal(await make.available(channel, sku), 10_000);
  await client.query('rollback');

  assert.equal((await ofOther).status, 201);
  await Promise.all(reports);
  const statuses = (await Promise.all(waiting)).map(({ status }) => status);
  const taken = statuses.filter((status) => status === 201).length;
  assert.ok(taken >= (2 / 3) * gate.capacity - 1, `${taken} accepted`);
  assert.deepEqual(new Set(statuses), new Set([201, 503]));
  assert.equal((await make.stock(variant)).unshipped, taken + 1);
  const metrics = await (await fetch(`${service.origin}/metrics`)).text();
  assert.match(metrics, new RegExp(`sluice_shed_total ${waiting.length - taken + 3}`));
});

test('connections over the limit are closed immediately, open ones are served', async () => {
  const { server } = service.service.app;
  const { connections } = service.service.services.config.limits;
  assert.equal(server.maxConnections, connections);
  const { port } = new URL(service.origin);
  const open = async (): Promise<Socket> => {
    const socket = openSocket(Number(port), '127.0.0.1');
    socket.on('error', () => {});
    await once(socket, 'connect');
    return socket;
  };
  const first = await open();
  first.write('GET /healthz HTTP/1.1\r\nHost: s\r\n\r\n');
  await once(first, 'data');
  server.maxConnections = await new Promise<number>((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
  try {
    const beyond = await open();
    await once(beyond, 'close');
    first.write('GET /healthz HTTP/1.1\r\nHost: s\r\n\r\n');
    const [answer] = (await once(first, 'data')) as [Buffer];
    assert.match(answer.toString(), /^HTTP\/1\.1 200 /);
  } finally {
    server.maxConnections = connections;
    first.destroy();
  }
});

test('a stop does not wait for connections that never sent a request', async () => {
  const stopping = await openService({ database: service.database });
  const accepted = once(stopping.service.app.server, 'connection');
  const unused = openSocket(Number(new URL(stopping.origin).port), '127.0.0.1');
  const closed = once(unused, 'close');
  await accepted;
  const started = performance.now();
  await stopping.close();
  await closed;
  const { idle_connection_ms } = stopping.service.services.config.timeouts;
  assert.ok(performance.now() - started < idle_connection_ms / 2, 'the stop waited for the idle timeout');
});
