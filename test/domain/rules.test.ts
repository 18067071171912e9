import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COUNTRIES, currencyOf, isCountryCode, isCurrencyCode } from '../../src/domain/currency.ts';
import {
  channelAvailable,
  commonAvailable,
  reserveRemaining,
  fitsReserveQuota,
} from '../../src/domain/stock.ts';
import { isTimeZone, timestampFormat } from '../../src/domain/timestamps.ts';

const allocation = (allocated_qty: number, reserve_quota = 0, backordered_qty = 0) => ({
  allocated_qty,
  reserve_quota,
  backordered_qty,
});

test('2.3, the worked shape: physical 100 with 30 for A and 20 for B leaves 50 to share', () => {
  const stock = { quantity: 100, unshipped: 0, allocated: 50, backordered: 0 };
  assert.equal(commonAvailable(stock), 50);
  assert.equal(channelAvailable(stock, allocation(30)), 80);
  assert.equal(channelAvailable(stock, allocation(20)), 70);
});

test('2.3, formula 1: a negative common stock is 0 and takes nothing from a pre-allocation', () => {
  const stock = { quantity: 5, unshipped: 10, allocated: 7, backordered: 3 };
  assert.equal(commonAvailable(stock), 0);
  assert.equal(channelAvailable(stock, allocation(7)), 7);
});

test('2.3, formula 3: reserve_remaining is shown as at least 0; unlimited shows 0', () => {
  assert.equal(reserveRemaining(allocation(0, 10, 4)), 6);
  assert.equal(reserveRemaining(allocation(0, 3, 4)), 0);
  assert.equal(reserveRemaining(allocation(0, 0, 4)), 0);
});

test('4.3, rule 8: a quota of 0 is no limit, a lowered one below what is open refuses', () => {
  assert.equal(fitsReserveQuota(allocation(0, 0, 1_000), 1_000_000), true);
  assert.equal(fitsReserveQuota(allocation(0, 10, 4), 6), true);
  assert.equal(fitsReserveQuota(allocation(0, 10, 4), 7), false);
  assert.equal(fitsReserveQuota(allocation(0, 3, 4), 1), false);
});

test('2.6, rule 1: KR or unset is KRW, every other country has its own currency', () => {
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

test('every country has one line, in order of codes, and every currency is one of a country', () => {
  assert.ok(COUNTRIES.length > 200);
  const codes = COUNTRIES.map(({ country_code }) => country_code);
  assert.deepEqual(codes, [...new Set(codes)].toSorted());
  for (const { country_code, currency_code } of COUNTRIES) {
    assert.equal(currency_code, currencyOf(country_code));
    assert.equal(isCountryCode(country_code), true);
    assert.equal(isCurrencyCode(currency_code), true);
  }
  assert.equal(isCurrencyCode('XYZ'), false);
  assert.equal(isCurrencyCode('KR'), false, 'a country is no currency');
});

test('decision 14: timestamps carry the offset of the zone, through its changes', () => {
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
