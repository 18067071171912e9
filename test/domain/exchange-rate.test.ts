import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { COLLECTED_RATE_DECIMALS, collectedRate, isRateJump } from '../../src/core/rules/exchange-rate.ts';
import {
  decimal,
  exactRate,
  formatDecimal,
  parseDecimal,
  quotient,
  type Decimal,
} from '../../src/platform/values/money.ts';

const positive = fc
  .record({ units: fc.bigInt({ min: 1n, max: 10n ** 12n }), scale: fc.integer({ min: 0, max: 8 }) })
  .map((value): Decimal => value);

test('a quotient is rounded half up: its error is at most half a unit of the last decimal place', () => {
  fc.assert(
    fc.property(positive, positive, fc.integer({ min: 0, max: 12 }), (a, b, scale) => {
      const { units } = quotient(a, b, scale);
      // a/b × 10^scale, compared without a division: |2·units·b − 2·a·10^scale| ≤ b, both sides over 10^(scales).
      const exact = 2n * a.units * 10n ** BigInt(scale + b.scale);
      const rounded = 2n * units * b.units * 10n ** BigInt(a.scale);
      const half = b.units * 10n ** BigInt(a.scale);
      assert.ok(rounded - exact <= half && exact - rounded < half + 1n);
    }),
  );
  assert.equal(formatDecimal(quotient(decimal('1'), decimal('3'), 4)), '0.3333');
  assert.equal(formatDecimal(quotient(decimal('2'), decimal('3'), 4)), '0.6667');
  assert.equal(formatDecimal(quotient(decimal('0.5'), decimal('1'), 0)), '1');
  for (const wrong of ['0', '-1']) assert.throws(() => quotient(decimal('1'), decimal(wrong), 2), RangeError);
});

test('KRW for one unit, from KRW for 100 units, from units for one KRW, and through a third currency', () => {
  assert.equal(collectedRate(decimal('894.32'), decimal('100')), '8.9432');
  assert.equal(collectedRate(decimal('1'), decimal('0.1118')), '8.94454383');
  assert.equal(collectedRate(decimal('1461.87'), decimal('163.76')), '8.92690523');
  for (const [krw, units] of [
    ['0', '1'],
    ['1', '0'],
    ['-1', '1'],
    ['1', '-1'],
    ['1000000000', '1'],
    ['1', '1000000000000'],
  ] as const)
    assert.equal(collectedRate(decimal(krw), decimal(units)), null, `${krw} / ${units}`);
});

test('a collected rate can always be stored and read again', () => {
  fc.assert(
    fc.property(positive, positive, (krw, units) => {
      const rate = collectedRate(krw, units);
      if (rate === null) return;
      assert.equal(exactRate(rate), rate);
      assert.ok((parseDecimal(rate)?.scale ?? 99) <= COLLECTED_RATE_DECIMALS);
    }),
  );
});

test('a jump is a difference of more than 20 % from the previous rate, up or down', () => {
  const jumps = (before: string, next: string) => isRateJump(decimal(before), decimal(next));
  for (const [before, next] of [
    ['10', '12'],
    ['10', '8'],
    ['10.00', '11.999999'],
    ['1300', '1300'],
  ] as const)
    assert.equal(jumps(before, next), false, `${before} → ${next}`);
  for (const [before, next] of [
    ['10', '12.00000001'],
    ['10', '7.99999999'],
    ['9.4512', '945.12'],
    ['945.12', '9.4512'],
  ] as const)
    assert.equal(jumps(before, next), true, `${before} → ${next}`);
  fc.assert(
    fc.property(positive, fc.integer({ min: 1, max: 1_000 }), (before, percent) => {
      const next = { units: before.units * BigInt(percent), scale: before.scale + 2 };
      assert.equal(isRateJump(before, next), percent < 80 || percent > 120);
    }),
  );
});
