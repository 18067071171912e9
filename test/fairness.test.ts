// One channel sends many requests at once; the request of another channel that comes after them is answered before most
// of them. Counted, not timed: a shared machine may be slow, but it does not change the order.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { ChannelOrders } from '../src/features/order-reads/reads.ts';
import { ClientGone } from '../src/platform/queues/turns.ts';
import { fixtures, must, orderOf, type TestChannel } from '../verify/kit/fixtures.ts';
import { connect as connectTo } from '../verify/kit/connection.ts';
import { ADMIN_TOKEN, startTestService, type HttpAnswer } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';

const service = await startTestService();
const make = fixtures(service);
const { port } = new URL(service.origin);

/** More than a batch of any kind, and few enough for the fast run. */
const FLOOD_REQUESTS = 60;
/** Some of the flood is answered while the rest of it and the other request are received. */
const ANSWERED_BEFORE_MAX = (2 / 3) * FLOOD_REQUESTS;
/** Reads that take long: only a few of them are answered meanwhile. */
const LONG_READS_BEFORE_MAX = FLOOD_REQUESTS / 3;
const SKUS = 500;

interface Asked {
  method?: 'POST';
  path: string;
  body?: object;
}

let flooder: TestChannel;
let other: TestChannel;
let token: string;

before(async () => {
  [flooder, other] = [await make.channel(), await make.channel()];
  const variant = await make.variant(1_000_000);
  const mappings = Array.from({ length: SKUS }, (_, index) => ({
    sku: `F-${index}`.padEnd(100, '.'),
    variant_code: variant.code,
  }));
  await must(service.admin('PUT', `/channels/${flooder.id}/mappings`, { mappings }), 200);
  await make.map(other, variant, 'O');
  token = (await flooder.call('GET', '/inventory?limit=1')).json.changes_since;
  await make.setStock(variant, 999_999);
  for (const [channel, sku] of [[flooder, mappings[0]?.sku ?? ''] as const, [other, 'O'] as const]) {
    const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
    await must(channel.call('POST', '/orders', order), 201);
    await must(channel.call('POST', `/orders/${order.order_number}/status`, { status: 2 }), 200);
  }
});

function requestOf(
  { api_key }: TestChannel,
  { method = 'GET', path, body }: { method?: string; path: string; body?: object },
) {
  const content = body === undefined ? '' : JSON.stringify(body);
  const type =
    body === undefined ? '' : `content-type: application/json\r\ncontent-length: ${content.length}\r\n`;
  return `${method} /api/v1${path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${api_key}\r\nconnection: close\r\n${type}\r\n${content}`;
}

interface Connection {
  send(channel: TestChannel, asked: Asked): void;
  /** Status of the complete response. */
  answered: Promise<number>;
  close(): void;
}

async function open(): Promise<Connection> {
  const socket = connect(Number(port), '127.0.0.1');
  after(() => socket.destroy());
  let status = 0;
  socket.on('data', (chunk) => (status ||= Number(chunk.toString('latin1', 9, 12))));
  socket.on('error', () => {});
  const answered = once(socket, 'close').then(() => status);
  await once(socket, 'connect');
  return {
    send: (channel, asked) => void socket.write(requestOf(channel, asked)),
    answered,
    close: () => void socket.destroy(),
  };
}

/** The number of the flood's responses before the one of the other channel. */
async function answersBefore(flood: (index: number) => Asked, asked: Asked): Promise<number> {
  const [otherClient, ...clients] = await Promise.all(Array.from({ length: FLOOD_REQUESTS + 1 }, open));
  assert.ok(otherClient);
  let answered = 0;
  let received = 0;
  let early = 0;
  const receive = (): void => {
    received += 1;
    if (received === FLOOD_REQUESTS) otherClient.send(other, asked);
    // Those answered while the flood was received did not delay the other request.
    if (received === FLOOD_REQUESTS + 1) early = answered;
  };
  const { server } = service.service.app;
  server.on('request', receive);
  for (const [index, client] of clients.entries()) {
    client.send(flooder, flood(index));
    void client.answered.then(() => (answered += 1));
  }
  assert.equal(await otherClient.answered, 200);
  const found = answered - early;
  server.off('request', receive);
  const statuses = await Promise.all(clients.map((client) => client.answered));
  assert.deepEqual(new Set(statuses), new Set([200]));
  return found;
}

const skus = Array.from({ length: SKUS }, (_, index) => `F-${index}`.padEnd(100, '.'));
const KINDS: [name: string, flood: (index: number) => Asked, poll: Asked][] = [
  [
    'order changes',
    (index) => ({ path: `/orders?changes_since=&limit=${index + 1}` }),
    { path: '/orders?changes_since=' },
  ],
  [
    'stock changes',
    (index) => ({ path: `/inventory?changes_since=${token}&limit=${index + 1}` }),
    { path: '/inventory?limit=5' },
  ],
  ['stock pages', (index) => ({ path: `/inventory?limit=${index + 1}` }), { path: '/inventory?limit=5' }],
  ['stock lists', () => ({ path: '/inventory' }), { path: '/inventory' }],
  [
    'bulk lookups',
    () => ({ method: 'POST', path: '/inventory/lookup', body: { skus: skus.slice(0, 140) } }),
    { method: 'POST', path: '/inventory/lookup', body: { skus: ['O'] } },
  ],
];

