// GET /orders/{orderNumber}, GET /orders?changes_since= and wait=: a channel reads the current state of its orders,
// whoever changed them, and waits for changes without polling.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChangeWatch } from '../src/core/journal/watch.ts';
import { assertCareful, assertInvalid, assertRefused } from './kit/answers.ts';
import { query } from '../verify/kit/connection.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { fixtures, must, orderOf } from '../verify/kit/fixtures.ts';
import {
  openService,
  PATIENT,
  startTestService,
  type ChannelCall,
  type HttpAnswer,
  type TestService,
} from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';

const database = await createDatabase();
const first = await startTestService({ database, env: PATIENT });
const second = await startTestService({ database, env: PATIENT });
const make = fixtures(first);

interface Change {
  id: number;
  order_number: string;
  status: number;
  tracking_number: string | null;
  courier_code: string | null;
  courier_name: string | null;
  cancel_reason: string | null;
}
interface Changes {
  changes: Change[];
  changes_since: string;
  has_more: boolean;
}

async function changesOf(call: ChannelCall, token: string, more = ''): Promise<Changes> {
  const answer = await call('GET', `/orders?changes_since=${token}${more}`);
  assert.equal(answer.status, 200, answer.text);
  assertCareful(answer);
  return answer.json as Changes;
}

/** Reads to the end: transactions of other databases of the server can divide the changes into several pages. */
async function allChangesOf(call: ChannelCall, since: string, more = '') {
  const changes: Change[] = [];
  let requests = 0;
  for (let token = since; ; requests++) {
    const page = await changesOf(call, token, more);
    changes.push(...page.changes);
    token = page.changes_since;
    if (!page.has_more) return { changes, changes_since: token, requests: requests + 1 };
  }
}

const take = async (call: ChannelCall, sku: string, fields: object = {}) => {
  const order = orderOf([{ sku, quantity: 1, unit_price: 1 }], fields);
  const taken = await must(call('POST', '/orders', order), 201);
  return { ...order, id: Number(taken.id) };
};
const ship = (id: number, tracking_number: string, service = first) =>
  must(
    service.admin('POST', `/orders/${id}/status`, { status: 3, tracking_number, courier_code: 'cj' }),
    200,
  );
const isWaiting = (count: number, ...services: TestService[]) =>
  until(
    () => services.reduce((sum, { service }) => sum + service.services.changeWatch.waiting, 0) === count,
    `${count} requests wait`,
  );
const assertReason = (answer: HttpAnswer, status: number, reason: string) => {
  assertRefused(answer, status);
  assert.equal(answer.headers.get('sluice-error'), reason);
};

test('contract 10.20: an order is read back as the intake answered it, with its current status', async () => {
  const { channel, sku } = await make.setting(10);
  const { call } = channel;
  const order = orderOf([
    { sku, quantity: 2, unit_price: 12.34 },
    { sku, quantity: 1, unit_price: 5 },
  ]);
  const taken = await call('POST', '/orders', order);
  assert.equal(taken.status, 201);
  const path = `/orders/${encodeURIComponent(order.order_number)}`;
  const read = await call('GET', path);
  assert.equal(read.status, 200, read.text);
  assertCareful(read);
  assert.equal(read.text, taken.text, 'byte for byte the answer of the intake');
  await ship(taken.json.data.id, 'T-1');
  const later = await second.channel(channel.api_key)('GET', path);
  assert.deepEqual(later.json, { data: { ...taken.json.data, status: 3 } });
  const report = await call('POST', `${path}/status`, { status: 3, tracking_number: 'T-1' });
  assert.equal(report.text, later.text, 'the same text as the answer to a report');
});

test('an order of another channel and an order that does not exist are both unknown', async () => {
  const { channel, sku } = await make.setting(10);
  const { order_number } = await take(channel.call, sku);
  const other = await make.channel();
  for (const [call, number] of [
    [other.call, order_number],
    [channel.call, 'no-such-order'],
    [channel.call, '%20'],
  ] as const)
    assertReason(await call('GET', `/orders/${number}`), 404, 'order_unknown');
  assertInvalid(await channel.call('GET', '/orders/%00'), 'orderNumber');
  assertReason(await first.channel('wrong')('GET', `/orders/${order_number}`), 401, 'key_invalid');
});

