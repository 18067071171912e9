// Contract 2.6: which exchange rate applies, and how amounts are converted and rounded.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixtures, must, orderOf, type TestChannel } from '../verify/kit/fixtures.ts';
import { startTestService } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';

const service = await startTestService();
const make = fixtures(service);

const stored = (id: number) => must(service.admin('GET', `/orders/${id}`), 200);
const trimmed = (amount: string) => amount.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
const line = (sku: string, quantity: number, unit_price: number) => ({ sku, quantity, unit_price });

const addRate = (currency_code: string, rate: string | number, effective_at?: Date) =>
  must(
    service.admin('POST', '/exchange-rates', {
      currency_code,
      rate,
      ...(effective_at ? { effective_at: effective_at.toISOString() } : {}),
    }),
    201,
  );
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);

const intake = (channel: TestChannel, items: ReturnType<typeof line>[]) =>
  must(channel.call('POST', '/orders', orderOf(items)), 201);

/** Rate, currency and both totals of a new order. */
async function amounts(channel: TestChannel, items: ReturnType<typeof line>[]) {
  const { id, total_amount } = await intake(channel, items);
  const whole = await stored(id);
  assert.equal(whole.total_amount, total_amount);
  return {
    currency: whole.local_currency_code,
    rate: trimmed(whole.exchange_rate),
    local: trimmed(whole.local_total_amount),
    total: total_amount,
  };
}

test('contract 2.6.1, 2.6.2: country KR or unset means KRW at 1.0, whatever rates exist', async () => {
  for (const country_code of ['KR', null, undefined]) {
    const { channel, sku } = await make.setting(100, { country_code });
    assert.deepEqual(await amounts(channel, [line(sku, 3, 15000)]), {
      currency: 'KRW',
      rate: '1',
      local: '45000',
      total: '45000.00',
    });
  }
  const refused = await service.admin('POST', '/exchange-rates', { currency_code: 'KRW', rate: '2' });
  assert.equal(refused.status, 422, 'a rate for the base currency is refused');
});

test('contract 2.6.1: the country determines the currency', async () => {
  const countries = {
    JP: 'JPY',
    US: 'USD',
    DE: 'EUR',
    FR: 'EUR',
    GB: 'GBP',
    CN: 'CNY',
    TW: 'TWD',
    VN: 'VND',
  };
  for (const [country_code, currency] of Object.entries(countries)) {
    const { channel, sku } = await make.setting(100, { country_code });
    assert.equal((await amounts(channel, [line(sku, 1, 1)])).currency, currency);
  }
});

test('contract 2.6.5, 2.6.5a: without a rate the order is accepted with rate 0 and amounts 0', async () => {
  const { channel, sku } = await make.setting(100, { country_code: 'NZ' });
  const data = await intake(channel, [line(sku, 2, 10.5)]);
  assert.equal(data.total_amount, '0.00');
  assert.equal(data.items[0].unit_price, '0.00');
  const whole = await stored(data.id);
  assert.deepEqual(
    [whole.local_currency_code, trimmed(whole.exchange_rate), trimmed(whole.local_total_amount)],
    ['NZD', '0', '21'],
  );
  assert.equal(trimmed(whole.items[0].local_unit_price), '10.5');
  assert.equal(whole.items[0].unit_price, '0.00');
});

test('contract 2.6.3: both amounts and the rate are stored, per order and per line', async () => {
  await addRate('JPY', '9.4512', ago(60));
  const { channel, sku } = await make.setting(100, { country_code: 'JP' });
  const data = await intake(channel, [line(sku, 2, 1980), line(sku, 1, 500.5)]);
  // 1980 × 9.4512 = 18713.376; 500.5 × 9.4512 = 4730.3256; 4460.5 × 9.4512 = 42157.0776
  assert.deepEqual(
    data.items.map((item: { unit_price: string }) => item.unit_price),
    ['18713.38', '4730.33'],
  );
  assert.equal(data.total_amount, '42157.08');
  const whole = await stored(data.id);
  assert.deepEqual(
    [whole.local_currency_code, trimmed(whole.exchange_rate), trimmed(whole.local_total_amount)],
    ['JPY', '9.4512', '4460.5'],
  );
  assert.deepEqual(
    whole.items.map((item: { local_unit_price: string; unit_price: string }) => [
      trimmed(item.local_unit_price),
      item.unit_price,
    ]),
    [
      ['1980', '18713.38'],
      ['500.5', '4730.33'],
    ],
  );
});

