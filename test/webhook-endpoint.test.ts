// Deliveries to one endpoint, with the loop run by the test: its limits, and endpoints with invalid answers. This service
// may not call private addresses; loops that call a receiver of a test are allowed to.
import assert from 'node:assert/strict';
import { createServer, type Server, type Socket } from 'node:net';
import type { Pool } from 'pg';
import { after, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { WebhookConnections } from '../src/features/webhooks/post.ts';
import { ENDPOINT_FAILURES_MAX, WEBHOOK_PENDING_MAX } from '../src/features/webhooks/rules.ts';
import { eraseOrder } from '../src/features/erasure/changes.ts';
import { sendNow } from '../src/features/webhooks/sender.ts';
import { evaluateAlerts } from '../src/features/alerts/job.ts';
import { webhookAlerts } from '../src/features/webhooks/alerts.ts';
import { EndpointLoop } from '../src/features/webhooks/endpoint.ts';
import { createPool } from '../src/platform/database/connections.ts';
import { listDeliveries } from '../src/features/webhooks/deliveries-store.ts';
import { inTransaction } from '../src/platform/database/transactions.ts';
import { findWebhook } from '../src/features/webhooks/store.ts';
import { connected, query } from '../verify/kit/connection.ts';
import { openTransaction, untilWaiting } from './kit/adverse.ts';
import { statusesOf } from './kit/desk.ts';
import { fixtures, must, orderOf } from '../verify/kit/fixtures.ts';
import { LONG_ONLY } from '../verify/kit/long.ts';
import { startProxy } from '../verify/kit/proxy.ts';
import { startReceiver, type Received, type Receiver } from '../verify/kit/receiver.ts';
import { startTestService } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';
import { listen } from '../verify/kit/ports.ts';

const service = await startTestService({ env: { SLUICE_ALLOW_PRIVATE_CHANNEL_URLS: '0' } });
const { database } = service;
const admin: typeof service.admin = (...given) => service.admin(...given);
const make = fixtures(service);
const { channel, sku } = await make.setting(100_000);
const there = await startReceiver();
after(() => there.close());

const take = async (): Promise<string> => {
  const order = orderOf([{ sku, quantity: 1, unit_price: 1 }], { status: 1 });
  await must(channel.call('POST', '/orders', order), 201);
  return order.order_number;
};
const move = (number: string) => must(channel.call('POST', `/orders/${number}/status`, { status: 2 }), 200);

/** The events that a receiver got for an order. */
const told = (number: string, from: Receiver = there): string[] =>
  from.received
    .filter(({ json }) => json.data.order_number === number)
    .map(({ json }) => `${json.type} ${json.data.status}`);

const isSignedWith = (secret: string, { body, headers }: Received): boolean => {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
};

interface Endpoint {
  id: number;
  secret: string;
  /** Resolves when the endpoint is paused. `submitted`: the number of orders and reports according to the gate. */
  run(submitted?: () => number, pool?: Pool): Promise<void>;
  /** One turn of the loop: takes and stores events. Private addresses are not called. */
  turn(): Promise<void>;
  shown(): Promise<any>;
  change(fields: object): Promise<any>;
  deliveries(): Promise<any[]>;
}

/** Adds an endpoint. After the test its loop is ended, and the endpoint is removed. */
async function endpoint(t: TestContext, url: string, fields: object = {}): Promise<Endpoint> {
  const body = { url, events: ['order.accepted', 'order.status_changed'], ...fields };
  const { id, secret } = await must(admin('POST', '/webhooks', body), 201);
  const ending = new AbortController();
  const runs: Promise<void>[] = [];
  t.after(async () => {
    ending.abort();
    await Promise.all(runs);
    await admin('DELETE', `/webhooks/${id}`);
  });
  const { config, ...services } = service.service.services;
  return {
    id,
    secret,
    run(submitted = () => services.gate.submitted, pool = services.pool) {
      const gate = Object.create(services.gate, { submitted: { get: submitted } }) as typeof services.gate;
      const given = { ...services, pool, gate, config: { ...config, allow_private_channel_urls: true } };
      const run = new EndpointLoop(id, given).run(ending.signal);
      runs.push(run);
      return run;
    },
    turn() {
      const once = new AbortController();
      const run = new EndpointLoop(id, { ...services, config }).run(once.signal);
      once.abort();
      return run;
    },
    shown: () => must(admin('GET', `/webhooks/${id}`), 200),
    change: (changed) => must(admin('PATCH', `/webhooks/${id}`, changed), 200),
    deliveries: () => must(admin('GET', `/webhooks/${id}/deliveries?limit=500`), 200),
  };
}

test('an outage right after the attempts: their results are stored when the database is back, and nothing is sent again', async (t) => {
  const proxy = await startProxy(database.url);
  t.after(() => proxy.close());
  const pool = createPool(proxy.url, 2);
  t.after(() => pool.end());
  let isOver = false;
  t.after(() => void (isOver = true));
  const numbers: string[] = [];
  const receiver = await startReceiver(() => {
    if (receiver.received.length === 10) proxy.cut();
    return 200;
  });
  t.after(() => receiver.close());
  const hook = await endpoint(t, receiver.url);
  for (let n = 0; n < 10; n++) numbers.push(await take());
  // The job starts an endpoint's run again when it ends.
  const again = async (): Promise<void> => {
    while (!isOver) await hook.run(undefined, pool).catch(() => {});
  };
  const running = again();
  await until(() => receiver.received.length >= 10, 'every event is sent');
  // The length of the outage is the subject: within it the loop reads its endpoint again, and tries to store the results.
  await sleep(1_500);
  proxy.restore();
  await until(async () => (await hook.deliveries()).every(({ state }) => state === 'delivered'), 'stored');
  for (const number of numbers) assert.deepEqual(told(number, receiver), ['order.accepted 1']);
  isOver = true;
  await hook.change({ is_active: false });
  await running;
});

test('a bug in sending ends the run with its error; the next run sends the event', async (t) => {
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  const hook = await endpoint(t, receiver.url);
  const number = await take();
  const { config, ...services } = service.service.services;
  const broken = {
    ...services,
    config: { ...config, allow_private_channel_urls: true },
    formatTimestamp: () => {
      throw new RangeError('a bug');
    },
  };
  // A rejection without a handler would fail this test, and end the service's process.
  await assert.rejects(new EndpointLoop(hook.id, broken).run(new AbortController().signal), /a bug/);
  void hook.run();
  await until(() => told(number, receiver).length === 1, 'the event');
});

test('an endpoint without a success for three days is paused with an alert, not earlier; after it is resumed, it gets everything', async (t) => {
  let status = 500;
  const failing = await startReceiver(() => status);
  t.after(() => failing.close());
  const hook = await endpoint(t, failing.url);
  const run = hook.run();
  const first = await take();
  await until(async () => (await hook.shown()).failing_since !== null, 'a failure is recorded');
  const since = (interval: string) =>
    database.tamper(`update webhook set failing_since = now() - $2::interval where id = $1`, [
      hook.id,
      interval,
    ]);
  await since('71 hours');
  // The failure of another order is recorded after the loop has read the endpoint again.
  const { failures } = await hook.shown();
  const second = await take();
  await until(async () => (await hook.shown()).failures > failures, 'a failure of the second order');
  assert.equal((await hook.shown()).is_active, true);
  await since('72 hours');
  await until(async () => !(await hook.shown()).is_active, 'the endpoint is paused');
  await run;
  const paused = await hook.shown();
  assert.deepEqual([paused.is_active, paused.pause_reason], [false, 'failing']);
  const [audit] = await must(admin('GET', `/audit?subject=webhook:${hook.id}`), 200);
  assert.deepEqual([audit.action, audit.actor], ['webhook.pause', 'service']);
  const isAlerting = async () => {
    await evaluateAlerts(service.service.services, webhookAlerts, webhookAlerts.kinds);
    const open = await must(admin('GET', '/alerts?state=open&kind=webhook_failing'), 200);
    return open.some((alert: any) => alert.subject === `webhook:${hook.id}`);
  };
  assert.equal(await isAlerting(), true);
  const meanwhile = await take();
  const sent = failing.received.length;
  status = 200;
  await database.tamper(
    `update webhook_delivery set next_attempt_at = now() + interval '1 hour' where webhook_id = $1`,
    [hook.id],
  );
  await hook.change({ is_active: true });
  assert.equal(failing.received.length, sent, 'nothing was sent while it was paused');
  void hook.run();
  for (const number of [first, second, meanwhile])
    await until(() => told(number, failing).length > 0 && failing.received.length >= sent + 3, number);
  assert.equal(await isAlerting(), false);
});

test('an event that fails for three days is given up, and the next one of its order is sent', async (t) => {
  const refusing = await startReceiver(({ json }) => (json.type === 'order.accepted' ? 500 : 200));
  t.after(() => refusing.close());
  const hook = await endpoint(t, refusing.url);
  const number = await take();
  await move(number);
  await hook.turn();
  await database.tamper(
    `update webhook_delivery set created_at = now() - interval '72 hours', next_attempt_at = now() where webhook_id = $1`,
    [hook.id],
  );
  void hook.run();
  const states = async () =>
    (await hook.deliveries()).toReversed().map(({ type, state }) => `${type} ${state}`);
  await until(async () => (await states()).every((state) => !state.endsWith('pending')), 'both are settled');
  assert.deepEqual(await states(), ['order.accepted failed', 'order.status_changed delivered']);
  assert.deepEqual(told(number, refusing), ['order.accepted 1', 'order.status_changed 2']);
});

test('an endpoint that keeps failing gets one attempt at a time; when it recovers, all waiting events are sent', async (t) => {
  let status = 500;
  const away = await startReceiver(() => status);
  t.after(() => away.close());
  const hook = await endpoint(t, away.url);
  const numbers = await Promise.all(Array.from({ length: 5 }, take));
  await hook.turn();
  const set = (fields: string) => database.tamper(`update webhook set ${fields} where id = $1`, [hook.id]);
  await set(`failures = ${ENDPOINT_FAILURES_MAX}, retry_at = null`);
  await database.tamper(
    `update webhook_delivery set next_attempt_at = now() + interval '1 hour' where webhook_id = $1`,
    [hook.id],
  );
  void hook.run();
  await until(
    async () => (await hook.shown()).failures > ENDPOINT_FAILURES_MAX,
    'the first attempt is recorded',
  );
  const { retry_at } = await hook.shown();
  assert.ok(Date.parse(retry_at) > 0, 'there is a pause');
  assert.equal(away.received.length, 1);
  status = 200;
  await set('retry_at = null');
  await until(() => numbers.every((number) => told(number, away).length > 0), 'all waiting events');
  assert.equal(away.received.length, 6);
});

test('a failure that is recorded after an accepted resend does not undo it', async (t) => {
  const first = Promise.withResolvers<number>();
  const answers: (number | Promise<number>)[] = [first.promise, 200];
  const slow = await startReceiver(() => 200);
  slow.answer = () => answers.shift() ?? 200;
  t.after(() => slow.close());
  const hook = await endpoint(t, slow.url);
  await take();
  void hook.run();
  await until(() => slow.received.length === 1, 'the attempt of the loop');
  // Resends as the route does, but with private addresses allowed.
  const { pool, sealer, formatTimestamp } = service.service.services;
  const [webhook, delivery] = [
    (await findWebhook(pool, hook.id)) ?? assert.fail(),
    (await listDeliveries(pool, hook.id, { state: null, before: null, limit: 1 }))[0] ?? assert.fail(),
  ];
  const resent = await sendNow(pool, webhook, delivery, { sealer, formatTimestamp, allowPrivate: true });
  assert.equal(resent.state, 'delivered');
  first.resolve(500);
  await until(async () => (await hook.shown()).failures > 0, 'the failure is recorded');
  assert.deepEqual(
    (await hook.deliveries()).map(({ state, response_status }) => [state, response_status]),
    [['delivered', 500]],
  );
});

test('410 from the address before a change does not pause the endpoint', async (t) => {
  const answer = Promise.withResolvers<number>();
  const gone = await startReceiver(() => answer.promise);
  const elsewhere = await startReceiver();
  t.after(() => Promise.all([gone.close(), elsewhere.close()]));
  const hook = await endpoint(t, gone.url);
  await take();
  const paused = hook.run().then(() => assert.fail('it was paused'));
  await until(() => gone.received.length === 1, 'the attempt');
  await hook.change({ url: elsewhere.url });
  answer.resolve(410);
  await take();
  await Promise.race([paused, until(() => elsewhere.received.length > 1, 'both events at the new address')]);
});

/** A view of the pool that counts the executions of a statement. */
function countingReads(pool: Pool, name: string): { readonly reads: number; readonly pool: Pool } {
  let reads = 0;
  const counted = (...given: Parameters<Pool['query']>) => {
    if ((given[0] as { name?: string }).name === name) reads += 1;
    return pool.query(...given);
  };
  const connect = () => pool.connect();
  return {
    get reads() {
      return reads;
    },
    pool: Object.create(pool, { query: { value: counted }, connect: { value: connect } }) as Pool,
  };
}

for (const when of ['before', 'after'])
  test(`a new address is tried immediately if an attempt at the earlier one fails ${when} the change is noticed`, async (t) => {
    const answer = Promise.withResolvers<number>();
    const away = await startReceiver(() => answer.promise);
    const elsewhere = await startReceiver();
    t.after(() => Promise.all([away.close(), elsewhere.close()]));
    const hook = await endpoint(t, away.url);
    await take();
    await database.tamper('update webhook set failures = $2 where id = $1', [
      hook.id,
      ENDPOINT_FAILURES_MAX + 5,
    ]);
    const { pool } = service.service.services;
    const settings = countingReads(pool, 'webhook_find');
    void hook.run(undefined, settings.pool);
    await until(() => away.received.length === 1, 'the attempt');
    await hook.change({ url: elsewhere.url });
    const before = settings.reads;
    // The second read begins after the loop has acted on the first.
    if (when === 'after') await until(() => settings.reads >= before + 2, 'the change is noticed');
    answer.resolve(500);
    await until(() => elsewhere.received.length > 0, 'an attempt at the new address');
    const states = async () => (await hook.deliveries()).map(({ state }) => state);
    await until(async () => (await states()).join() === 'delivered', 'the delivery');
  });

test('an event that waits while its order is erased is sent without the personal data', async (t) => {
  const answer = Promise.withResolvers<number>();
  const slow = await startReceiver(() => answer.promise);
  t.after(() => slow.close());
  const hook = await endpoint(t, slow.url, { include_personal_data: true });
  const number = await take();
  await must(channel.call('POST', `/orders/${number}/status`, { status: 88, reason: 'a reason' }), 200);
  void hook.run();
  await until(() => slow.received.length === 1, 'the first event');
  const { pool } = service.service.services;
  const by = { actor: 'test', request_id: null };
  await inTransaction(pool, (tx) => eraseOrder(tx, by, { order_number: number, dry_run: false }));
  // The time since it was read is the subject: after a second the event is read again before it is sent.
  await sleep(1_500);
  answer.resolve(200);
  await until(() => slow.received.length === 2, 'the second event');
  const { status, recipient_name, cancel_reason } = (slow.received[1] ?? assert.fail()).json.data;
  assert.deepEqual([status, recipient_name, cancel_reason], [88, 'erased', null]);
});

test('the removal of an endpoint does not wait for results that wait for it', async (t) => {
  const answer = Promise.withResolvers<number>();
  const slow = await startReceiver(() => answer.promise);
  t.after(() => slow.close());
  // Without orders, because the loop would wait for the removal when it takes them from the feed.
  const hook = await endpoint(t, slow.url, { events: ['alert.opened'] });
  await query(
    database.url,
    `insert into webhook_delivery (webhook_id, type, at) values (${hook.id}, 'webhook.test', now())`,
  );
  const ended = hook.run();
  await until(() => slow.received.length === 1, 'the attempt');
  await connected(database.url, async (removing) => {
    await removing.query('begin');
    await removing.query('select from webhook where id = $1 for update', [hook.id]);
    answer.resolve(200);
    await untilWaiting(database.url, 1);
    await removing.query("set lock_timeout = '500ms'");
    await removing.query('delete from webhook where id = $1', [hook.id]);
    await removing.query('commit');
  });
  await ended;
});

test('there are at most 50 endpoints, also if two are added at once', async (t) => {
  const add = () => admin('POST', '/webhooks', { url: there.url, events: ['alert.opened'] });
  const { length } = await must(admin('GET', '/webhooks?limit=500'), 200);
  for (let count = length; count < 49; count++) {
    const { id } = await must(add(), 201);
    t.after(() => admin('DELETE', `/webhooks/${id}`));
  }
  const held = await openTransaction(database.ownerUrl, 'lock table webhook in share mode');
  const adding = [add(), add()];
  await untilWaiting(database.url, 2);
  await held.end();
  const answers = await Promise.all(adding);
  for (const { status, json } of answers)
    if (status === 201) t.after(() => admin('DELETE', `/webhooks/${json.data.id}`));
  assert.deepEqual(statusesOf(answers), [201, 422]);
});

test('private addresses are not called for events, tests and resends', async (t) => {
  const unreached = await startReceiver();
  t.after(() => unreached.close());
  const hook = await endpoint(t, unreached.url);
  await take();
  await hook.turn();
  const [delivery] = await hook.deliveries();
  const tested = await must(admin('POST', `/webhooks/${hook.id}/test`), 200);
  const resent = await must(admin('POST', `/webhooks/${hook.id}/deliveries/${delivery.id}/resend`), 200);
  for (const { failure, response_status } of [delivery, tested, resent])
    assert.deepEqual([failure, response_status], ['address_not_allowed', null]);
  assert.equal(unreached.connections(), 0);
});

test('a running loop applies changes of the events, the secret, the personal data option and the address', async (t) => {
  const elsewhere = await startReceiver();
  t.after(() => elsewhere.close());
  const hook = await endpoint(t, there.url, { events: ['order.accepted'] });
  void hook.run();
  const first = await take();
  await until(() => told(first).length > 0, 'the first event');

  await hook.change({ events: ['order.status_changed'] });
  await until(async () => {
    const number = await take();
    await move(number);
    await until(() => told(number).length > 0, 'an event of this order');
    return !told(number).includes('order.accepted 1');
  }, 'the new choice of events');

  const { secret } = await must(
    admin('POST', `/webhooks/${hook.id}/rotate-secret`, { overlap_hours: 0 }),
    200,
  );
  const next = async (from = there): Promise<Received> => {
    const count = from.received.length;
    await move(await take());
    await until(() => from.received.length > count, 'the next event');
    return from.received.at(-1) ?? assert.fail();
  };
  await until(async () => isSignedWith(secret, await next()), 'the new secret');
  const message = await next();
  assert.ok(isSignedWith(secret, message) && !isSignedWith(hook.secret, message));

  assert.equal(message.json.data.recipient_name, undefined);
  await hook.change({ include_personal_data: true });
  await until(async () => (await next()).json.data.recipient_name !== undefined, 'personal data');
  await hook.change({ include_personal_data: false });
  await until(async () => (await next()).json.data.recipient_name === undefined, 'no personal data');

  await hook.change({ url: elsewhere.url });
  await until(async () => {
    await move(await take());
    return elsewhere.received.length > 0;
  }, 'the new address');
});

test('an endpoint with 2,000 waiting events takes no more; further events stay in the feed until there is room', async (t) => {
  const hook = await endpoint(t, there.url);
  const waiting = async () => (await hook.shown()).pending_count;
  await database.tamper(
    `insert into webhook_delivery (webhook_id, type, at, order_id, to_status, next_attempt_at)
     select $1, 'order.accepted', now(), -n, 1, now() + interval '1 hour' from generate_series(1, $2) n`,
    [hook.id, WEBHOOK_PENDING_MAX],
  );
  const number = await take();
  await hook.turn();
  assert.equal(await waiting(), WEBHOOK_PENDING_MAX);
  await database.tamper(`delete from webhook_delivery where webhook_id = $1 and order_id = -1`, [hook.id]);
  await hook.turn();
  assert.equal(await waiting(), WEBHOOK_PENDING_MAX);
  const [stored] = await hook.deliveries();
  assert.equal(stored.payload.data.order_number, number);
});

/** A server that answers any request with raw bytes. */
async function startRaw(t: TestContext, answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => answer(socket));
  });
  const port = await listen(server);
  t.after(
    () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  );
  return `http://127.0.0.1:${port}/`;
}

