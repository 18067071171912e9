// Two workers behind one port: started, killed, restarted one by one and stopped as a service that answers like one process.
import assert from 'node:assert/strict';
import { Agent, request, type IncomingMessage } from 'node:http';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../src/store/embedded/process.ts';
import { query } from '../verify/kit/connection.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { fixtures, must, orderOf, type TestChannel } from '../verify/kit/fixtures.ts';
import { spawnService, type ServiceProcess } from '../verify/kit/process.ts';
import { ADMIN_TOKEN, TEST_SECRET, type HttpAnswer } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';

const database = await createDatabase();
const env = {
  DATABASE_URL: database.url,
  SLUICE_SECRET: TEST_SECRET,
  SLUICE_ADMIN_TOKEN: ADMIN_TOKEN,
  SLUICE_WORKERS: '2',
};
let service: ServiceProcess;
let shop: { channel: TestChannel; sku: string };

/** Not asked by fetch(), which keeps connections: a restart waits until idle ones are closed. */
async function start(): Promise<void> {
  service = await spawnService(env);
  await service.printed('Sluice is ready.');
}

before(async () => {
  await start();
  shop = await make.setting(1_000_000);
});
after(async () => {
  await service.stop();
  await database.drop();
});

/** What the supervisor has logged with these words, last. */
const logged = (message: string): { workers: number[]; worker: number } | undefined =>
  service
    .output()
    .split('\n')
    .filter((line) => line.includes(`"msg":"${message}"`))
    .map((line) => JSON.parse(line) as { workers: number[]; worker: number })
    .at(-1);

interface Sent {
  key?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
  /** None: a connection of its own, which is the next worker's. */
  agent?: Agent;
}