test('contract 2.5.4: the rate is a snapshot: a later rate changes neither the stored order nor its resend', async () => {
  await addRate('CAD', '900', ago(60));
  const { channel, sku } = await make.setting(100, { country_code: 'CA' });
  const order = orderOf([line(sku, 2, 10)]);
  const first = await channel.call('POST', '/orders', order);
  assert.equal(first.json.data.total_amount, '18000.00');
  const before = await stored(first.json.data.id);
  await addRate('CAD', '1000');
  const again = await channel.call('POST', '/orders', order);
  assert.deepEqual([again.status, again.text], [200, first.text]);
  assert.deepEqual(await stored(first.json.data.id), before);
  assert.equal(
    (await intake(channel, [line(sku, 2, 10)])).total_amount,
    '20000.00',
    'a new order uses the new rate',
  );
  const number = order.order_number;
  const reported = await channel.call('POST', `/orders/${number}/status`, { status: 88 });
  assert.equal(reported.json.data.total_amount, '18000.00', 'a later report keeps the old rate');
});

test('contract 2.6.2a: the latest rate by effective_at applies, in whatever order the rates were entered', async () => {
  const { channel, sku } = await make.setting(100, { country_code: 'AU' });
  const rate = async () => (await amounts(channel, [line(sku, 1, 1)])).rate;
  await addRate('AUD', '800', ago(3_600));
  assert.equal(await rate(), '800');
  await addRate('AUD', '810', ago(7_200));
  assert.equal(await rate(), '800', 'an older rate that was entered later');
  const latest = ago(60);
  await addRate('AUD', '820', latest);
  assert.equal(await rate(), '820');
  await addRate('AUD', '825', latest);
  assert.equal(await rate(), '825', 'of two rates for one moment, the one that was entered later');
});

test('contract 2.6.2a: a rate with a future effective_at does not apply before that time', async () => {
  const { channel, sku } = await make.setting(100, { country_code: 'SE' });
  const rate = async () => (await amounts(channel, [line(sku, 1, 1)])).rate;
  await addRate('SEK', '999', new Date(Date.now() + 86_400_000));
  assert.equal(await rate(), '0', 'the only rate is in the future, so none applies');
  await addRate('SEK', '120', ago(60));
  assert.equal(await rate(), '120');
  const soon = Date.now() + 1_000;
  await addRate('SEK', '130', new Date(soon));
  await until(async () => {
    const asked = Date.now();
    const found = await rate();
    const answered = Date.now();
    if (answered < soon) assert.equal(found, '120', 'before its effective_at');
    if (asked > soon) assert.equal(found, '130', 'after its effective_at');
    return found === '130';
  });
});

test('contract 2.6.2: rates of other currencies have no effect; channels with the same currency share its rate', async () => {
  await addRate('EUR', '1500.25', ago(60));
  await addRate('USD', '1400', ago(60));
  for (const country_code of ['DE', 'FR', 'IT']) {
    const { channel, sku } = await make.setting(100, { country_code });
    assert.equal((await amounts(channel, [line(sku, 1, 2)])).total, '3000.50');
  }
  const { channel, sku } = await make.setting(100, { country_code: 'US' });
  assert.equal((await amounts(channel, [line(sku, 1, 2)])).total, '2800.00');
});

test('contract 2.6.1: a new country changes the currency of later orders, not of earlier ones', async () => {
  await addRate('GBP', '1700', ago(60));
  const { channel, sku } = await make.setting(100, { country_code: 'KR' });
  const { id } = await intake(channel, [line(sku, 1, 5)]);
  await must(service.admin('PATCH', `/channels/${channel.id}`, { country_code: 'GB' }), 200);
  assert.deepEqual(await amounts(channel, [line(sku, 1, 5)]), {
    currency: 'GBP',
    rate: '1700',
    local: '5',
    total: '8500.00',
  });
  const old = await stored(id);
  assert.deepEqual([old.local_currency_code, old.total_amount], ['KRW', '5.00']);
});