for (const [name, flood, asked] of KINDS) {
  test(`${name}: a flood of one channel does not delay another channel`, async () => {
    const answered = await answersBefore(flood, asked);
    const max = name === 'order changes' ? LONG_READS_BEFORE_MAX : ANSWERED_BEFORE_MAX;
    assert.ok(answered <= max, `${answered} of ${FLOOD_REQUESTS} responses came first`);
  });
}

test('waiting requests of one channel that wake up together do not delay another channel', async () => {
  const now = (await flooder.call('GET', '/orders?changes_since=now')).json.changes_since;
  const order = orderOf([{ sku: skus[0] ?? '', quantity: 1, unit_price: 1 }]);
  await must(flooder.call('POST', '/orders', order), 201);
  const clients = await Promise.all(Array.from({ length: FLOOD_REQUESTS }, open));
  let answered = 0;
  for (const [index, client] of clients.entries()) {
    client.send(flooder, { path: `/orders?changes_since=${now}&wait=30&limit=${index + 1}` });
    void client.answered.then(() => (answered += 1));
  }
  const { changeWatch } = service.service.services;
  await until(() => changeWatch.waiting === FLOOD_REQUESTS);
  await must(flooder.call('POST', `/orders/${order.order_number}/status`, { status: 2 }), 200);
  await until(() => changeWatch.waiting < FLOOD_REQUESTS);
  const { status } = await other.call('GET', '/orders?changes_since=');
  assert.equal(status, 200);
  assert.ok(answered <= LONG_READS_BEFORE_MAX, `${answered} of ${FLOOD_REQUESTS} responses came first`);
  await Promise.all(clients.map((client) => client.answered));
});

test('order changes: clients with the same token share a read, which goes on for those that stay', async () => {
  const { reads, pool } = service.service.services;
  const channelOrders = new ChannelOrders(reads.short, pool);
  const [leaving, staying] = [new AbortController(), new AbortController()];
  const asked = (limit: number, gone?: AbortController) =>
    channelOrders.changes(flooder.id, { since: undefined, limit }, gone?.signal);
  const running = asked(1);
  const abandoned = asked(2, leaving);
  const shared = asked(3, leaving);
  assert.equal(asked(3, staying), shared);
  leaving.abort();
  await assert.rejects(abandoned, ClientGone);
  assert.equal((await running)?.changes.length, 1);
  assert.equal((await shared)?.changes.length, 2);
});

/** Exports wait for this lock, so that their number is known. */
async function withLockedOrders(work: () => Promise<void>): Promise<void> {
  const client = await connectTo(service.database.adminUrl);
  try {
    await client.query('begin');
    await client.query('lock table order_item in access exclusive mode');
    await work();
  } finally {
    await client.end();
  }
}

const EXPORT = '/orders/export?format=csv';

test('at most two exports run at a time; the next wait, a full queue is 503, and a client that leaves gives its place back', async () => {
  const { exports } = service.service.services.turns.admin;
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const client = new AbortController();
  const start = (signal: AbortSignal | null = null): Promise<Response> =>
    fetch(`${service.origin}/admin/v1${EXPORT}`, { headers, signal });
  const all: Promise<Response>[] = [];
  await withLockedOrders(async () => {
    all.push(start(), start());
    await until(() => exports.running + exports.waiting === 2);
    const left = assert.rejects(start(client.signal));
    await until(() => exports.running + exports.waiting === 3);
    assert.deepEqual([exports.running, exports.waiting], [2, 1]);
    client.abort();
    await left;
    await until(() => exports.waiting === 0);
    for (let more = 0; more < 20; more++) all.push(start());
    await until(() => exports.waiting >= 10);
    assert.equal(exports.running, 2);
  });
  const answers = await Promise.all(all);
  await Promise.all(answers.map((answer) => answer.text()));
  const refused = answers.filter(({ status }) => status === 503);
  assert.ok(refused.length > 0 && refused.every((answer) => answer.headers.has('retry-after')));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 503]));
  await until(() => exports.running === 0);
});

test('dry runs take turns with the reads', async () => {
  const { reads } = service.service.services.turns.admin;
  const shipments = [{ order_number: 'none', tracking_number: '1' }];
  const trials: Promise<HttpAnswer>[] = [];
  await withLockedOrders(async () => {
    for (let trial = 0; trial < 10; trial++)
      trials.push(service.admin('POST', '/orders/shipments', { shipments, dry_run: true }));
    await until(() => reads.running + reads.waiting === 10);
    assert.deepEqual([reads.running, reads.waiting], [3, 7]);
  });
  for (const { status } of await Promise.all(trials)) assert.equal(status, 200);
  await until(() => reads.running === 0);
});

test('reads of one operator leave turns free for another operator', async () => {
  const { reads } = service.service.services.turns.admin;
  const viewer = await must(service.admin('POST', '/tokens', { name: 'other', role: 'viewer' }), 201);
  const slow: Promise<HttpAnswer>[] = [];
  await withLockedOrders(async () => {
    for (let read = 0; read < 10; read++) slow.push(service.admin('GET', '/orders/1'));
    await until(() => reads.running + reads.waiting === 10);
    assert.deepEqual([reads.running, reads.waiting], [3, 7]);
    await must(service.admin('GET', '/products', undefined, viewer.token), 200);
    assert.deepEqual([reads.running, reads.waiting], [3, 7]);
  });
  for (const answer of await Promise.all(slow)) assert.ok([200, 404].includes(answer.status));
});