/** Rejects when the connection breaks. */
async function send(
  method: string,
  path: string,
  { key, body, headers, agent }: Sent = {},
): Promise<HttpAnswer> {
  const answered = Promise.withResolvers<IncomingMessage>();
  const sending = request(
    `${service.origin}${path}`,
    {
      method,
      agent: agent ?? false,
      headers: {
        ...(key === undefined ? {} : { 'x-api-key': key }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
    },
    answered.resolve,
  );
  sending.on('error', answered.reject);
  sending.end(body === undefined ? undefined : JSON.stringify(body));
  const answer = await answered.promise;
  const text = Buffer.concat(await answer.toArray()).toString();
  const json = text.startsWith('{') ? JSON.parse(text) : undefined;
  const got = new Headers(Object.entries(answer.headers).map(([name, value]) => [name, String(value)]));
  return { status: answer.statusCode ?? 0, text, json, headers: got };
}

const admin = (method: string, path: string, body?: unknown): Promise<HttpAnswer> =>
  send(method, `/admin/v1${path}`, { body, headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });

const make = fixtures({
  admin,
  channel: (key) => (method, path, body) => send(method, `/api/v1${path}`, { key, body }),
});

/** Clients that send orders over connections that they keep, until they are stopped. */
function load() {
  const { channel, sku } = shop;
  const acknowledged: string[] = [];
  const failures: string[] = [];
  let isOn = true;
  const clients = Array.from({ length: 8 }, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (isOn) {
      const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
      const sent = { key: channel.api_key, body: order, agent };
      const answer = await send('POST', '/api/v1/orders', sent).catch((error: Error) => error.message);
      if (typeof answer === 'string') {
        failures.push(answer);
        await sleep(20);
      } else if (answer.status === 201) acknowledged.push(order.order_number);
      else failures.push(`${answer.status} ${answer.text}`);
    }
    agent.destroy();
  });
  const goesOn = async (count = 100): Promise<void> => {
    const enough = acknowledged.length + count;
    await until(() => acknowledged.length >= enough, 'orders are acknowledged');
  };
  const stop = async (): Promise<void> => {
    isOn = false;
    await Promise.all(clients);
  };
  return { acknowledged, failures, goesOn, stop };
}

async function assertAllThere(acknowledged: readonly string[]): Promise<void> {
  const found = await query<{ count: number }>(
    database.url,
    'select count(*)::int as count from orders where order_number = any($1)',
    [acknowledged],
  );
  assert.equal(found[0]?.count, acknowledged.length, 'an acknowledged order is missing');
  const reconciled = await admin('GET', '/reconcile');
  assert.equal(reconciled.json.data.ok, true, reconciled.text);
}

test('two workers share the port, and a message is printed once', async () => {
  const pids = logged('the workers serve')?.workers ?? [];
  assert.equal(new Set(pids).size, 2);
  assert.ok(pids.every((pid) => pid !== service.pid && isAlive(pid)));
  assert.equal(service.output().split('Sluice is ready.').length, 2);
  assert.equal((await send('GET', '/healthz')).status, 200);
});

/** Each over a connection of its own: both workers answer. */
const statuses = async (count: number, key: string): Promise<number[]> => {
  const found: number[] = [];
  while (found.length < count) found.push((await send('GET', '/api/v1/inventory', { key })).status);
  return found;
};

test('a new channel is known to both workers at once, and so is the end of its key', async () => {
  const { id, api_key } = await make.channel();
  assert.deepEqual(await statuses(4, api_key), [200, 200, 200, 200]);
  const rotated = await must(admin('POST', `/channels/${id}/rotate-key`), 200);
  assert.deepEqual(await statuses(4, api_key), [401, 401, 401, 401]);
  assert.deepEqual(await statuses(4, rotated.api_key), [200, 200, 200, 200]);
});

test('kill -9 of a worker under load: the other goes on, it is replaced, and no acknowledged order is missing', async () => {
  const orders = load();
  await orders.goesOn();
  const [victim = 0] = logged('the workers serve')?.workers ?? [];
  process.kill(victim, 'SIGKILL');
  await until(() => logged('a worker was replaced') !== undefined, 'the worker is replaced');
  await orders.goesOn();
  await orders.stop();
  assert.equal(logged('a worker ended unexpectedly; it is replaced')?.worker, victim);
  assert.notEqual(logged('a worker was replaced')?.worker, victim);
  await assertAllThere(orders.acknowledged);
});

test('SIGHUP under load: every worker is replaced, and not one request fails', async () => {
  const orders = load();
  await orders.goesOn();
  const idle = new Agent({ keepAlive: true });
  assert.equal((await send('GET', '/healthz', { agent: idle })).status, 200);
  process.kill(service.pid, 'SIGHUP');
  await service.printed('restarting the workers one by one');
  // It is used again while the first worker stops, or is served by a new one.
  assert.equal((await send('GET', '/healthz', { agent: idle })).status, 200);
  idle.destroy();
  await until(() => logged('all workers were restarted') !== undefined, 'the workers are restarted');
  await orders.goesOn();
  await orders.stop();
  assert.deepEqual(orders.failures, []);
  const pids = logged('all workers were restarted')?.workers ?? [];
  const earlier = [...(logged('the workers serve')?.workers ?? []), logged('a worker was replaced')?.worker];
  assert.equal(pids.length, 2);
  assert.ok(pids.every((pid) => !earlier.includes(pid)));
  await assertAllThere(orders.acknowledged);
});

test('SIGTERM to the whole group: all workers finish their requests and end; SIGKILL of the supervisor ends them too', async () => {
  const pids = logged('all workers were restarted')?.workers ?? [];
  const orders = load();
  await orders.goesOn();
  service.signal('SIGTERM');
  assert.deepEqual(await service.ended, { code: 0, signal: null }, service.output());
  await orders.stop();
  assert.ok(!pids.some(isAlive));
  await start();
  await assertAllThere(orders.acknowledged);
  const again = logged('the workers serve')?.workers ?? [];
  process.kill(service.pid, 'SIGKILL');
  await service.ended;
  await until(() => !again.some(isAlive), 'the workers end with their supervisor');
});
