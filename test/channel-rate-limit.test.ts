// Rate limits per channel: off by default, shared by all processes, and shown in every answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertCareful } from './kit/answers.ts';
import { desk, fieldsRefused, refusal } from './kit/desk.ts';
import { fixtures, must, orderOf, type TestChannel } from '../verify/kit/fixtures.ts';
import { startTestService, type HttpAnswer, type TestService } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';
import { connect, query } from '../verify/kit/connection.ts';
import { leaseRequests } from '../src/core/channel-policy/rate-buckets-store.ts';
import { untilWaiting } from './kit/adverse.ts';

const one = await startTestService();
const two = await startTestService({ database: one.database });
const make = fixtures(one);
const { admin, audits } = desk(one);

/** One request a minute: it refills so slowly that these tests pass on slow machines. */
const limit = (channel: TestChannel, burst: number, requests_per_minute: number | null = 1) =>
  must(admin('PUT', `/channels/${channel.id}/rate-limit`, { requests_per_minute, burst }), 200);

const headersOf = ({ headers }: HttpAnswer): (number | null)[] =>
  ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'].map((name) => {
    const value = headers.get(name);
    return value === null ? null : Number(value);
  });

const refusals = async ({ origin }: TestService): Promise<number> => {
  const text = await (await fetch(`${origin}/metrics`)).text();
  return Number(/^sluice_channel_refusals_total\{code="rate_limited"\} (\d+)$/m.exec(text)?.[1] ?? 0);
};

test('without a limit there are no rate limit headers, and any number of requests is accepted', async () => {
  const { channel } = await make.setting();
  for (let n = 0; n < 20; n++) {
    const answer = await channel.call('GET', '/inventory');
    assert.deepEqual([answer.status, ...headersOf(answer)], [200, null, null, null, null]);
  }
  assert.equal((await must(admin('GET', `/channels/${channel.id}`), 200)).rate_limit, null);
});

test('one limit covers all endpoints; 429 comes before any other check, and no order is accepted', async () => {
  const { channel, sku } = await make.setting(10);
  const shown = await limit(channel, 5);
  assert.deepEqual(shown.rate_limit, { requests_per_minute: 1, burst: 5 });
  assert.deepEqual((await must(admin('GET', `/channels/${channel.id}`), 200)).rate_limit, shown.rate_limit);
  const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
  const answers = [
    await channel.call('GET', '/inventory'),
    await channel.call('GET', `/inventory/${sku}`),
    await channel.call('POST', '/orders', order),
    await channel.call('POST', `/orders/${order.order_number}/status`, { status: 2 }),
    await channel.call('POST', '/orders', 'no JSON'),
  ];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 201, 200, 422],
  );
  assert.deepEqual(
    answers.map((answer) => headersOf(answer).slice(0, 2)),
    [4, 3, 2, 1, 0].map((remaining) => [5, remaining]),
  );
  const before = await refusals(one);
  const next = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
  for (const refused of [
    await channel.call('POST', '/orders', next),
    await channel.call('POST', '/orders', 'no JSON'),
    await channel.call('GET', '/inventory'),
    await channel.call('GET', '/inventory/%FF'),
  ]) {
    assert.equal(refused.status, 429, refused.text);
    assertCareful(refused);
    assert.deepEqual(Object.keys(refused.json), ['error', 'code']);
    assert.equal(refused.json.code, 'rate_limited');
    assert.equal(refused.headers.get('sluice-error'), 'rate_limited');
    const [most, remaining, reset, retry] = headersOf(refused);
    assert.deepEqual([most, remaining], [5, 0]);
    assert.ok(reset && reset > 200 && reset <= 300, `reset ${reset}`);
    assert.ok(retry && retry > 0 && retry <= 60, `retry ${retry}`);
  }
  assert.equal((await refusals(one)) - before, 4);
  await limit(channel, 5, null);
  assert.equal(await make.available(channel, sku), 9, 'the refused order was accepted');
});

test('a wrong key does not use up a limit, and each channel has its own limit', async () => {
  const [limited, other] = [await make.channel(), await make.channel()];
  await limit(limited, 1);
  await limit(other, 1);
  for (let n = 0; n < 3; n++)
    assert.equal((await one.channel(`${limited.api_key}x`)('GET', '/inventory')).status, 401);
  assert.equal((await limited.call('GET', '/inventory')).status, 200);
  assert.equal((await limited.call('GET', '/inventory')).status, 429);
  assert.equal((await other.call('GET', '/inventory')).status, 200);
});

test('both keys of a channel share its limit, and a change of another channel does not refill it', async () => {
  const channel = await make.channel();
  await limit(channel, 2);
  const { api_key } = await must(
    admin('POST', `/channels/${channel.id}/rotate-key`, { overlap_seconds: 600 }),
    200,
  );
  assert.equal((await channel.call('GET', '/inventory')).status, 200);
  assert.equal((await one.channel(api_key)('GET', '/inventory')).status, 200);
  await make.channel();
  for (const key of [channel.api_key, api_key])
    assert.equal((await one.channel(key)('GET', '/inventory')).status, 429);
});

test('the limit refills: a client that waits for Retry-After is accepted', async () => {
  const channel = await make.channel();
  await limit(channel, 1, 60);
  let answer = await channel.call('GET', '/inventory');
  // On a slow machine requests may come a second apart, when the limit has refilled: repeat until 429.
  await until(async () => {
    answer = await channel.call('GET', '/inventory');
    return answer.status === 429;
  }, 'the limit is reached');
  await sleep(Number(answer.headers.get('retry-after')) * 1000);
  assert.equal((await channel.call('GET', '/inventory')).status, 200);
});

