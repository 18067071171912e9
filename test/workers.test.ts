// Two workers behind one port answer like one process: when they start, are killed, are restarted one by one and stop.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isAlive } from '../src/platform/embedded-postgres/process.ts';
import { query } from '../verify/kit/connection.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { fixtures, must, orderOf, type TestChannel } from '../verify/kit/fixtures.ts';
import { plainRequest } from '../verify/kit/plain-request.ts';
import { freePort } from '../verify/kit/ports.ts';
import { spawnService, temporaryDirectory, type ServiceProcess } from '../verify/kit/process.ts';
import { workersOf } from '../verify/drill/service.ts';
import { ADMIN_TOKEN, headersOf, PATIENT, TEST_SECRET, type HttpAnswer } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';
import * as races from './kit/races.ts';

const database = await createDatabase();
const env = {
  ...PATIENT,
  DATABASE_URL: database.url,
  SLUICE_SECRET: TEST_SECRET,
  SLUICE_ADMIN_TOKEN: ADMIN_TOKEN,
  SLUICE_WORKERS: '2',
  SLUICE_INTERNAL_PORT: String(await freePort()),
  SLUICE_WRONG_CREDENTIALS_PER_MINUTE_MAX: '10',
  // Nothing listens there: every sign-in at the provider fails.
  SLUICE_PUBLIC_URL: 'http://localhost',
  SLUICE_OIDC_ISSUER: `http://127.0.0.1:${await freePort()}`,
  SLUICE_OIDC_CLIENT_ID: 'sluice',
  SLUICE_OIDC_CLIENT_SECRET: 'a secret of the client',
  SLUICE_OIDC_ROLES: 'viewer=staff',
};
let service: ServiceProcess;
let shop: { channel: TestChannel; sku: string };

/** Does not use fetch(), which keeps connections open: a restart waits until idle connections are closed. */
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

/** The last log line of the supervisor with this message. */
const logged = (message: string): { workers: number[]; worker: number } | undefined =>
  service
    .output()
    .split('\n')
    .filter((line) => line.includes(`"msg":"${message}"`) && line.endsWith('}'))
    .map((line) => JSON.parse(line) as { workers: number[]; worker: number })
    .at(-1);

/** How often the message was logged. */
const timesLogged = (message: string): number => service.output().split(`"msg":"${message}"`).length - 1;

interface Sent {
  key?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
  /** Without an agent the request gets a new connection, which the next worker serves. */
  agent?: Agent;
  origin?: string;
}

/** Rejects when the connection breaks. */
async function send(method: string, path: string, sent: Sent = {}): Promise<HttpAnswer> {
  const { key, body, headers, agent, origin = service.origin } = sent;
  const answer = await plainRequest(
    `${origin}${path}`,
    {
      method,
      agent: agent ?? false,
      headers: {
        ...(key === undefined ? {} : { 'x-api-key': key }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
    },
    body === undefined ? [] : [JSON.stringify(body)],
  );
  const text = answer.body.toString();
  const json = text.startsWith('{') ? JSON.parse(text) : undefined;
  return { status: answer.status, text, json, headers: headersOf(answer.headers) };
}

const admin = (method: string, path: string, body?: unknown): Promise<HttpAnswer> =>
  send(method, `/admin/v1${path}`, { body, headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });

const make = fixtures({
  admin,
  channel: (key) => (method, path, body) => send(method, `/api/v1${path}`, { key, body }),
});

/** The metrics of the internal port, by name and labels. */
async function metrics(): Promise<Map<string, number>> {
  const origin = `http://127.0.0.1:${env.SLUICE_INTERNAL_PORT}`;
  const { status, text } = await send('GET', '/metrics', { origin });
  assert.equal(status, 200, text);
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const values = lines.map((line): [string, number] => {
    const [, name = '', value] = /^(.*) (\S+)$/.exec(line) ?? [];
    return [name, Number(value)];
  });
  const helps = text.split('\n').filter((line) => line.startsWith('# HELP'));
  assert.equal(new Set(helps).size, helps.length, 'a metric appears twice');
  assert.equal(new Map(values).size, values.length, 'a value appears twice');
  return new Map(values);
}

/** Clients that send orders over keep-alive connections, until they are stopped or the tests end. */
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
      // A light load, because it runs during the whole start of the workers.
      await sleep(5);
    }
    agent.destroy();
  });
  const goesOn = async (count = 100): Promise<void> => {
    const enough = acknowledged.length + count;
    await until(() => acknowledged.length >= enough, 'acknowledged orders');
  };
  const stop = async (): Promise<void> => {
    isOn = false;
    await Promise.all(clients);
  };
  after(stop);
  return { acknowledged, failures, goesOn, stop };
}

