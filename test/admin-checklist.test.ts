// The checklist of a channel: the five prerequisites of contract 1.2 and two hints, each with what is missing. The list
// of countries.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transportOf } from '../src/core/channels/api-url.ts';
import { desk, refusal } from './kit/desk.ts';
import { fixtures, must } from '../verify/kit/fixtures.ts';
import { call, startTestService } from '../verify/kit/service.ts';

const service = await startTestService();
const make = fixtures(service);
const { admin, pages, token } = desk(service);

interface Item {
  key: string;
  ok: boolean;
  state: string;
  detail: Record<string, unknown>;
}

async function checklist(id: number): Promise<Record<string, Item>> {
  const { items } = (await must(admin('GET', `/channels/${id}/checklist`), 200)) as { items: Item[] };
  assert.deepEqual(
    items.map(({ key }) => key),
    ['active', 'country', 'mappings', 'allocations', 'exchange_rate', 'api_url', 'order_number_prefix'],
  );
  for (const { ok, state } of items) assert.equal(ok, state !== 'missing');
  return Object.fromEntries(items.map((item) => [item.key, item]));
}

test('a new channel without a country: each item shows whether it is missing, with its figures', async () => {
  const { id } = await make.channel({ country_code: null });
  const { active, country, mappings, allocations, exchange_rate } = await checklist(id);
  assert.deepEqual([active?.state, active?.detail], ['done', {}]);
  assert.deepEqual(
    [country?.state, country?.detail],
    ['missing', { country_code: null, currency_code: 'KRW' }],
  );
  assert.deepEqual([mappings?.state, mappings?.detail], ['missing', { mapped: 0, unmapped_asked: 0 }]);
  assert.deepEqual([allocations?.state, allocations?.detail], ['optional', { configured: 0 }]);
  assert.deepEqual(
    [exchange_rate?.state, exchange_rate?.detail],
    ['done', { currency_code: 'KRW', base: true, rate: null, effective_at: null }],
  );
});

test('each item is done once its requirement is met', async () => {
  const { channel, variant } = await make.setting(10, { country_code: 'JP' });
  assert.equal((await checklist(channel.id))['exchange_rate']?.state, 'missing');
  const future = { currency_code: 'JPY', rate: '9.9', effective_at: '2090-01-01T00:00:00Z' };
  await must(admin('POST', '/exchange-rates', future), 201);
  assert.equal(
    (await checklist(channel.id))['exchange_rate']?.state,
    'missing',
    'a future rate is not in effect yet',
  );
  const past = { currency_code: 'JPY', rate: '9.1', effective_at: '2020-01-01T00:00:00Z' };
  await must(admin('POST', '/exchange-rates', past), 201);
  await must(
    admin('POST', '/exchange-rates', { ...past, rate: '9.25', effective_at: '2021-01-01T00:00:00Z' }),
    201,
  );
  await make.allocate(channel, variant, 0, 0);
  const before = await checklist(channel.id);
  assert.deepEqual(before['exchange_rate']?.detail, {
    currency_code: 'JPY',
    base: false,
    rate: '9.25',
    effective_at: '2021-01-01T09:00:00+09:00',
  });
  assert.deepEqual(before['mappings'], {
    key: 'mappings',
    ok: true,
    state: 'done',
    detail: { mapped: 1, unmapped_asked: 0 },
  });
  assert.equal(
    before['allocations']?.state,
    'optional',
    'an allocation with zeros does not count as configured',
  );
  await make.allocate(channel, variant, 0, 3);
  assert.deepEqual((await checklist(channel.id))['allocations']?.detail, { configured: 1 });
  assert.equal((await checklist(channel.id))['country']?.state, 'done');
  await must(admin('PATCH', `/channels/${channel.id}`, { is_active: false }), 200);
  assert.equal((await checklist(channel.id))['active']?.state, 'missing');
});