/** Writes until the other side closes the connection. */
function pour(socket: Socket, chunk: string): void {
  const write = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', write);
  write();
}

const post = (url: string, timeout_ms?: number) => {
  const connections = new WebhookConnections(url, { allowPrivate: true, connections_max: 1 });
  return connections.post('{}', [], timeout_ms).finally(() => connections.close());
};

const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = 'transfer-encoding: chunked\r\n\r\n';
const CHUNK = `400\r\n${'x'.repeat(1024)}\r\n`;

test('invalid answers: a valid status counts, only the beginning of the body is read, anything else is a failure', async (t) => {
  const statusOf = async (answer: (socket: Socket) => void): Promise<number | string> => {
    const answered = await post(await startRaw(t, answer));
    if (answered.kind === 'failed') return answered.reason;
    assert.ok(answered.body.length <= 16 * 1024, `${answered.body.length} bytes were kept`);
    return answered.status;
  };
  const says = (text: string) => (socket: Socket) => void socket.end(text);
  assert.equal(
    await statusOf((socket) => {
      socket.write(`${OK}${CHUNKED}`);
      pour(socket, CHUNK);
    }),
    200,
  );
  assert.equal(
    await statusOf((socket) => {
      socket.write(`${OK}content-length: 99999999999\r\n\r\n`);
      pour(socket, 'x'.repeat(1024));
    }),
    200,
  );
  assert.equal(await statusOf(says(`HTTP/1.1 500 No\r\ncontent-length: 2\r\n\r\nno`)), 500);
  assert.equal(await statusOf(says(`HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\n\r\n`)), 302);
  for (const text of [
    '',
    'hello\r\n\r\n',
    'HTTP/1.1 ok\r\n\r\n',
    'HTTP/1.1 99999 Many\r\n\r\n',
    `${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nx`,
    `${OK}x: ${'y'.repeat(40_000)}\r\n\r\n`,
    'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: tea\r\n\r\n',
  ]) {
    const found = await statusOf(says(text));
    assert.equal(typeof found, 'string', `${JSON.stringify(text.slice(0, 40))} was read as status ${found}`);
  }
  assert.equal(await statusOf((socket) => pour(socket, 'y'.repeat(1024))), 'unreachable');
});