/** A connection that was used once. */
async function idleConnection(): Promise<{ ask: () => Promise<string>; close: () => void }> {
  const socket = connect(service.port, '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => (received += String(chunk)));
  socket.on('error', (error) => (received += error.message));
  const ask = async (): Promise<string> => {
    received = '';
    socket.write('GET /healthz HTTP/1.1\r\nHost: sluice\r\n\r\n');
    await until(() => received.includes('"ok"') || socket.closed, 'the answer');
    return received;
  };
  await ask();
  return { ask, close: () => socket.destroy() };
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

test('two workers share the port, and the ready message is printed once', async () => {
  const pids = logged('the workers are ready')?.workers ?? [];
  assert.equal(new Set(pids).size, 2);
  assert.ok(pids.every((pid) => pid !== service.pid && isAlive(pid)));
  assert.equal(service.output().split('Sluice is ready.').length, 2);
  assert.equal((await send('GET', '/healthz')).status, 200);
});

/** How many lists the service has sent since its start. */
let lists = 0;

test('failed sign-ins at the provider are counted across both workers', async () => {
  const answers: number[] = [];
  // Otherwise each worker would answer 302 twenty times. Counts of the other worker arrive within milliseconds.
  while (answers.at(-1) !== 429) {
    answers.push((await send('GET', '/admin/v1/oidc/start')).status);
    await sleep(30);
  }
  assert.ok(answers.length >= 20 && answers.length < 30, answers.join());
});

/** Every request gets a new connection, so that both workers answer. */
const statuses = async (count: number, key: string): Promise<number[]> => {
  const found: number[] = [];
  while (found.length < count) found.push((await send('GET', '/api/v1/inventory', { key })).status);
  lists += found.filter((status) => status === 200).length;
  return found;
};

test('both workers know a new channel and the end of its key immediately', async () => {
  const { id, api_key } = await make.channel();
  assert.deepEqual(await statuses(4, api_key), [200, 200, 200, 200]);
  const rotated = await must(admin('POST', `/channels/${id}/rotate-key`), 200);
  assert.deepEqual(await statuses(4, api_key), [401, 401, 401, 401]);
  assert.deepEqual(await statuses(4, rotated.api_key), [200, 200, 200, 200]);
});

const requests = (found: Map<string, number>): number =>
  found.get('sluice_http_request_seconds_count{method="GET",route="/api/v1/inventory",status="200"}') ?? 0;

test('metrics cover all workers: counters are summed, gauges appear once', async () => {
  await statuses(6, shop.channel.api_key);
  for (let asked = 0; asked < 2; asked++) {
    // A request is counted after its response was sent, so the client may be faster.
    await until(async () => requests(await metrics()) === lists, 'all requests are counted');
    const found = await metrics();
    assert.equal(found.get('sluice_workers'), 2);
    assert.equal(found.get('sluice_database_state{state="ready"}'), 1);
    assert.equal([...found.keys()].filter((name) => name.startsWith('nodejs_version_info')).length, 1);
  }
});

test('the overview and the last reconcile cover all workers', async () => {
  const { channel, sku } = shop;
  const gate = async () =>
    (await must(admin('GET', '/overview'), 200)).gate as { orders: number; capacity: number };
  const earlier = (await gate()).orders;
  for (let n = 0; n < 4; n++)
    await channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }]));
  await must(admin('GET', '/reconcile'), 200);
  const reconciles = new Set<string>();
  for (let n = 0; n < 2; n++) {
    // The overview omits a worker that answers slowly.
    await until(async () => (await gate()).orders === earlier + 4, 'the orders of both are counted');
    reconciles.add((await must(admin('GET', '/overview'), 200)).reconcile.checked_at);
  }
  assert.equal(reconciles.size, 1);
  await until(async () => (await gate()).capacity === 2 * 1_024, 'the capacity of both');
  assert.equal((await metrics()).get('sluice_reconcile_drift'), 0);
});

test('both workers share one rate limit', async () => {
  const { id, api_key } = await make.channel();
  await must(admin('PUT', `/channels/${id}/rate-limit`, { requests_per_minute: 1, burst: 6 }), 200);
  assert.deepEqual(await statuses(8, api_key), [200, 200, 200, 200, 200, 200, 429, 429]);
});

