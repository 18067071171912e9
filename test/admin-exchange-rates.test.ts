import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { desk, fieldsRefused, refusal } from './kit/desk.ts';
import { fixtures, must, orderOf } from '../verify/kit/fixtures.ts';
import { startTestService } from '../verify/kit/service.ts';

const service = await startTestService();
const make = fixtures(service);
const { admin, audits, pages } = desk(service);
const post = (body: unknown) => admin('POST', '/exchange-rates', body);

test('a rate is stored exactly as given, as a string or as a number', async () => {
  const given = [
    ['1387.123456789012', '1387.123456789012'],
    ['999999999.999999999999', '999999999.999999999999'],
    ['0.000000000001', '0.000000000001'],
    ['9.50', '9.50'],
    ['1e3', '1000'],
    [9.4512, '9.4512'],
    [0.1, '0.1'],
    [1e-7, '0.0000001'],
    [1300, '1300'],
  ] as const;
  for (const [rate, kept] of given) {
    const made = await must(post({ currency_code: 'USD', rate }), 201);
    assert.equal(made.rate, kept);
    assert.deepEqual(Object.keys(made), ['id', 'currency_code', 'rate', 'effective_at', 'created_at']);
    assert.equal(
      made.effective_at,
      made.created_at,
      'without effective_at: the current time of the database',
    );
  }
  const [entry] = await audits('exchange_rate:USD');
  assert.equal(entry?.action, 'exchange_rate.create');
  assert.partialDeepStrictEqual(entry?.after, { rate: '1387.123456789012' });
});

test('intake uses the latest rate that is not in the future', async () => {
  const { channel, sku } = await make.setting(100, { country_code: 'JP' });
  const total = async () => {
    const order = orderOf([{ sku, quantity: 1, unit_price: 100 }]);
    return (await must(channel.call('POST', '/orders', order), 201)).total_amount as string;
  };
  assert.equal(await total(), '0.00');
  await must(post({ currency_code: 'jpy', rate: '9', effective_at: '2020-01-01T00:00:00+09:00' }), 201);
  await must(post({ currency_code: 'JPY', rate: '8', effective_at: '2019-01-01T00:00:00Z' }), 201);
  await must(post({ currency_code: 'JPY', rate: '77', effective_at: '2999-01-01T00:00:00Z' }), 201);
  assert.equal(await total(), '900.00');
  await must(post({ currency_code: 'JPY', rate: '9.25' }), 201);
  assert.equal(await total(), '925.00');
});

test('a rate for KRW is refused: it is always 1', async () => {
  for (const currency_code of ['KRW', 'krw']) {
    const { error } = await refusal(post({ currency_code, rate: '1' }), 422);
    assert.match(error ?? '', /KRW.*1\.0/);
  }
});

test('an invalid rate is refused with an error for each invalid field', async () => {
  const fields = (body: object) => fieldsRefused(post({ currency_code: 'USD', rate: 1, ...body }));
  const wrong = [
    '0',
    0,
    '-1',
    -1,
    '1000000000',
    1e9,
    '0.0000000000001',
    1e-13,
    '',
    'abc',
    '1,5',
    ' 1',
    null,
    true,
  ];
  for (const rate of wrong) assert.deepEqual(await fields({ rate }), ['rate'], String(rate));
  for (const rate of ['1e999999999', '9'.repeat(5_000), 'NaN', 'Infinity', '0x10', '+1'])
    assert.deepEqual(await fields({ rate }), ['rate'], rate.slice(0, 20));
  const inexact = '{"currency_code":"USD","rate":0.1234567890123456789}';
  assert.deepEqual(await fieldsRefused(post(inexact)), ['rate']);
  for (const currency_code of ['XXX', 'US', 'US Dollar', '', 'uſd', 'U\0D', 5, null])
    assert.deepEqual(await fields({ currency_code }), ['currency_code'], String(currency_code));
  for (const effective_at of [
    '2026-11-15',
    '2026-11-15T09:30:00',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:00:00+25:00',
    '0000-01-01T00:00:00Z',
    '10000-01-01T00:00:00Z',
    'yesterday',
    '',
    17,
  ])
    assert.deepEqual(await fields({ effective_at }), ['effective_at'], String(effective_at));
  assert.deepEqual(await fieldsRefused(post({})), ['currency_code', 'rate']);
  assert.deepEqual(await fields({ currency_code: 'XXX', rate: '0', effective_at: 'x' }), [
    'currency_code',
    'rate',
    'effective_at',
  ]);
});

test('timestamps are accepted with any offset and returned in the configured time zone', async () => {
  for (const [given, shown] of [
    ['2024-02-29T23:59:59Z', '2024-03-01T08:59:59+09:00'],
    ['2024-02-29T23:59:59.123456-05:30', '2024-03-01T14:29:59+09:00'],
    ['2024-02-29T23:59+0900', '2024-02-29T23:59:00+09:00'],
  ]) {
    const made = await must(post({ currency_code: 'EUR', rate: 1, effective_at: given }), 201);
    assert.equal(made.effective_at, shown);
  }
});

test('the list is ordered latest first, can be filtered by currency, and is complete in pages of any size', async () => {
  // Several rates share one effective_at, and one is entered late for an earlier time.
  for (const day of ['03', '01', '02', '02', '02', '01'])
    await must(post({ currency_code: 'CHF', rate: day, effective_at: `2024-01-${day}T00:00:00Z` }), 201);
  const all = await pages('/exchange-rates', 500);
  for (const limit of [1, 2, 4]) assert.deepEqual(await pages('/exchange-rates', limit), all);
  const francs = await pages('/exchange-rates?currency_code=chf', 2);
  assert.deepEqual(
    francs.map((row) => row.rate),
    ['3', '2', '2', '2', '1', '1'],
  );
  assert.deepEqual(
    francs,
    all.filter((row) => row.currency_code === 'CHF'),
  );
  assert.deepEqual(await pages('/exchange-rates?currency_code=nope', 2), []);
});