test('at the timeout, an answer whose body never ends counts with its status', async (t) => {
  const url = await startRaw(t, (socket) => void socket.write(`${OK}${CHUNKED}${CHUNK}`));
  // On a busy machine a short timeout may end before the status arrives.
  for (const timeout_ms of [250, 1_000, 4_000, 16_000]) {
    const answer = await post(url, timeout_ms);
    if (answer.kind === 'response') {
      assert.equal(answer.status, 200);
      return;
    }
    assert.equal(answer.reason, 'timeout');
  }
  assert.fail('the status was never counted');
});

test('endpoints with invalid answers fail with a reason, and a healthy endpoint gets everything', async (t) => {
  const healthy = await startReceiver();
  t.after(() => healthy.close());
  const hooks = await Promise.all(
    [
      (socket: Socket) => void socket.end('hello\r\n\r\n'),
      (socket: Socket) => void socket.destroy(),
      (socket: Socket) => {
        socket.write(`HTTP/1.1 503 Later\r\n${CHUNKED}`);
        pour(socket, CHUNK);
      },
    ].map(async (answer) => endpoint(t, await startRaw(t, answer))),
  );
  const good = await endpoint(t, healthy.url);
  for (const hook of [...hooks, good]) void hook.run();
  const numbers = await Promise.all(Array.from({ length: 5 }, take));
  await until(
    () => numbers.every((number) => told(number, healthy).length === 1),
    'the events at the healthy endpoint',
  );
  for (const hook of hooks) {
    await until(async () => (await hook.shown()).failures > 0, 'a failure');
    const tried = (await hook.deliveries()).find(({ attempts }) => attempts > 0);
    assert.equal(tried.state, 'pending');
    if (tried.response_status === null) assert.match(tried.failure, /^\w+$/);
    else assert.deepEqual([tried.response_status, tried.response_text.length], [503, 500]);
  }
});

test(
  'under more than 1,000 orders per second, few events are taken at a time, and none is lost',
  LONG_ONLY,
  async (t) => {
    const receiver = await startReceiver();
    t.after(() => receiver.close());
    const hook = await endpoint(t, receiver.url);
    // The loop knows how busy the gate is after its first measurement, which ends with the second look a while later.
    let looks = 0;
    void hook.run(() => {
      looks += 1;
      return performance.now() * 1.1;
    });
    await until(() => looks >= 3, 'the load is measured');
    for (let count = 0; count < 120; count++) await take();
    await until(
      async () => (await hook.shown()).pending_count === 0 && receiver.received.length === 120,
      'all are delivered',
    );
    const taken = await query<{ count: number; gap_ms: number | null }>(
      database.url,
      `select count(*)::int as count,
       (extract(epoch from created_at - lag(created_at) over (order by created_at)) * 1000)::float8 as gap_ms
     from webhook_delivery where webhook_id = $1 group by created_at order by created_at`,
      [hook.id],
    );
    assert.ok(taken.length >= 3, JSON.stringify(taken));
    for (const { count, gap_ms } of taken)
      assert.ok(count <= 50 && (gap_ms ?? 1_000) > 900, JSON.stringify(taken));
  },
);