test('failed sign-ins and wrong keys of an address are counted across both workers', async () => {
  const body = { email: 'admin@localhost', password: 'not the password' };
  const signIns: number[] = [];
  while (signIns.length < 6) signIns.push((await send('POST', '/admin/v1/session', { body })).status);
  assert.deepEqual(signIns, [401, 401, 401, 401, 401, 429]);
  // A worker learns within milliseconds what the other one counts. Otherwise each would answer 401 eight more times: the
  // limit is 10, and each has counted two of the four requests with the ended key above.
  const headers = { authorization: 'Bearer sluice_wrong' };
  const guesses: number[] = [];
  while (guesses.length < 10 || guesses.slice(-2).join() !== '429,429') {
    // What the other worker has counted shows in nothing but its answers, so it gets time to learn of the guesses.
    if (guesses.length >= 10) await sleep(500);
    guesses.push((await send('GET', '/admin/v1/channels', { headers })).status);
  }
  assert.ok(guesses.filter((status) => status === 401).length < 16, guesses.join());
});

/** Every request gets a new connection, so that the workers answer in turn. */
const racing = {
  make,
  through: (channel: TestChannel) => channel.call,
  admin,
};

test('two workers: the last units are sold once, an order number is one order, an order is shipped or cancelled, quotas hold', async () => {
  await races.lastUnits(racing);
  await races.mixedSizes(racing);
  await races.sameOrder(racing);
  await races.oneNumber(racing);
  await races.oneFate(racing);
  await races.backorders(racing);
  await races.identicalReports(racing);
  assert.equal((await must(admin('GET', '/reconcile'), 200)).ok, true);
});

test('kill -9 of a worker under load: the other one continues, a new one replaces it, and no acknowledged order is lost', async () => {
  const orders = load();
  await orders.goesOn();
  const [victim = 0] = logged('the workers are ready')?.workers ?? [];
  // The supervisor knows the counters of a worker as of its last request for them.
  await until(async () => requests(await metrics()) === lists, 'all requests are counted');
  process.kill(victim, 'SIGKILL');
  await until(() => logged('a worker was replaced') !== undefined, 'the worker is replaced');
  await orders.goesOn();
  await orders.stop();
  await until(async () => requests(await metrics()) === lists, 'no counter has decreased');
  assert.equal(logged('a worker ended unexpectedly; it is replaced')?.worker, victim);
  assert.notEqual(logged('a worker was replaced')?.worker, victim);
  await assertAllThere(orders.acknowledged);
});

test('a connection that was handed to a dying worker is closed immediately and does not stay unanswered', async () => {
  const replaced = logged('a worker was replaced')?.worker ?? 0;
  process.kill(replaced, 'SIGSTOP');
  // Connections are assigned in turn: the next one of the stopped worker waits in its queue, the others are answered.
  const sent = Array.from({ length: 4 }, async () =>
    assert.equal((await send('GET', '/healthz')).status, 200),
  );
  const answers = Promise.allSettled(sent);
  await until(async () => (await send('GET', '/healthz')).status === 200, 'the other worker answers');
  process.kill(replaced, 'SIGKILL');
  const texts = (await answers).map((one) => (one.status === 'fulfilled' ? '200' : String(one.reason)));
  assert.equal(texts.filter((text) => text === '200').length, 3, texts.join());
  assert.match(texts.find((text) => text !== '200') ?? '', /ECONNRESET|socket hang up/);
  await until(() => logged('a worker was replaced')?.worker !== replaced, 'the worker is replaced');
});

const created = (found: Map<string, number>): number =>
  found.get('sluice_outcomes_total{outcome="created"}') ?? 0;

test('SIGHUP under load: every worker is replaced, and no request fails', async () => {
  const shown = created(await metrics());
  const orders = load();
  await orders.goesOn();
  const idle = await Promise.all([idleConnection(), idleConnection()]);
  process.kill(service.pid, 'SIGHUP');
  await until(async () => (await metrics()).get('sluice_workers') === 3, 'a new worker serves');
  // Each worker has one of the two connections. The first worker that stops waits for its connection, and closes it with
  // the next answer.
  await until(async () => {
    const answers = await Promise.all(idle.map((connection) => connection.ask()));
    for (const answer of answers) assert.match(answer, /^HTTP\/1.1 200 /);
    return answers.some((answer) => /^connection: close\r$/im.test(answer));
  }, 'a worker stops');
  for (const connection of idle) connection.close();
  await until(() => logged('all workers were restarted') !== undefined, 'the workers are restarted');
  await orders.goesOn();
  await orders.stop();
  assert.deepEqual(orders.failures, []);
  const isCounted = async () => created(await metrics()) - shown === orders.acknowledged.length;
  await until(isCounted, 'every order is counted once');
  const pids = logged('all workers were restarted')?.workers ?? [];
  const earlier = [
    ...(logged('the workers are ready')?.workers ?? []),
    logged('a worker was replaced')?.worker,
  ];
  assert.equal(pids.length, 2);
  assert.ok(pids.every((pid) => !earlier.includes(pid)));
  await assertAllThere(orders.acknowledged);
});