test('an api_url without TLS is a warning, because the key is sent to it; with a private address it is only a hint', async () => {
  const { id } = await make.channel();
  const stateOf = async (api_url: string | null) => {
    await must(admin('PATCH', `/channels/${id}`, { api_url }), 200);
    const { api_url: item } = await checklist(id);
    return [item?.state, item?.detail['transport']];
  };
  assert.deepEqual(await stateOf(null), ['optional', 'none']);
  assert.deepEqual(await stateOf('https://shop.example.com/info'), ['done', 'encrypted']);
  assert.deepEqual(await stateOf('HTTP://shop.example.com/info'), ['warning', 'plain']);
  for (const host of ['127.0.0.1:8080', '[::1]', 'localhost', '10.1.2.3'])
    assert.deepEqual(await stateOf(`http://${host}/info`), ['optional', 'plain_private'], host);
  assert.equal(transportOf('http://10.1.2.3/', false), 'plain');
  assert.equal(transportOf('http://8.8.8.8/', true), 'plain');
});

test('contract 10.13: channels whose prefixes overlap are named as a warning, not as missing', async () => {
  const name = `Prefix ${process.pid}`;
  const first = await make.channel({ name: `${name} 1`, order_number_prefix: `Q${process.pid}-` });
  const item = async (id: number) => {
    const { ok, state, detail } = (await checklist(id))['order_number_prefix'] as Item;
    return [ok, state, detail['shared_with']];
  };
  assert.deepEqual(await item(first.id), [true, 'done', []]);
  const second = await make.channel({ name: `${name} 2` });
  // Only prefixes from before the rule that they must not overlap.
  const { pool } = service.service.services;
  await pool.query('update channel set order_number_prefix = $2 where id = $1', [
    second.id,
    `Q${process.pid}-2`,
  ]);
  assert.deepEqual(await item(first.id), [true, 'warning', [`${name} 2`]]);
  assert.deepEqual(await item(second.id), [true, 'warning', [`${name} 1`]]);
  await must(admin('PATCH', `/channels/${first.id}`, { is_active: false }), 200);
  assert.deepEqual(await item(second.id), [true, 'done', []]);
  const [bare, other] = [await make.channel(), await make.channel()];
  for (const { id } of [bare, other]) {
    const [ok, state, shared] = await item(id);
    assert.deepEqual([ok, state, (shared as string[]).length > 0], [true, 'optional', true]);
  }
});

test('an unmapped SKU request makes the mappings incomplete until the SKU is mapped', async () => {
  const { channel, variant } = await make.setting(1);
  await channel.call('GET', '/inventory/new-lens');
  await service.service.flush();
  const { mappings } = await checklist(channel.id);
  assert.deepEqual([mappings?.ok, mappings?.detail], [false, { mapped: 1, unmapped_asked: 1 }]);
  await make.map(channel, variant, 'new-lens');
  assert.deepEqual((await checklist(channel.id))['mappings']?.detail, { mapped: 2, unmapped_asked: 0 });
});

test('an unknown channel is 404; a viewer can read the checklist, a request without a token is refused', async () => {
  for (const id of ['999999', 'abc', '0', '99999999999', '%00'])
    await refusal(admin('GET', `/channels/${id}/checklist`), 404);
  const { id } = await make.channel();
  const path = `/channels/${id}/checklist`;
  assert.equal((await admin('GET', path, undefined, await token('viewer'))).status, 200);
  assert.equal((await call(`${service.origin}/admin/v1${path}`, 'GET')).status, 401);
});

test('the countries are returned sorted in one page, and a channel accepts them', async () => {
  const answer = await admin('GET', '/countries', undefined, await token('viewer'));
  assert.equal(answer.json.next_cursor, null);
  const countries = answer.json.data as { country_code: string; currency_code: string }[];
  assert.ok(countries.length > 200);
  const codes = countries.map(({ country_code }) => country_code);
  assert.deepEqual(codes, [...new Set(codes)].toSorted());
  const { id } = await make.channel();
  for (const { country_code, currency_code } of [
    countries[0],
    countries.at(-1),
    { country_code: 'JP', currency_code: 'JPY' },
  ] as typeof countries) {
    const channel = await must(admin('PATCH', `/channels/${id}`, { country_code }), 200);
    assert.equal(channel.currency_code, currency_code, country_code);
  }
  assert.equal((await pages('/channels', 500)).length > 0, true);
});
