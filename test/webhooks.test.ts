// Webhooks are signed, delivered at least once, in order for each order, and a failing receiver does not affect others.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { WebhookConnections } from '../src/features/webhooks/post.ts';
import {
  ENDPOINT_FAILURES_MAX,
  endpointRetryAt,
  isAccepted,
  nextAttempt,
  pauseReason,
  RETRY_FOR_MS,
} from '../src/features/webhooks/rules.ts';
import { PERSON } from '../verify/kit/canaries.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { fixtures, must, orderOf, type TestChannel } from '../verify/kit/fixtures.ts';
import { LONG_ONLY } from '../verify/kit/long.ts';
import { listen } from '../verify/kit/ports.ts';
import { onDatabase, spawnService } from '../verify/kit/process.ts';
import { startReceiver, type Received, type Receiver } from '../verify/kit/receiver.ts';
import { openService, startTestService } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';

const service = await startTestService({ env: { SLUICE_JOBS: '1' } });
const admin: typeof service.admin = (...given) => service.admin(...given);
const make = fixtures(service);
const channel = await make.channel();
const variant = await make.variant(1_000_000);
await make.map(channel, variant, 'S');

/** The example of the documentation, and its list of personal data. */
const [, SHOWN = '', LEFT_OUT = ''] =
  /^```json\n(.*?)^```\n\n(.*?) are left out/ms.exec(readFileSync('docs/webhooks.md', 'utf8')) ?? [];

/** The names of all fields, in their order. */
const shapeOf = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(shapeOf)
    : typeof value === 'object' && value !== null
      ? Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)])
      : null;

const ORDERS = ['order.accepted', 'order.status_changed'];
const receivers: Receiver[] = [];
after(() => Promise.all(receivers.map((one) => one.close())));

async function receiver(answer?: (message: Received) => number | undefined): Promise<Receiver> {
  const made = await startReceiver(answer);
  receivers.push(made);
  return made;
}

/** Adds an endpoint, and removes it after the test. */
async function endpoint(
  t: { after(work: () => Promise<unknown>): void },
  url: string,
  fields: object = {},
): Promise<any> {
  const made = await must(admin('POST', '/webhooks', { url, events: ORDERS, ...fields }), 201);
  t.after(() => admin('DELETE', `/webhooks/${made.id}`));
  return made;
}

const order = async (fields: object = {}, by: TestChannel = channel): Promise<string> => {
  const body = orderOf([{ sku: 'S', quantity: 1, unit_price: 1000 }], { status: 1, ...fields });
  await must(by.call('POST', '/orders', body), 201);
  return body.order_number;
};
const ship = (number: string) =>
  must(channel.call('POST', `/orders/${number}/status`, { status: 3, tracking_number: 'T-1' }), 200);

const of = (received: readonly Received[], number: string): [string, number][] =>
  received
    .filter(({ json }) => json.data.order_number === number)
    .map(({ json }) => [json.type, json.data.status]);

const verify = (secret: string, { body, headers }: Received): unknown =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