test('a new worker dies during SIGHUP: the restart ends, and two workers keep serving', async () => {
  const old = await workersOf(service.pid);
  const fresh = async () => (await workersOf(service.pid)).filter((pid) => !old.includes(pid));
  const ends = () =>
    timesLogged('a new worker could not start: the remaining workers are not restarted') +
    timesLogged('all workers were restarted');
  const ended = ends();
  process.kill(service.pid, 'SIGHUP');
  await until(async () => (await fresh()).length > 0, 'a new worker starts');
  const victims = await fresh();
  for (const pid of victims) process.kill(pid, 'SIGKILL');
  await until(() => ends() > ended, 'the restart ends');
  // On a slow machine the new worker may already serve; then it is replaced.
  await until(async () => (await metrics()).get('sluice_workers') === 2, 'two workers serve');
  assert.ok(!victims.some(isAlive));
  assert.equal((await send('GET', '/healthz')).status, 200);
});

test('a worker that is not ready in time is killed, and the start fails with a message', async (t) => {
  const directory = await temporaryDirectory();
  t.after(() => directory.remove());
  const file = join(directory.path, 'start.ts');
  const from = (path: string) => JSON.stringify(new URL(`../${path}`, import.meta.url).href);
  await writeFile(
    file,
    `import { fileURLToPath } from 'node:url';
     import { readConfig } from ${from('src/platform/config/config.ts')};
     import { createLogger } from ${from('src/platform/log/log.ts')};
     import { Supervisor } from ${from('src/platform/supervisor/supervisor.ts')};
     const database = { url: 'postgres://127.0.0.1:1/none', workers: 2, pool_connections: 5 };
     const supervisor = new Supervisor(readConfig(process.env, '.'), database, createLogger('info'), {
       worker_file: fileURLToPath(${from('src/start/worker.ts')}),
       start_ms_max: 1,
     });
     await supervisor.start().catch((error) => console.log(error.message));
     console.log('stopped', await supervisor.stop({ drain_ms: 0, hurry: new AbortController().signal }));`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, [file]);
  assert.equal(stdout.split('a worker is not ready long after its start; it is killed').length, 3, stdout);
  assert.match(stdout, /^A worker ended before it was ready \(SIGKILL\)\.$/m);
  assert.match(stdout, /^stopped /m);
});

test('more workers than the database has connections for: the start fails with one clear message', async () => {
  const refused = await spawnService({ ...env, SLUICE_WORKERS: '60', SLUICE_INTERNAL_PORT: '' });
  assert.equal((await refused.ended).code, 1);
  assert.match(
    refused.output(),
    /The database allows this service \d+ connections, and 60 workers need at least 806: lower SLUICE_WORKERS/,
  );
});

test('SIGTERM to the process group during a restart: all workers finish their requests and end; SIGKILL of the supervisor ends them too', async () => {
  const orders = load();
  await orders.goesOn();
  // A stopping worker waits for idle connections, and the restart waits for that worker.
  const idle = await Promise.all([idleConnection(), idleConnection()]);
  process.kill(service.pid, 'SIGHUP');
  await until(async () => (await metrics()).get('sluice_workers') === 3, 'a new worker serves');
  const ignored = 'a restart of the workers was ignored: the service is starting, restarting or stopping';
  const times = timesLogged(ignored);
  process.kill(service.pid, 'SIGHUP');
  await until(() => timesLogged(ignored) === times + 1, 'the second SIGHUP is ignored');
  const pids = await workersOf(service.pid);
  service.signal('SIGTERM');
  assert.deepEqual(await service.ended, { code: 0, signal: null }, service.output());
  for (const connection of idle) connection.close();
  await orders.stop();
  assert.ok(!pids.some(isAlive));
  await start();
  await assertAllThere(orders.acknowledged);
  const again = logged('the workers are ready')?.workers ?? [];
  process.kill(service.pid, 'SIGKILL');
  await service.ended;
  await until(() => !again.some(isAlive), 'the workers end with their supervisor');
});