describe('the rates in effect', () => {
  const current = () => must(admin('GET', '/exchange-rates/current'), 200);
  interface Shown {
    currency_code: string;
    rate?: string;
    effective_at?: string;
    next: { rate: string } | null;
    channels: { id: number; name: string }[];
  }
  const of = (list: Shown[], code: string) => list.find((one) => one.currency_code === code);
  const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

  test('each currency has its latest rate that is not in the future, the next rate, and the channels that use it', async () => {
    const channel = await make.channel({ country_code: 'TH' });
    const { name } = await must(admin('GET', `/channels/${channel.id}`), 200);
    const sleeping = await make.channel({ country_code: 'TH', is_active: false });
    for (const [rate, days] of [
      ['40.1', -2],
      ['40.25', -1],
      ['42', 5],
      ['41', 2],
    ] as const)
      await must(post({ currency_code: 'THB', rate, effective_at: at(days) }), 201);
    const found = await current();
    const baht = of(found.rates, 'THB');
    assert.equal(baht?.rate, '40.25');
    assert.match(baht?.effective_at ?? '', /\+09:00$/);
    assert.equal(baht?.next?.rate, '41');
    assert.deepEqual(baht?.channels, [{ id: channel.id, name }]);
    assert.equal(of(found.missing, 'THB'), undefined);
    assert.equal(JSON.stringify(found).includes(`"id":${sleeping.id},`), false);
    // Intake uses the rate that is shown.
    const variant = await make.variant(5);
    const sku = await make.map(channel, variant);
    const { id } = await must(
      channel.call('POST', '/orders', orderOf([{ sku, quantity: 1, unit_price: 1 }])),
      201,
    );
    assert.equal((await must(admin('GET', `/orders/${id}`), 200)).exchange_rate, '40.25');
  });

  test('a currency without a rate is listed as missing with its active channels until it has one; KRW never is', async () => {
    const korean = await make.channel({ country_code: 'KR' });
    const channel = await make.channel({ country_code: 'VN' });
    await must(post({ currency_code: 'VND', rate: '0.05', effective_at: at(3) }), 201);
    const before = await current();
    assert.equal(of(before.rates, 'VND'), undefined);
    const dong = of(before.missing, 'VND');
    assert.deepEqual(
      dong?.channels.map(({ id }) => id),
      [channel.id],
    );
    assert.equal(dong?.next?.rate, '0.05');
    assert.equal(JSON.stringify(before.missing).includes(`"id":${korean.id},`), false);
    assert.equal(of(before.missing, 'KRW') ?? of(before.rates, 'KRW'), undefined);
    await must(post({ currency_code: 'VND', rate: '0.054' }), 201);
    const after = await current();
    assert.equal(of(after.missing, 'VND'), undefined);
    assert.equal(of(after.rates, 'VND')?.rate, '0.054');
    await must(admin('PATCH', `/channels/${channel.id}`, { is_active: false }), 200);
    assert.deepEqual(of((await current()).rates, 'VND')?.channels, []);
  });

  test('a currency without an active channel and without a rate in effect is not listed', async () => {
    await make.channel({ country_code: 'MX', is_active: false });
    await must(post({ currency_code: 'SEK', rate: '130', effective_at: at(1) }), 201);
    const found = await current();
    for (const code of ['MXN', 'SEK'])
      assert.equal(of(found.rates, code) ?? of(found.missing, code), undefined);
  });
});

test('a withdrawn rate is no longer used; orders keep their rate, and a cursor at the withdrawn rate stays valid', async () => {
  const { channel, sku } = await make.setting(100, { country_code: 'BR' });
  const take = async () => {
    const order = orderOf([{ sku, quantity: 1, unit_price: 100 }]);
    return must(channel.call('POST', '/orders', order), 201);
  };
  await must(post({ currency_code: 'BRL', rate: '40' }), 201);
  const wrong = await must(post({ currency_code: 'BRL', rate: '400' }), 201);
  const taken = await take();
  assert.equal(taken.total_amount, '40000.00');
  const [page] = [await admin('GET', '/exchange-rates?currency_code=BRL&limit=1')];
  const gone = await admin('DELETE', `/exchange-rates/${wrong.id}`);
  assert.equal(gone.status, 204);
  const next = await must(
    admin('GET', `/exchange-rates?currency_code=BRL&limit=1&cursor=${page.json.next_cursor}`),
    200,
  );
  assert.deepEqual(
    next.map((rate: { rate: string }) => rate.rate),
    ['40'],
  );
  assert.equal((await take()).total_amount, '4000.00');
  assert.equal((await must(admin('GET', `/orders/${taken.id}`), 200)).exchange_rate, '400');
  const entry = (await audits('exchange_rate:BRL')).at(-1);
  assert.equal(entry?.action, 'exchange_rate.withdraw');
  assert.partialDeepStrictEqual(entry?.before, { rate: '400' });
  for (const id of [wrong.id, 'x', '0', '99999999999'])
    assert.equal(
      (await refusal(admin('DELETE', `/exchange-rates/${id}`), 404)).code,
      'exchange_rate_unknown',
    );
  const tooEarly = Buffer.from(JSON.stringify('-999999999999999999:1')).toString('base64url');
  for (const cursor of ['Inh4Ig', tooEarly])
    assert.deepEqual(await fieldsRefused(admin('GET', `/exchange-rates?cursor=${cursor}`)), ['cursor']);
});
