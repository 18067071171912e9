// The log of channel requests, the list of a channel's requests, and the trace of a channel. Two processes share the
// database: one treats no request as slow, the other every request.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Registry } from 'prom-client';
import { CHANNEL_LABELS_MAX, channelLabels } from '../src/core/directory/labels-rules.ts';
import { timestampFormat } from '../src/platform/values/timestamps.ts';
import { Observations } from '../src/features/observations/observations.ts';
import { RequestLog } from '../src/features/observations/request-log.ts';
import { ChannelCounts } from '../src/core/channel-api/channel-counts.ts';
import {
  addRequests,
  trimRequests,
  type ChannelRequest,
} from '../src/features/observations/requests-store.ts';
import type { Tx } from '../src/platform/database/database.ts';
import { trimObservations } from '../src/features/observations/store.ts';
import { PERSON } from '../verify/kit/canaries.ts';
import { createDatabase } from '../verify/kit/database.ts';
import { fixtures, must, orderOf, unique, type TestChannel } from '../verify/kit/fixtures.ts';
import { startTestService } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';
import { desk, fieldsRefused, refusal } from './kit/desk.ts';

const HOUR_MS = 3_600_000;
const database = await createDatabase();
const service = await startTestService({ database, env: { SLUICE_SLOW_REQUEST_MS: String(HOUR_MS) } });
const slow = await startTestService({ database, env: { SLUICE_SLOW_REQUEST_MS: '0' } });
after(() => database.drop());
const make = fixtures(service);
const { admin, audits, pages, token } = desk(service);
const { pool, metrics } = service.service.services;

const line = (sku: string, quantity = 1) => ({ sku, quantity, unit_price: 1 });
const requests = async (channel: TestChannel, query = ''): Promise<any[]> => {
  for (const one of [service, slow]) await one.service.flush();
  return pages(`/channels/${channel.id}/requests${query}`, 500);
};
/** A client may receive its response before the service has recorded the request. */
const listed = async (channel: TestChannel, count: number): Promise<any[]> => {
  let found: any[] = [];
  await until(async () => (found = await requests(channel)).length >= count, `${count} requests are listed`);
  assert.equal(found.length, count);
  return found;
};
const lines = (of = service) => of.log.filter(({ msg }) => msg === 'request');
const lineOf = (requestId: string, of = service) =>
  lines(of).filter(({ request_id }) => request_id === requestId);
const ahead = (ms: number) => new Date(Date.now() + ms).toISOString();
const trace = (channel: TestChannel, trace_until: string | null) =>
  must(admin('PATCH', `/channels/${channel.id}`, { trace_until }), 200);

test('a refused order: one log line and one entry with id, channel, address, route, number, SKU, outcome; no personal data', async () => {
  const { channel, sku } = await make.setting(1);
  const order = orderOf([line(sku, 5)]);
  const answer = await channel.call('POST', '/orders', order, { 'x-forwarded-for': '2001:db8:1:2:3::4' });
  assert.equal(answer.status, 422);
  const requestId = answer.headers.get('x-request-id') ?? '';
  const [entry] = await listed(channel, 1);
  const { id, at, ms, ...facts } = entry;
  const expected = {
    request_id: requestId,
    outcome: 'refused',
    method: 'POST',
    route: '/api/v1/orders',
    sku,
    order_number: order.order_number,
    status: 422,
    code: 'stock_insufficient',
    address: '2001:db8:1:2::/64',
  };
  assert.deepEqual(facts, expected);
  assert.ok(Number.isInteger(id) && Number.isInteger(ms) && ms >= 0);
  assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+09:00$/);
  const [logged, ...again] = lineOf(requestId);
  assert.deepEqual(again, []);
  assert.partialDeepStrictEqual(logged, { ...expected, level: 30, channel_id: channel.id });
  const written = JSON.stringify([entry, logged]);
  for (const personal of Object.values(PERSON)) assert.ok(!written.includes(personal));
});