test('all events of an order are delivered: signed after Standard Webhooks, in order, over keep-alive connections, without personal data', async (t) => {
  const before = await order();
  const there = await receiver();
  const { id, secret } = await endpoint(t, there.url);
  assert.match(secret, /^whsec_/);
  const number = await order();
  await ship(number);
  await until(() => of(there.received, number).length >= 3, 'three events');
  assert.deepEqual(of(there.received, number), [
    ['order.accepted', 1],
    ['order.status_changed', 2],
    ['order.status_changed', 3],
  ]);
  assert.deepEqual(of(there.received, before), [], 'a new endpoint gets no earlier events');
  assert.ok(there.connections() <= 2, `${there.connections()} connections`);
  for (const message of there.received) {
    verify(secret, message);
    assert.throws(() => verify('whsec_' + Buffer.alloc(32).toString('base64'), message));
    for (const text of [...Object.values(PERSON), 'T-1'])
      assert.ok(!message.body.includes(text), `personal data: ${text}`);
  }
  assert.deepEqual(shapeOf(there.received.at(-1)?.json), shapeOf(JSON.parse(SHOWN)), 'docs/webhooks.md');
  assert.equal(new Set(there.received.map((one) => one.id)).size, there.received.length);
  const isRecorded = async () => (await must(admin('GET', `/webhooks/${id}`), 200)).pending_count === 0;
  await until(isRecorded, 'recorded as delivered');
  const { json } = await admin('GET', `/webhooks/${id}/deliveries?limit=1`);
  assert.deepEqual(
    [
      json.data[0].state,
      json.data[0].attempts,
      json.data[0].response_status,
      json.data[0].payload.data.status,
    ],
    ['delivered', 1, 200, 3],
  );
  assert.ok(json.next_cursor);
  const listed = await must(admin('GET', `/webhooks/${id}`), 200);
  assert.deepEqual([listed.secret, listed.failures, listed.pending_count], [undefined, 0, 0]);
});

test('an endpoint with include_personal_data gets personal data', async (t) => {
  const there = await receiver();
  await endpoint(t, there.url, { include_personal_data: true, events: ['order.accepted'] });
  await order();
  await until(() => there.received.length > 0);
  const { data } = there.received[0]?.json ?? {};
  assert.equal(data.recipient_name, PERSON.recipient_name);
  assert.equal(data.shipping_address, PERSON.shipping_address);
  const shown = Object.keys(JSON.parse(SHOWN).data);
  const more = Object.keys(data).filter((name) => !shown.includes(name));
  assert.deepEqual(
    more,
    [...LEFT_OUT.matchAll(/`(\w+)`/g)].map((match) => match[1]),
  );
});

