import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COUNTRIES, currencyOf, isCountryCode, isCurrencyCode } from '../../src/core/rules/currency.ts';
import {
  channelAvailable,
  commonAvailable,
  overcommittedBy,
  reserveRemaining,
  fitsReserveQuota,
  NO_STOCK_CHANGE,
} from '../../src/core/rules/stock.ts';
import { isTimeZone, timestampFormat } from '../../src/platform/values/timestamps.ts';

const allocation = (allocated_qty: number, reserve_quota = 0, backordered_qty = 0) => ({
  allocated_qty,
  reserve_quota,
  backordered_qty,
});

test('contract 2.3.10: physical 100 with 30 for A and 20 for B leaves 50 to share', () => {
  const stock = { quantity: 100, unshipped: 0, allocated: 50, backordered: 0 };
  assert.equal(commonAvailable(stock), 50);
  assert.equal(channelAvailable(stock, allocation(30)), 80);
  assert.equal(channelAvailable(stock, allocation(20)), 70);
});

test('contract 2.3.1: a negative common stock counts as 0 and reduces no pre-allocation', () => {
  const stock = { quantity: 10, unshipped: 1, allocated: 7, backordered: 5 };
  assert.equal(commonAvailable(stock), 0);
  assert.equal(channelAvailable(stock, allocation(7)), 7);
});

test('contract 2.3.2b: a channel is offered at most the physical stock that no unshipped normal order holds', () => {
  // Columns: quantity, unshipped, allocated, backordered, the channel's allocated_qty, expected available.
  for (const [quantity, unshipped, allocated, backordered, own, available] of [
    [0, 0, 10, 0, 10, 0], // a backorder of all ten shipped first
    [10, 0, 2_147_483_647, 0, 2_147_483_647, 10], // allocated before a delivery
    [3, 0, 10, 0, 10, 3], // a count lowered the stock
    [10, 4, 10, 0, 6, 6], // the boundary: orders hold four, the channel the other six
    [10, 5, 10, 0, 6, 5], // one below the boundary
    [5, 10, 7, 3, 7, 0], // unshipped orders hold more than the physical stock: shown as 0
    [10, 0, 14, 0, 4, 4], // several channels: the smaller of the two limits
    [10, 0, 10, 10, 10, 10], // open backorders alone do not limit a pre-allocation
  ] as const) {
    const stock = { quantity, unshipped, allocated, backordered };
    assert.equal(channelAvailable(stock, allocation(own)), available, JSON.stringify(stock));
  }
});

test('NO_STOCK_CHANGE is zero for every counter', () => {
  assert.deepEqual(NO_STOCK_CHANGE, { quantity: 0, unshipped: 0, allocated: 0, backordered: 0 });
});

test('an item is overcommitted by as much as unshipped normal orders and pre-allocations exceed the stock', () => {
  const stock = { quantity: 10, unshipped: 4, allocated: 6, backordered: 0 };
  assert.equal(overcommittedBy(stock), 0);
  assert.equal(overcommittedBy({ ...stock, allocated: 7 }), 1);
  assert.equal(overcommittedBy({ ...stock, quantity: 0 }), 10);
  assert.equal(
    overcommittedBy({ ...stock, backordered: 50 }),
    0,
    'backorders are beyond the stock by design',
  );
});

test('contract 2.3.2: without overcommitment, available follows the formula exactly', () => {
  const counts = [0, 1, 2, 3, 5];
  for (const quantity of counts)
    for (const unshipped of counts)
      for (const own of counts)
        for (const others of counts)
          for (const backordered of counts) {
            const stock = { quantity, unshipped, allocated: own + others, backordered };
            if (overcommittedBy(stock) > 0) continue;
            const letter = Math.max(0, quantity - unshipped - own - others - backordered) + own;
            assert.equal(channelAvailable(stock, allocation(own)), letter, JSON.stringify(stock));
          }
});

test('contract 2.3.3, 2.3.3a: reserve_remaining is shown as at least 0; unlimited shows 0', () => {
  assert.equal(reserveRemaining(allocation(0, 10, 4)), 6);
  assert.equal(reserveRemaining(allocation(0, 3, 4)), 0);
  assert.equal(reserveRemaining(allocation(0, 0, 4)), 0);
});

test('contract 4.3.8: a quota of 0 is no limit; a quota below the open backorders refuses new ones', () => {
  assert.equal(fitsReserveQuota(allocation(0, 0, 1_000), 1_000_000), true);
  assert.equal(fitsReserveQuota(allocation(0, 10, 4), 6), true);
  assert.equal(fitsReserveQuota(allocation(0, 10, 4), 7), false);
  assert.equal(fitsReserveQuota(allocation(0, 3, 4), 1), false);
});

test('contract 2.6.1: KR or unset is KRW, every other country has its own currency', () => {
  assert.equal(currencyOf(null), 'KRW');
  for (const [country, currency] of [
    ['KR', 'KRW'],
    ['JP', 'JPY'],
    ['US', 'USD'],
    ['DE', 'EUR'],
    ['TW', 'TWD'],
  ]) {
    assert.equal(currencyOf(country as string), currency);
  }
  assert.equal(isCountryCode('ZZ'), false);
  assert.throws(() => currencyOf('ZZ'));
});

test('every country is listed once, sorted by code, and every currency belongs to a country', () => {
  assert.ok(COUNTRIES.length > 200);
  const codes = COUNTRIES.map(({ country_code }) => country_code);
  assert.deepEqual(codes, [...new Set(codes)].toSorted());
  for (const { country_code, currency_code } of COUNTRIES) {
    assert.equal(currency_code, currencyOf(country_code));
    assert.equal(isCountryCode(country_code), true);
    assert.equal(isCurrencyCode(currency_code), true);
  }
  assert.equal(isCurrencyCode('XYZ'), false);
  assert.equal(isCurrencyCode('KR'), false, 'a country code is not a currency code');
});

test('contract 2.4.11a: timestamps have the offset of the time zone at that moment', () => {
  const seoul = timestampFormat('Asia/Seoul');
  assert.equal(seoul(new Date('2026-11-15T00:30:00Z')), '2026-11-15T09:30:00+09:00');
  assert.equal(timestampFormat('UTC')(new Date('2026-11-15T00:30:00.999Z')), '2026-11-15T00:30:00+00:00');
  const newYork = timestampFormat('America/New_York');
  assert.equal(newYork(new Date('2026-11-01T05:59:59Z')), '2026-11-01T01:59:59-04:00');
  assert.equal(newYork(new Date('2026-11-01T06:00:00Z')), '2026-11-01T01:00:00-05:00');
  assert.equal(
    timestampFormat('Asia/Kathmandu')(new Date('2026-01-01T00:00:00Z')),
    '2026-01-01T05:45:00+05:45',
  );
  assert.equal(isTimeZone('Mars/Olympus'), false);
  assert.equal(isTimeZone('Asia/Seoul'), true);
});