test('each entry has the address of its client, also behind a proxy', async () => {
  const { channel } = await make.setting(0);
  const clients = ['192.0.2.1', '192.0.2.2', '192.0.2.2', '192.0.2.1', ''];
  for (const client of clients)
    await channel.call('POST', '/orders', {}, client === '' ? {} : { 'x-forwarded-for': client });
  const entries = await listed(channel, clients.length);
  assert.deepEqual(
    entries.map(({ address }) => address).toReversed(),
    clients.map((client) => client || '127.0.0.1'),
  );
});

test('an ordinary request is neither logged nor listed; refusals of every kind are, with the route pattern', async () => {
  const { channel, sku } = await make.setting(9);
  await must(channel.call('POST', '/orders', orderOf([line(sku)])), 201);
  await must(channel.call('GET', `/inventory/${sku}`), 200);
  assert.deepEqual(await requests(channel), []);
  await must(admin('PUT', `/channels/${channel.id}/rate-limit`, { requests_per_minute: 1, burst: 4 }), 200);
  await channel.call('GET', '/inventory/no%0Awhere');
  await channel.call('GET', '/orders/none');
  await channel.call('POST', '/orders/none/status', { status: 'x' });
  await channel.call('POST', '/orders', '{');
  await channel.call('GET', `/inventory/${sku}`);
  assert.deepEqual(
    (await listed(channel, 5)).map(({ route, status, code, sku: of, order_number }) => [
      route,
      status,
      code,
      of,
      order_number,
    ]),
    [
      ['/api/v1/inventory/:sku', 429, 'rate_limited', sku, null],
      ['/api/v1/orders', 422, 'validation', null, null],
      ['/api/v1/orders/:orderNumber/status', 422, 'validation', null, 'none'],
      ['/api/v1/orders/:orderNumber', 404, 'order_unknown', null, 'none'],
      ['/api/v1/inventory/:sku', 404, 'sku_unmapped', 'no\\u{a}where', null],
    ],
  );
});