test('a response that repeats the event or the query of the URL is stored without personal data and secrets', async (t) => {
  const echo = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await textOf(request);
    const { recipient_phone, shipping_address } = JSON.parse(body).data;
    const [, ...words] = String(shipping_address).split(' ');
    const digits = String(recipient_phone).replaceAll('-', '');
    response.writeHead(422);
    response.end(`no such place: ${words.join('+')}, ${digits}, at ${request.url}; you sent ${body}`);
  };
  const server = createServer((request, response) => void echo(request, response));
  const port = await listen(server);
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${port}/hook?token=hush-hush`;
  const { id } = await endpoint(t, url, { include_personal_data: true, events: ['order.accepted'] });
  await order(PERSON);
  const first = async () => (await admin('GET', `/webhooks/${id}/deliveries`)).json.data[0];
  await until(async () => (await first())?.attempts > 0, 'the recorded attempt');
  const { response_text: stored } = await first();
  assert.match(stored, /^no such place: .*, at \/hook\?token=\*\*\*; you sent \{/);
  const digits = PERSON.recipient_phone.replaceAll('-', '');
  for (const secret of ['hush-hush', digits, ...Object.values(PERSON), 'Canarystreet', 'Gangnam', 'Seoul'])
    assert.ok(!stored.includes(secret), `${secret} in ${stored}`);
});

test('a refused event delays only the later events of its order, and is retried', async (t) => {
  let refused = '';
  const there = await receiver(({ json }) => (json.data.order_number === refused ? 500 : 200));
  const { id } = await endpoint(t, there.url);
  const [held, free] = [orderOf([]).order_number, orderOf([]).order_number];
  refused = held;
  await order({ order_number: held });
  await ship(held);
  await order({ order_number: free });
  await ship(free);
  await until(() => of(there.received, free).length === 3, 'the events of the other order');
  assert.deepEqual(of(there.received, held), [['order.accepted', 1]]);
  const pending = async () => (await admin('GET', `/webhooks/${id}/deliveries?state=pending`)).json.data;
  await until(async () => (await pending()).length === 3, 'the recorded attempt');
  const [, , first] = await pending();
  assert.deepEqual([first.attempts, first.response_text], [1, 'no, thank you']);
  refused = '';
  await until(() => of(there.received, held).length === 4, 'the held events');
  assert.deepEqual(
    of(there.received, held).map(([, status]) => status),
    [1, 1, 2, 3],
  );
  const ids = there.received.filter(({ json: { data } }) => data.order_number === held).map((one) => one.id);
  assert.equal(ids[0], ids[1], 'the same webhook-id in each attempt');
});

test('receivers that never answer, are down or redirect do not delay other receivers', async (t) => {
  const silent = await receiver(() => undefined);
  const redirecting = await receiver(() => 302);
  const dead = await receiver();
  await dead.close();
  const there = await receiver();
  await endpoint(t, silent.url);
  const { id: deadId } = await endpoint(t, dead.url);
  const { id } = await endpoint(t, redirecting.url);
  await endpoint(t, there.url);
  for (let count = 0; count < 5; count++) await order();
  await until(() => there.received.length >= 5, 'the events at the healthy receiver');
  await until(() => redirecting.received.length > 0 && silent.received.length > 0);
  const failing = async (webhook: number) =>
    (await must(admin('GET', `/webhooks/${webhook}`), 200)).failures > 0;
  await until(() => failing(id));
  await until(() => failing(deadId));
  const { json } = await admin('GET', `/webhooks/${id}/deliveries`);
  assert.ok(json.data.some((one: { response_status: number }) => one.response_status === 302));
});

test('during the overlap of a rotation both secrets verify; afterwards only the new one', async (t) => {
  const there = await receiver();
  const made = await endpoint(t, there.url);
  const rotated = await must(admin('POST', `/webhooks/${made.id}/rotate-secret`), 200);
  assert.notEqual(rotated.secret, made.secret);
  assert.ok(rotated.previous_secret_expires_at);
  await must(admin('POST', `/webhooks/${made.id}/test`), 200);
  const [both] = there.received;
  assert.ok(both);
  verify(made.secret, both);
  verify(rotated.secret, both);
  const last = await must(admin('POST', `/webhooks/${made.id}/rotate-secret`, { overlap_hours: 0 }), 200);
  await must(admin('POST', `/webhooks/${made.id}/test`), 200);
  const one = there.received.at(-1);
  assert.ok(one);
  verify(last.secret, one);
  for (const old of [made.secret, rotated.secret]) assert.throws(() => verify(old, one));
});

test('410 pauses an endpoint; after it is resumed, it gets the events of the pause', async (t) => {
  let status = 410;
  const there = await receiver(() => status);
  const { id } = await endpoint(t, there.url);
  const first = await order();
  await until(async () => !(await must(admin('GET', `/webhooks/${id}`), 200)).is_active, 'paused');
  const paused = await must(admin('GET', `/webhooks/${id}`), 200);
  assert.equal(paused.pause_reason, 'gone');
  const audit = await must(admin('GET', `/audit?subject=webhook:${id}`), 200);
  assert.deepEqual([audit[0].action, audit[0].actor], ['webhook.pause', 'service']);
  const meanwhile = await order();
  status = 200;
  const resumed = await must(admin('PATCH', `/webhooks/${id}`, { is_active: true }), 200);
  assert.deepEqual([resumed.is_active, resumed.pause_reason, resumed.failures], [true, null, 0]);
  await until(() => of(there.received, meanwhile).length > 0, 'the event of the pause');
  await until(() => of(there.received, first).length > 1, 'the refused event');
});

test('a test returns the response of the endpoint; a delivery can be resent', async (t) => {
  let status = 503;
  const there = await receiver(() => status);
  const { id } = await endpoint(t, there.url, { is_active: false, description: 'warehouse' });
  const failed = await must(admin('POST', `/webhooks/${id}/test`), 200);
  assert.deepEqual(
    [failed.type, failed.state, failed.response_status, failed.attempts],
    ['webhook.test', 'failed', 503, 1],
  );
  status = 204;
  const again = await must(admin('POST', `/webhooks/${id}/deliveries/${failed.id}/resend`), 200);
  assert.deepEqual([again.state, again.attempts, again.message_id], ['delivered', 2, failed.message_id]);
  assert.equal((await admin('POST', `/webhooks/${id}/deliveries/999999/resend`)).status, 404);
  for (const path of ['999999', 'x']) assert.equal((await admin('GET', `/webhooks/${path}`)).status, 404);
});

test('an invalid url or event is refused with its field', async () => {
  for (const [body, field] of [
    [{ url: 'ftp://example.com', events: ORDERS }, 'url'],
    [{ url: 'https://user:pw@example.com', events: ORDERS }, 'url'],
    [{ url: 'https://example.com', events: [] }, 'events'],
    [{ url: 'https://example.com', events: ['order.eaten'] }, 'events.0'],
    [{ events: ORDERS }, 'url'],
  ] as const) {
    const { status, json } = await admin('POST', '/webhooks', body);
    assert.equal(status, 422);
    assert.equal(json.details.faults[0].field, field);
  }
});

test('viewers see endpoints without query and secret, operators without secret; neither can change them', async (t) => {
  const { id } = await endpoint(t, 'https://example.com/hook?token=hidden', { is_active: false });
  for (const role of ['viewer', 'operator'] as const) {
    const { token } = await must(admin('POST', '/tokens', { name: `webhook ${role}`, role }), 201);
    const seen = await admin('GET', '/webhooks', undefined, token);
    assert.equal(seen.text.includes('hidden'), role === 'operator');
    assert.ok(!seen.text.includes('whsec_'));
    for (const [method, path, body] of [
      ['POST', '/webhooks', { url: 'https://example.com', events: ORDERS }],
      ['PATCH', `/webhooks/${id}`, { is_active: true }],
      ['DELETE', `/webhooks/${id}`, undefined],
      ['POST', `/webhooks/${id}/test`, undefined],
      ['POST', `/webhooks/${id}/rotate-secret`, {}],
      ['POST', `/webhooks/${id}/deliveries/1/resend`, undefined],
    ] as const)
      assert.equal((await admin(method, path, body, token)).status, 403, `${role} ${method} ${path}`);
  }
});

test('private addresses are not called unless they are allowed', async () => {
  const connections = new WebhookConnections('http://127.0.0.1:1/', {
    allowPrivate: false,
    connections_max: 1,
  });
  const answer = await connections.post('{}', []);
  assert.equal(answer.kind === 'failed' && answer.reason, 'address_not_allowed');
  const named = new WebhookConnections('http://inside.example/', {
    allowPrivate: false,
    connections_max: 1,
    lookup: (_name, _options, done) => done(null, [{ address: '10.0.0.7', family: 4 }]),
  });
  const resolved = await named.post('{}', []);
  assert.equal(resolved.kind === 'failed' && resolved.reason, 'address_not_allowed');
});

test('for any random values, pauses between attempts grow and attempts end after three days', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 60 }), (randoms) => {
      let now = 0;
      let last = 0;
      let attempts = 0;
      for (const random of randoms) {
        attempts += 1;
        const next = nextAttempt({ attempts, created_ms: 0 }, now, random);
        if (next === null) {
          assert.equal(now, RETRY_FOR_MS, 'the last attempt is at the end');
          return;
        }
        assert.ok(next > now && next <= RETRY_FOR_MS);
        if (attempts <= 9 && next < RETRY_FOR_MS) assert.ok(next - now > last, 'the pause grows');
        last = next - now;
        now = next;
      }
      assert.fail(`still tried after ${attempts} attempts`);
    }),
  );
  assert.equal(endpointRetryAt(ENDPOINT_FAILURES_MAX - 1, 0, 0), null);
  assert.ok((endpointRetryAt(1_000, 0, 1) ?? Infinity) <= 36 * 60 * 1000);
  assert.equal(pauseReason({ failing_since_ms: 0, status: 500 }, RETRY_FOR_MS - 1), null);
  assert.equal(pauseReason({ failing_since_ms: 0, status: 500 }, RETRY_FOR_MS), 'failing');
});

test('only 2xx counts as delivered, and only 410 pauses the endpoint as gone', () => {
  const statuses = [
    null,
    100,
    199,
    200,
    204,
    299,
    300,
    301,
    302,
    304,
    307,
    400,
    404,
    409,
    410,
    429,
    500,
    503,
  ];
  assert.deepEqual(statuses.filter(isAccepted), [200, 204, 299]);
  const isGone = (status: number | null) => pauseReason({ failing_since_ms: 0, status }, 1) === 'gone';
  assert.deepEqual(statuses.filter(isGone), [410]);
});

test(
  'kill -9 during deliveries loses none; two processes then share them without sending one twice',
  LONG_ONLY,
  async () => {
    const database = await createDatabase();
    const there = await receiver();
    there.answer = () => new Promise((resolve) => setTimeout(() => resolve(200), 20));
    const env = {
      ...onDatabase(database.url),
      SLUICE_ALLOW_PRIVATE_CHANNEL_URLS: '1',
    };
    const killed = await spawnService(env);
    await killed.mustBeReady();
    const second = await openService({ database });
    const making = fixtures(second);
    const there2 = await making.channel();
    const item = await making.variant(10_000);
    await making.map(there2, item, 'S');
    await must(second.admin('POST', '/webhooks', { url: there.url, events: ORDERS }), 201);
    const numbers = await Promise.all(Array.from({ length: 120 }, () => order({}, there2)));
    await until(() => there.received.length >= 20, 'some deliveries');
    killed.signal('SIGKILL');
    await killed.ended;
    const others = await Promise.all([1, 2].map(() => openService({ database, env: { SLUICE_JOBS: '1' } })));
    await until(() => numbers.every((number) => of(there.received, number).length > 0), 'every order');
    const isDone = async () => (await must(second.admin('GET', '/webhooks'), 200))[0].pending_count === 0;
    await until(isDone, 'all recorded');
    const from = there.received.length;
    const later = await Promise.all(Array.from({ length: 60 }, () => order({}, there2)));
    for (const number of later)
      await must(there2.call('POST', `/orders/${number}/status`, { status: 3, tracking_number: 'T' }), 200);
    await until(() => later.every((number) => of(there.received, number).length >= 3), 'three steps each');
    assert.equal(there.received.length - from, 180, 'no event is sent twice');
    for (const number of later)
      assert.deepEqual(
        of(there.received, number).map(([, status]) => status),
        [1, 2, 3],
      );
    await Promise.all([...others, second].map((one) => one.close()));
    await database.drop();
  },
);

test('a corrected shipment is an order.status_changed with the same status, a message of its own, and the new courier', async (t) => {
  const inbox = await receiver();
  await endpoint(t, inbox.url, { include_personal_data: true });
  await must(admin('PUT', '/common-codes/DELIVERY_COMPANY/NEW', { name: 'New courier' }), 200);
  const number = await order();
  await ship(number);
  const [{ id }] = await must(admin('GET', `/orders?order_number=${number}`), 200);
  const shipment = { tracking_number: 'T-2', courier_code: 'NEW' };
  await must(admin('PATCH', `/orders/${id}/shipment`, shipment), 200);
  const steps = () => inbox.received.filter(({ json }) => json.data.order_number === number);
  await until(() => steps().at(-1)?.json.data.previous_status === 3, 'the correction');
  const last = steps().at(-1)?.json;
  assert.deepEqual(
    [last.type, last.data.status, last.data.tracking_number, last.data.courier_code],
    ['order.status_changed', 3, 'T-2', 'NEW'],
  );
  const ids = steps().map(({ id: message }) => message);
  assert.equal(new Set(ids).size, ids.length);
});