test('concurrent reads of many orders each get their own order', async () => {
  const [one, two] = [await make.setting(100), await make.setting(100)];
  const orders = await Promise.all(
    Array.from({ length: 60 }, async (_, n) => {
      const { channel, sku } = n % 2 ? one : two;
      return { call: channel.call, ...(await take(channel.call, sku)) };
    }),
  );
  await Promise.all(
    orders.map(async ({ call, id, order_number }) => {
      const read = await must(call('GET', `/orders/${order_number}`), 200);
      assert.deepEqual([read.id, read.order_number], [id, order_number]);
    }),
  );
});

test('changes_since returns every order of the channel whose status changed, whoever changed it, and no other order', async () => {
  await must(first.admin('PUT', '/common-codes/DELIVERY_COMPANY/cj', { name: 'CJ Logistics' }), 200, 201);
  const { channel, sku } = await make.setting(50);
  const stranger = await make.setting(50);
  const { call } = channel;
  const start = await changesOf(call, 'now');
  assert.deepEqual([start.changes, start.has_more], [[], false]);
  const orders = [];
  for (let n = 0; n < 4; n++) orders.push(await take(call, sku, { status: n === 3 ? 0 : 1 }));
  const [shipped, cancelled, reported, untouched] = orders;
  assert.ok(shipped && cancelled && reported && untouched);
  const foreign = await take(stranger.channel.call, stranger.sku);
  const none = await changesOf(call, start.changes_since);
  assert.deepEqual(none.changes, [], 'an intake is not a change');
  await ship(shipped.id, 'T-9', second);
  await ship(foreign.id, 'T-0');
  await must(first.admin('POST', `/orders/${cancelled.id}/status`, { status: 88, reason: 'broken' }), 200);
  await must(call('POST', `/orders/${reported.order_number}/status`, { status: 2 }), 200);
  const told = await allChangesOf(second.channel(channel.api_key), none.changes_since);
  const byId = Object.fromEntries(told.changes.map(({ id, ...rest }) => [id, rest]));
  assert.deepEqual([told.changes.length, Object.keys(byId).length], [3, 3]);
  const change = { tracking_number: null, courier_code: null, courier_name: null, cancel_reason: null };
  const facts = (id: number) => {
    const { changed_at, ...rest } = byId[id] as Change & { changed_at: string };
    assert.match(changed_at, /^\d{4}-\d\d-\d\dT.*[+-]\d\d:\d\d$/);
    return rest;
  };
  assert.deepEqual(facts(shipped.id), {
    ...change,
    order_number: shipped.order_number,
    status: 3,
    tracking_number: 'T-9',
    courier_code: 'cj',
    courier_name: 'CJ Logistics',
  });
  assert.deepEqual(facts(cancelled.id), {
    ...change,
    order_number: cancelled.order_number,
    status: 88,
    cancel_reason: 'broken',
  });
  assert.deepEqual(facts(reported.id), { ...change, order_number: reported.order_number, status: 2 });
  assert.deepEqual((await allChangesOf(call, told.changes_since)).changes, [], 'no change is reported twice');
  const all = await allChangesOf(call, '', '&limit=1');
  assert.deepEqual(
    new Set(all.changes.map(({ id }) => id)),
    new Set([shipped.id, cancelled.id, reported.id]),
    'an empty token starts with the first order',
  );
});

test('a channel with few orders gets its changes behind many changes of other channels', async () => {
  const busy = await make.setting(5_000);
  const quiet = await make.setting(10);
  const { changes_since } = await changesOf(quiet.channel.call, 'now');
  const mine = await take(quiet.channel.call, quiet.sku);
  const others = await Promise.all(
    Array.from({ length: 40 }, () => take(busy.channel.call, busy.sku, { status: 0 })),
  );
  // Each transaction is followed by 220 more transaction ids, nearly as many as the smallest window.
  for (const { id } of others.slice(0, 14)) {
    await must(first.admin('POST', `/orders/${id}/status`, { status: 1 }), 200);
    await query(
      database.adminUrl,
      `do $$ begin for n in 1..220 loop perform pg_current_xact_id(); commit; end loop; end $$`,
    );
  }
  await ship(mine.id, 'T-1');
  const start = await changesOf(quiet.channel.call, changes_since, '&wait=1');
  assert.deepEqual([start.changes, start.has_more], [[], true], 'there is no wait for what can be read on');
  const { changes, requests } = await allChangesOf(quiet.channel.call, changes_since);
  assert.deepEqual(
    changes.map(({ id }) => id),
    [mine.id],
  );
  assert.ok(requests >= 2, 'one request reads only a limited range');
});