test('metrics: requests and orders are counted by channel', async () => {
  const { channel, sku } = await make.setting(9);
  await must(admin('PUT', `/channels/${channel.id}/rate-limit`, { requests_per_minute: 1, burst: 3 }), 200);
  const order = orderOf([line(sku)]);
  await must(channel.call('POST', '/orders', order), 201);
  await must(channel.call('POST', '/orders', order), 200);
  for (const status of [404, 429])
    assert.equal((await channel.call('GET', '/inventory/none')).status, status);
  await listed(channel, 2);
  const text = await metrics.registry.metrics();
  const found = [...text.matchAll(/^sluice_channel_(?:requests|orders)_total\{channel="(\d+)".*$/gm)];
  assert.deepEqual(
    found
      .filter(([, id]) => id === String(channel.id))
      .map(([shown]) => shown.replace(/channel="\d+",?/, '')),
    [
      'sluice_channel_requests_total{outcome="ok"} 2',
      'sluice_channel_requests_total{outcome="refused"} 1',
      'sluice_channel_requests_total{outcome="limited"} 1',
      'sluice_channel_requests_total{outcome="failed"} 0',
      'sluice_channel_orders_total{} 1',
    ],
  );
});

test('metrics: the first channels by id get a label, the same one in every process; the others are counted together', async () => {
  assert.deepEqual(
    [...channelLabels([9, 3, 7, 3, 5], 3)],
    [
      [3, '3'],
      [5, '5'],
      [7, '7'],
      [9, 'other'],
    ],
  );
  const registry = new Registry();
  const counts = new ChannelCounts(registry, 2);
  for (const [label, status] of [
    ['1', 200],
    ['2', 500],
    ['3', 422],
    ['4', 429],
    ['other', 304],
  ] as const)
    counts.request(label, status);
  counts.order('5');
  const labels = (await registry.metrics()).match(/(?<=orders_total\{channel=").*/g);
  assert.deepEqual(labels, ['1"} 0', '2"} 0', 'other"} 1']);
  // The limits that the service uses.
  const ids = Array.from({ length: 500 }, (_, id) => id);
  assert.equal(CHANNEL_LABELS_MAX, 100);
  assert.equal(new Set(channelLabels(ids).values()).size, 101);
  const many = new Registry();
  const everyone = new ChannelCounts(many);
  for (const id of ids) everyone.order(String(id));
  assert.equal((await many.metrics()).match(/orders_total\{/g)?.length, 101);
});

test('a request without a valid key is logged but not listed; back-office requests are not in this log', async () => {
  const answer = await service.channel('unknown')('GET', '/inventory/x');
  assert.equal(answer.status, 401);
  const requestId = answer.headers.get('x-request-id') ?? '';
  await until(() => lineOf(requestId).length === 1, 'the line is written');
  assert.partialDeepStrictEqual(lineOf(requestId)[0], { channel_id: null, status: 401, code: 'key_invalid' });
  const nowhere = await service.channel('unknown')('GET', '/nowhere');
  await until(() => lineOf(nowhere.headers.get('x-request-id') ?? '').length === 1, 'the line is written');
  const before = lines().length;
  await refusal(admin('GET', '/channels/999999'), 404);
  assert.equal(lines().length, before);
});

test('slow requests are listed, newest first, in pages, and can be filtered by request id and outcome', async () => {
  const { channel, sku } = await make.setting(9);
  const onSlow = slow.channel(channel.api_key);
  const ids = [];
  for (const path of [`/inventory/${sku}`, '/inventory/none', `/inventory/${sku}`, '/inventory?limit=1'])
    ids.push((await onSlow('GET', path)).headers.get('x-request-id') ?? '');
  const outcomes = (rows: any[]) => rows.map(({ outcome }) => outcome);
  assert.deepEqual(outcomes(await listed(channel, 4)), ['slow', 'slow', 'refused', 'slow']);
  assert.deepEqual(outcomes(await requests(channel, '?outcome=slow')), ['slow', 'slow', 'slow']);
  assert.deepEqual(outcomes(await requests(channel, '?outcome=refused')), ['refused']);
  assert.deepEqual(await requests(channel, '?outcome=served'), []);
  assert.deepEqual(
    (await pages(`/channels/${channel.id}/requests?outcome=all`, 1)).map(({ request_id }) => request_id),
    ids.toReversed(),
  );
  const [found, ...others] = await requests(channel, `?request_id=${ids[1]}`);
  assert.deepEqual([found.request_id, others], [ids[1], []]);
  assert.deepEqual(await requests(channel, `?request_id=${unique('none')}`), []);
  assert.deepEqual(await requests(await make.channel(), `?request_id=${ids[1]}`), [], "another channel's");
  assert.equal(lineOf(ids[0] ?? '', slow)[0]?.['outcome'], 'slow');
});

test('every request of a traced channel is logged in every process until the trace ends', async () => {
  const { channel, sku } = await make.setting(9);
  const shown = await trace(channel, ahead(HOUR_MS));
  assert.match(shown.trace_until, /\+09:00$/);
  assert.equal((await must(admin('GET', `/channels/${channel.id}`), 200)).trace_until, shown.trace_until);
  const order = orderOf([line(sku)]);
  await must(channel.call('POST', '/orders', order), 201);
  const [entry] = await listed(channel, 1);
  assert.equal(entry.outcome, 'served');
  assert.deepEqual(
    [entry.status, entry.order_number, entry.sku, entry.code],
    [201, order.order_number, sku, null],
  );
  const { directory } = slow.service.services;
  await until(
    async () => (await directory.find(channel.api_key))?.is_traced === true,
    'the other process traces the channel',
  );
  await trace(channel, null);
  await until(
    async () => (await directory.find(channel.api_key))?.is_traced === false,
    'the other process ends the trace',
  );
  await must(channel.call('GET', `/inventory/${sku}`), 200);
  assert.equal((await requests(channel)).length, 1);
  const updates = (await audits(`channel:${channel.id}`)).filter(({ action }) => action === 'channel.update');
  const [begun = [], ended] = updates.map(({ before, after: then }: any) => [
    before.trace_until,
    then.trace_until,
  ]);
  assert.deepEqual([begun[0], ended], [null, [begun[1], null]]);
  assert.equal(Date.parse(begun[1]) - Date.parse(shown.trace_until) < 1_000, true);
});

test('a trace expires: an expired trace is not shown, and requests are no longer logged', async () => {
  const { channel, sku } = await make.setting(9);
  await trace(channel, ahead(HOUR_MS));
  await database.tamper(
    `update channel set trace_until = now() - interval '1 second' where id = ${channel.id}`,
  );
  service.service.services.directory.invalidate();
  assert.equal((await must(admin('GET', `/channels/${channel.id}`), 200)).trace_until, null);
  await must(channel.call('GET', `/inventory/${sku}`), 200);
  assert.deepEqual(await requests(channel), []);
  // A process that cached the channel while it was traced reloads it soon after the trace expires.
  await trace(channel, ahead(HOUR_MS));
  const { rows } = await database.tamper(
    `update channel set trace_until = now() + interval '1 second' where id = ${channel.id} returning trace_until`,
  );
  const { directory } = service.service.services;
  directory.invalidate();
  const found = await directory.find(channel.api_key);
  // On a slow machine the second may be over already.
  if (Date.now() < rows[0].trace_until.getTime()) assert.equal(found?.is_traced, true);
  await until(
    async () => (await directory.find(channel.api_key))?.is_traced === false,
    'the trace has ended',
  );
});

test('trace_until must be in the future, at most a day ahead, with an offset; changes of other fields keep it', async () => {
  const channel = await make.channel();
  const path = `/channels/${channel.id}`;
  for (const trace_until of [ahead(-1_000), ahead(25 * HOUR_MS), '2026-11-15T09:30:00', '', 7])
    assert.deepEqual(await fieldsRefused(admin('PATCH', path, { trace_until })), ['trace_until']);
  const { trace_until } = await trace(channel, ahead(2 * HOUR_MS));
  assert.equal((await must(admin('PATCH', path, { name: unique('x') }), 200)).trace_until, trace_until);
});

test('viewers can read the list; an invalid filter, cursor or channel is refused', async () => {
  const channel = await make.channel();
  const path = `/channels/${channel.id}/requests`;
  assert.deepEqual(await must(admin('GET', path, undefined, await token('viewer')), 200), []);
  assert.deepEqual(await fieldsRefused(admin('GET', `${path}?outcome=none`)), ['outcome']);
  assert.deepEqual(await fieldsRefused(admin('GET', `${path}?cursor=x`)), ['cursor']);
  assert.deepEqual(await fieldsRefused(admin('GET', `${path}?request_id=${'x'.repeat(65)}`)), ['request_id']);
  assert.equal((await refusal(admin('GET', '/channels/999999/requests'), 404)).code, 'channel_unknown');
});

const seen = (channel_id: number, request_id: string, id = 0): ChannelRequest => ({
  id,
  channel_id,
  at: new Date(),
  request_id,
  outcome: 'refused',
  method: 'GET',
  route: '/api/v1/inventory',
  sku: null,
  order_number: null,
  status: 404,
  code: 'not_found',
  ms: 1,
  address: '127.0.0.1',
});

test('entries over the limit are dropped and counted, between two writes and during an outage', async () => {
  let dropped = 0;
  let isAway = true;
  const writes: number[] = [];
  const query = (sent: { values: string[] }) => {
    if (isAway) return Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }));
    if (sent.values.length === 0) return Promise.resolve({ rows: [{ now: new Date() }], rowCount: 1 });
    writes.push(sent.values[0]?.split(',').length ?? 0);
    return Promise.resolve({ rows: [], rowCount: 0 });
  };
  const observations = new Observations({ query } as unknown as Tx, timestampFormat('UTC'), {
    onBug: assert.ifError,
    onRequestDropped: () => (dropped += 1),
    flush_ms: HOUR_MS,
  });
  for (let n = 0; n < 600; n++) observations.request(1, () => seen(1, `a${n}`));
  for (let n = 0; n < 3; n++) observations.request(2, () => seen(2, `b${n}`));
  assert.equal(dropped, 100, 'over the limit of one channel');
  await observations.flush();
  assert.deepEqual([writes, dropped], [[], 100], 'kept for the next write');
  for (let channel = 3; channel < 9; channel++)
    for (let n = 0; n < 500; n++) observations.request(channel, () => seen(channel, `c${n}`));
  assert.equal(dropped, 100 + 503 + 3_000 - 2_500, 'over the limit of all channels');
  isAway = false;
  await observations.close();
  assert.deepEqual(writes, [2_500]);
  assert.match(await metrics.registry.metrics(), /sluice_request_log_dropped_total 0/);
});

test('housekeeping keeps the latest requests of each channel and deletes those that are too old', async () => {
  const [one, other] = [await make.channel(), await make.channel()];
  await addRequests(pool, [
    ...Array.from({ length: 5 }, (_, n) => seen(one.id, `n${n}`, n + 1)),
    seen(other.id, 'other', 9),
  ]);
  await database.tamper(
    `update channel_request set at = now() - interval '31 days' where channel_id = ${one.id} and request_id = 'n4'`,
  );
  await trimRequests(pool, 2);
  assert.deepEqual(
    (await requests(one)).map(({ request_id }) => request_id),
    ['n3', 'n2'],
  );
  assert.equal((await requests(other)).length, 1);
  await database.tamper(
    `insert into channel_request select n, ${other.id}, now() + make_interval(secs => n), n, 'refused', 'GET', '/', null, null, 404, null, 1, '::1'
     from generate_series(100, 2200) n`,
  );
  // The service runs this every minute.
  await trimObservations(pool);
  const kept = await requests(other);
  assert.deepEqual([kept.length, kept.at(-1).request_id], [2_000, '201']);
});

test('log lines over 200 a second are omitted and counted; the list contains those requests', async () => {
  const channel = await make.channel();
  const leftOut = () =>
    service.log
      .filter(({ msg }) => msg === 'request log: log lines over the limit were omitted')
      .reduce((sum, one) => sum + Number(one['left_out']), 0);
  const second = () => Math.floor(performance.now() / 1_000);
  const before = lines().length;
  const began = second();
  const already = leftOut();
  const wave = 450;
  await Promise.all(Array.from({ length: wave }, () => channel.call('GET', '/inventory/none')));
  await listed(channel, wave);
  await until(
    () => lines().length - before + leftOut() - already === wave,
    'each request is in a line or counted',
  );
  assert.ok(lines().length - before <= 200 * (second() - began + 1), 'at most 200 lines a second');
});

test('load shedding of a flood: log lines and entries are limited, the rest is counted', () => {
  const flood = 5_000;
  const written: Record<string, unknown>[] = [];
  const kept = new Map<number, number>();
  let built = 0;
  const socket = {
    get remoteAddress() {
      built += 1;
      return '2001:db8:1:2:3::4';
    },
  };
  const requestLog = new RequestLog({
    config: { slow_request_ms: HOUR_MS, trusted_proxies: [] },
    log: { info: (fields: Record<string, unknown>) => written.push(fields) },
    health: { isAway: false },
    directory: { known: (key: string) => (key === 'known' ? { id: 7 } : undefined) },
    // Like Observations: an entry is built only if it is kept.
    observations: {
      request: (id: number, entry: () => unknown) => {
        kept.set(id, (kept.get(id) ?? 0) + 1);
        if ((kept.get(id) ?? 0) <= 500) entry();
      },
    },
  } as unknown as ConstructorParameters<typeof RequestLog>[0]);
  const second = () => Math.floor(performance.now() / 1_000);
  const began = second();
  for (let n = 0; n < flood; n++) {
    const headers = n % 2 === 0 ? { 'x-api-key': 'known' } : {};
    const request = { method: 'POST', url: '/api/v1/orders?x', headers, socket };
    requestLog.shed(request as unknown as Parameters<RequestLog['shed']>[0], `id-${n}`);
  }
  const linesMax = 200 * (second() - began + 1);
  requestLog.close();
  const [last, ...own] = written.toReversed();
  assert.ok(own.length <= linesMax, `${own.length} lines`);
  assert.deepEqual(last, { left_out: flood - own.length });
  assert.ok(built <= linesMax + 500, `${built} were built`);
  assert.deepEqual([...kept], [[7, flood / 2]], 'requests without a valid key are not listed');
  assert.deepEqual(
    new Set(own.map(({ address, route, channel_id }) => [address, route, channel_id].join(' '))),
    new Set(['2001:db8:1:2::/64 /api/v1/orders 7', '2001:db8:1:2::/64 /api/v1/orders ']),
  );
});