test('contract 2.6.3a: unit_price is rounded half up to 2 decimals, in decimal and not in binary arithmetic', async () => {
  const { channel, sku } = await make.setting(1_000);
  const cases: [number, string][] = [
    [0.005, '0.01'],
    [0.0049, '0.00'],
    [1.005, '1.01'], // in binary slightly less than 1.005
    [2.675, '2.68'], // in binary slightly less than 2.675
    [0.125, '0.13'], // half to even would give 0.12
    [0.135, '0.14'],
    [8.345, '8.35'],
    [99999999999999.9, '99999999999999.90'],
    [0.1, '0.10'],
    [7, '7.00'],
  ];
  const { items } = await intake(
    channel,
    cases.map(([price]) => line(sku, 1, price)),
  );
  assert.deepEqual(
    items.map((item: { unit_price: string }) => item.unit_price),
    cases.map(([, rounded]) => rounded),
  );
});

test('contract 2.6.3a: the total is rounded once, from the exact local total, not summed from rounded prices', async () => {
  const { channel, sku } = await make.setting(1_000_000);
  assert.equal((await amounts(channel, [line(sku, 3, 0.005)])).total, '0.02', '0.015, not 3 × 0.01');
  assert.equal((await amounts(channel, [line(sku, 3, 0.004)])).total, '0.01', '0.012, not 3 × 0.00');
  const thirds = Array.from({ length: 3 }, () => line(sku, 1, 0.005));
  assert.deepEqual(await amounts(channel, thirds), {
    currency: 'KRW',
    rate: '1',
    local: '0.015',
    total: '0.02',
  });
  assert.equal((await amounts(channel, [line(sku, 1, 0.1), line(sku, 1, 0.2)])).local, '0.3');
  assert.equal((await amounts(channel, [line(sku, 100_000, 0.01)])).total, '1000.00');
});

test('contract 2.6.3a: large totals are exact to the last digit', async () => {
  const { channel, sku } = await make.setting(2147483647);
  const result = await amounts(channel, [line(sku, 2147483647, 999999999999999)]);
  assert.equal(result.local, (2147483647n * 999999999999999n).toString());
  assert.equal(result.total, `${2147483647n * 999999999999999n}.00`);
});

test('contract 2.6.3a: for any prices, quantities and rates the amounts equal exact arithmetic', async () => {
  const { channel, sku } = await make.setting(1_000_000, { country_code: 'CH' });
  let seed = 7;
  const next = (below: number) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const SCALE = 12n; // enough decimals for every product below
  const units = (text: string) => {
    const [whole = '0', fraction = ''] = text.split('.');
    return BigInt(whole + fraction.padEnd(Number(SCALE) / 2, '0'));
  };
  const rounded = (value: bigint) => {
    const cents = (value + 5n * 10n ** (SCALE - 3n)) / 10n ** (SCALE - 2n);
    const text = cents.toString().padStart(3, '0');
    return `${text.slice(0, -2)}.${text.slice(-2)}`;
  };
  for (let round = 0; round < 12; round++) {
    const rate = `${next(2_000)}.${String(1 + next(999_999)).padStart(6, '0')}`;
    await addRate('CHF', rate);
    const lines = Array.from({ length: 1 + next(5) }, () => ({
      quantity: 1 + next(50),
      price: `${next(10_000)}.${String(next(1_000_000)).padStart(6, '0')}`,
    }));
    const data = await intake(
      channel,
      lines.map(({ quantity, price }) => line(sku, quantity, Number(price))),
    );
    const total = lines.reduce((sum, { quantity, price }) => sum + BigInt(quantity) * units(price), 0n);
    assert.equal(data.total_amount, rounded(total * units(rate)));
    for (const [index, { price }] of lines.entries())
      assert.equal(data.items[index].unit_price, rounded(units(price) * units(rate)));
  }
});

test('contract 2.6.6: the two lines of a set product are stored as they were sent', async () => {
  const { channel, sku } = await make.setting();
  const right = await make.map(channel, await make.variant(10));
  const { items, total_amount } = await intake(channel, [line(sku, 1, 15000.01), line(right, 1, 14999.99)]);
  assert.deepEqual(
    items.map((item: { unit_price: string }) => item.unit_price),
    ['15000.01', '14999.99'],
  );
  assert.equal(total_amount, '30000.00');
});