test('invalid parameters are refused by name', async () => {
  const { channel } = await make.setting(1);
  const { call } = channel;
  assertInvalid(await call('GET', '/orders'), 'changes_since');
  for (const token of ['x', 'MTIz', 'a'.repeat(9_000)]) {
    const answer = await call('GET', `/orders?changes_since=${token}`);
    assertInvalid(answer, 'changes_since');
    assert.doesNotMatch(answer.json.message, /without it/, 'the parameter is required');
  }
  assertInvalid(await call('GET', '/orders?changes_since=&limit=0'), 'limit');
  assertInvalid(await call('GET', '/orders?changes_since=&limit=501'), 'limit');
  for (const wait of ['-1', '31', '1.5', 'x', ''])
    assertInvalid(await call('GET', `/orders?changes_since=&wait=${wait}`), 'wait');
  assertInvalid(await call('GET', '/inventory?wait=1'), 'wait');
  assertInvalid(await call('GET', '/inventory?limit=1&wait=1'), 'wait');
});

test('a waiting request is answered as soon as an order of the channel changes, in whichever process', async () => {
  const { channel, sku } = await make.setting(10);
  const order = await take(channel.call, sku);
  const { changes_since } = await changesOf(channel.call, 'now');
  const other = await make.setting(10);
  const answers = [first, second].map((service) =>
    service.channel(channel.api_key)('GET', `/orders?changes_since=${changes_since}&wait=30`),
  );
  const idle = other.channel.call('GET', `/orders?changes_since=${changes_since}&wait=1`);
  await isWaiting(3, first, second);
  await take(other.channel.call, other.sku);
  await ship(order.id, 'T-5');
  for (const answer of answers) {
    const { json } = await answer;
    assert.deepEqual(
      (json as Changes).changes.map(({ id, status, tracking_number }) => [id, status, tracking_number]),
      [[order.id, 3, 'T-5']],
    );
  }
  const { json } = await idle;
  assert.deepEqual(json.changes, [], 'no change after its wait of one second');
});

test('a request that waits for stock is answered when an order, a delivery or a mapping changes the list', async () => {
  const { channel, sku, variant } = await make.setting(10);
  let token = (await channel.call('GET', '/inventory?limit=1')).json.changes_since as string;
  const changed = async (change: () => Promise<unknown>) => {
    const pending = second.channel(channel.api_key)('GET', `/inventory?changes_since=${token}&wait=30`);
    await isWaiting(1, second);
    await change();
    const { status, json, text } = await pending;
    assert.equal(status, 200, text);
    token = json.changes_since;
    return json as { data: { sku: string; available: number }[]; removed: string[] };
  };
  const ordered = await changed(() => take(channel.call, sku));
  assert.deepEqual(
    ordered.data.map((row) => [row.sku, row.available]),
    [[sku, 9]],
  );
  const delivered = await changed(() =>
    must(first.admin('POST', `/stock/${variant.code}/adjustments`, { delta: 5, reason: 'delivery' }), 200),
  );
  assert.deepEqual(
    delivered.data.map((row) => [row.sku, row.available]),
    [[sku, 14]],
  );
  const unmapped = await changed(() =>
    must(first.admin('DELETE', `/channels/${channel.id}/mappings/${encodeURIComponent(sku)}`), 204),
  );
  assert.deepEqual(unmapped.removed, [sku]);
});

