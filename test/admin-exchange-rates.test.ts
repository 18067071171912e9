import assert from 'node:assert/strict';
import { test } from 'node:test';
import { desk, fieldsRefused, refusal } from './kit/desk.ts';
import { fixtures, must, orderOf } from './kit/fixtures.ts';
import { startTestService } from './kit/service.ts';

const service = await startTestService();
const make = fixtures(service);
const { admin, audits, pages } = desk(service);
const post = (body: unknown) => admin('POST', '/exchange-rates', body);

test('a rate is kept exactly as given, as text or as a number', async () => {
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
    assert.equal(made.effective_at, made.created_at, 'now, by the clock of the database');
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

test('KRW is always 1, by rule', async () => {
  for (const currency_code of ['KRW', 'krw']) {
    const { error } = await refusal(post({ currency_code, rate: '1' }), 422);
    assert.match(error ?? '', /KRW.*1\.0/);
  }
});

test('what is wrong with a rate is said field by field', async () => {
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

test('timestamps are read with any offset, and shown with the configured one', async () => {
  for (const [given, shown] of [
    ['2024-02-29T23:59:59Z', '2024-03-01T08:59:59+09:00'],
    ['2024-02-29T23:59:59.123456-05:30', '2024-03-01T14:29:59+09:00'],
    ['2024-02-29T23:59+0900', '2024-02-29T23:59:00+09:00'],
  ]) {
    const made = await must(post({ currency_code: 'EUR', rate: 1, effective_at: given }), 201);
    assert.equal(made.effective_at, shown);
  }
});

test('the list is the latest first, by currency, complete in pages of any size', async () => {
  // Several share one moment, and one is entered late for an earlier one.
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