test('processes share a limit exactly: a burst across two processes counts as one burst', async () => {
  const channel = await make.channel();
  await limit(channel, 6);
  const there = two.channel(channel.api_key);
  await until(
    async () => (await there('GET', '/inventory')).headers.get('ratelimit-limit') === '6',
    'the other process learns of the limit',
  );
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? channel.call : there)('GET', '/inventory')),
  );
  const taken = answers.filter(({ status }) => status === 200).length;
  // At least one request was accepted while the other process learned of the limit.
  assert.ok(taken <= 5, `${taken} were accepted`);
  for (const call of [channel.call, there]) {
    const [most, remaining] = headersOf(await call('GET', '/inventory'));
    assert.deepEqual([most, remaining], [6, 0]);
  }
});

test('a high limit is leased in parts, and two processes together stay within it', async () => {
  const channel = await make.channel();
  await limit(channel, 40, 2_400);
  const there = two.channel(channel.api_key);
  await until(
    async () => (await there('GET', '/inventory')).headers.get('ratelimit-limit') === '40',
    'the other process learns of the limit',
  );
  const began = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, n) => (n % 2 === 0 ? channel.call : there)('GET', '/inventory')),
  );
  const seconds = (performance.now() - began) / 1000;
  const taken = answers.filter(({ status }) => status === 200).length;
  assert.ok(taken <= 40 + 40 * seconds, `${taken} of 300 were accepted in ${seconds} s`);
  assert.ok(taken >= 30, `only ${taken} of a burst of 40 were accepted`);
});

test('the other process learns of a new limit and of its removal', async () => {
  const channel = await make.channel();
  const there = two.channel(channel.api_key);
  assert.equal((await there('GET', '/inventory')).status, 200);
  await limit(channel, 1);
  assert.equal((await channel.call('GET', '/inventory')).status, 200);
  assert.equal((await channel.call('GET', '/inventory')).status, 429);
  await until(async () => {
    const { status, headers } = await there('GET', '/inventory');
    return status === 429 && headers.get('ratelimit-limit') === '1';
  }, 'the other process applies the limit');
  await limit(channel, 1, null);
  assert.equal((await channel.call('GET', '/inventory')).headers.get('ratelimit-limit'), null);
  await until(
    async () => (await there('GET', '/inventory')).status === 200,
    'the other process no longer limits',
  );
});

test('a lease that waited for the bucket takes its time after the wait: no time counts twice', async () => {
  const channel = await make.channel();
  const { pool } = one.service.services;
  const wanted = { requests_per_minute: 60, burst: 10_000 };
  await leaseRequests(pool, channel.id, wanted, 10_000);
  const held = await connect(one.database.tamperUrl);
  await held.query('begin');
  await held.query('select from rate_bucket where channel_id = $1 for update', [channel.id]);
  const waiting = leaseRequests(pool, channel.id, wanted, 10_000);
  await untilWaiting(one.database.adminUrl, 1);
  // Another process has emptied the bucket meanwhile.
  await held.query('update rate_bucket set units = 0, at = clock_timestamp() where channel_id = $1', [
    channel.id,
  ]);
  const { rows } = await held.query<{ at: Date }>('select at from rate_bucket where channel_id = $1', [
    channel.id,
  ]);
  await held.query('commit');
  await held.end();
  await waiting;
  const [after] = await query<{ at: Date }>(
    one.database.adminUrl,
    `select at from rate_bucket where channel_id = ${channel.id}`,
  );
  assert.ok(after && rows[0] && after.at.getTime() >= rows[0].at.getTime(), 'the bucket went back in time');
});

test('after the clock of the database was set back, the limit refills as usual, and not only when the old time is reached', async () => {
  const channel = await make.channel();
  const { pool } = one.service.services;
  const wanted = { requests_per_minute: 60_000, burst: 10 };
  await leaseRequests(pool, channel.id, wanted, 10);
  await one.database.tamper(
    `update rate_bucket set units = 0, at = now() + interval '1 hour' where channel_id = $1`,
    [channel.id],
  );
  assert.equal((await leaseRequests(pool, channel.id, wanted, 10)).granted, 0);
  await until(
    async () => (await leaseRequests(pool, channel.id, wanted, 10)).granted > 0,
    'a refill',
    10_000,
  );
});

test('limits are audited; an invalid limit is refused by field, and nothing changes', async () => {
  const channel = await make.channel();
  const path = `/channels/${channel.id}/rate-limit`;
  await limit(channel, 7, 600);
  for (const [body, ...fields] of [
    [{ requests_per_minute: 0, burst: 1 }, 'requests_per_minute'],
    [{ requests_per_minute: 1.5, burst: 1 }, 'requests_per_minute'],
    [{ requests_per_minute: 1_000_001, burst: 1 }, 'requests_per_minute'],
    [{ requests_per_minute: 1, burst: 0 }, 'burst'],
    [{ requests_per_minute: 1 }, 'burst'],
    [{ burst: 1 }, 'requests_per_minute'],
    [{ requests_per_minute: '1', burst: '1' }, 'requests_per_minute', 'burst'],
  ] as const)
    assert.deepEqual(await fieldsRefused(admin('PUT', path, body)), fields);
  await refusal(admin('PUT', '/channels/999999/rate-limit', { requests_per_minute: null }), 404);
  await must(admin('PUT', path, { requests_per_minute: null }), 200);
  const trail = (await audits(`channel:${channel.id}`)).slice(1);
  assert.deepEqual(
    trail.map(({ action, before, after }) => [action, before, after]),
    [
      ['channel.set_rate_limit', null, { requests_per_minute: 600, burst: 7 }],
      ['channel.set_rate_limit', { requests_per_minute: 600, burst: 7 }, null],
    ],
  );
});