test('revoking the key ends a wait with 401', async () => {
  const { channel, sku } = await make.setting(10);
  const order = await take(channel.call, sku);
  const { changes_since } = await changesOf(channel.call, 'now');
  const pending = channel.call('GET', `/orders?changes_since=${changes_since}&wait=30`);
  await isWaiting(1, first);
  await must(first.admin('POST', `/channels/${channel.id}/rotate-key`), 200);
  await ship(order.id, 'T');
  assertReason(await pending, 401, 'key_invalid');
});

test('a change of the allowed addresses or the signing mode ends a wait with 401', async () => {
  const changes = [
    { method: 'PATCH', path: '', body: { allowed_addresses: ['192.0.2.1'] }, reason: 'key_invalid' },
    { method: 'PUT', path: '/signing', body: { mode: 'required' }, reason: 'signature_missing' },
  ];
  for (const { method, path, body, reason } of changes) {
    const { channel, sku } = await make.setting(10);
    const order = await take(channel.call, sku);
    const { changes_since } = await changesOf(channel.call, 'now');
    await must(first.admin('POST', `/channels/${channel.id}/signing-secrets`), 201);
    const pending = channel.call('GET', `/orders?changes_since=${changes_since}&wait=30`);
    await isWaiting(1, first);
    await must(first.admin(method, `/channels/${channel.id}${path}`, body), 200);
    await ship(order.id, 'T');
    const { status, headers } = await pending;
    assert.deepEqual([status, headers.get('sluice-error')], [401, reason]);
  }
});

test('many waiting requests need no database connection each, and one query serves them all', async () => {
  const { channel, sku } = await make.setting(10);
  const order = await take(channel.call, sku);
  const { changes_since } = await changesOf(channel.call, 'now');
  const before = await connections();
  const pending = Array.from({ length: 200 }, () =>
    channel.call('GET', `/orders?changes_since=${changes_since}&wait=30`),
  );
  await isWaiting(200, first);
  assert.ok((await connections()) <= before + 2);
  await ship(order.id, 'T');
  for (const { status, json } of await Promise.all(pending)) {
    assert.equal(status, 200);
    assert.deepEqual(
      (json as Changes).changes.map(({ id }) => id),
      [order.id],
    );
  }
});

const connections = async (): Promise<number> => {
  const [row] = await query<{ count: string }>(
    database.adminUrl,
    `select count(*) from pg_stat_activity where datname = current_database()`,
  );
  return Number(row?.count);
};

test('stopping the service answers the waiting requests', async () => {
  const stopping = await openService({ database, env: PATIENT });
  const { channel } = await make.setting(1);
  const { changes_since } = await changesOf(channel.call, 'now');
  const call = stopping.channel(channel.api_key);
  const pending = call('GET', `/orders?changes_since=${changes_since}&wait=30`);
  await isWaiting(1, stopping);
  await stopping.close();
  const { status, json } = await pending;
  assert.equal(status, 200);
  assert.deepEqual((json as Changes).changes, []);
});

test('a watch ends on a change between its first read and the wait, on a failure, and on a stop', async () => {
  let failing = false;
  let changed: number[] = [];
  const sinces: (string | null)[] = [];
  const watch = new ChangeWatch(async (since) => {
    sinces.push(since);
    if (failing) throw new Error('away');
    const stock = since === null ? [] : changed;
    return { snapshot: `s${sinces.length}`, stock, orders: [] };
  });
  const one = await watch.watch('stock', 1);
  assert.deepEqual(sinces, [null]);
  changed = [1];
  await one.changed;
  one.end();
  assert.equal(sinces[1], 's1');
  changed = [];
  const two = await watch.watch('orders', 1);
  assert.deepEqual(sinces, [null, 's1', null], 'reads ended when no request waited, and begin anew');
  failing = true;
  await two.changed;
  two.end();
  const three = await watch.watch('stock', 1);
  await three.changed;
  failing = false;
  const four = await watch.watch('stock', 2);
  watch.close();
  await four.changed;
  await (
    await watch.watch('stock', 2)
  ).changed;
  const reads = sinces.length;
  // A timer of this process, which is due after that of the next read.
  await new Promise((resolve) => setTimeout(resolve, 250));
  assert.equal(sinces.length, reads, 'no read after the stop');
});
