import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  convertedAmount,
  decimal,
  equalDecimals,
  formatDecimal,
  parseDecimal,
  plus,
  roundAmount,
  significantDigits,
  times,
  timesInteger,
} from '../../src/domain/money.ts';

const decimals = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 18n }), fc.integer({ min: 0, max: 12 }))
  .map(([units, scale]) => ({ units, scale }));

test('a decimal survives text and back', () => {
  fc.assert(fc.property(decimals, (value) => assert.deepEqual(decimal(formatDecimal(value)), value)));
});

test('sums and products are exact, checked on one common scale', () => {
  const onScale = ({ units, scale }: { units: bigint; scale: number }, to: number) =>
    units * 10n ** BigInt(to - scale);
  fc.assert(
    fc.property(decimals, decimals, fc.integer({ min: 1, max: 2_147_483_647 }), (a, b, n) => {
      assert.equal(onScale(plus(a, b), 24), onScale(a, 24) + onScale(b, 24));
      assert.equal(onScale(times(a, b), 24), onScale(a, 12) * onScale(b, 12));
      assert.equal(onScale(timesInteger(a, n), 24), onScale(a, 24) * BigInt(n));
    }),
  );
});

test('rounding to two decimals is half up and never off by more than half a unit', () => {
  fc.assert(
    fc.property(decimals, (value) => {
      const rounded = roundAmount(value);
      assert.equal(rounded.scale, 2);
      const twiceError = 2n * (rounded.units * 10n ** 12n - value.units * 10n ** BigInt(14 - value.scale));
      assert.ok(twiceError > -(10n ** 12n) && twiceError <= 10n ** 12n);
    }),
  );
});

for (const [local, rate, amount] of [
  ['10.5', '812.345', '8529.62'], // 8529.6225
  ['21', '812.345', '17059.25'], // 17059.245: half goes up
  ['0.005', '1', '0.01'],
  ['0.004999999999999', '1', '0.00'],
  ['1.005', '1', '1.01'], // binary floats say 1.00
  ['999999999999999', '1', '999999999999999.00'],
  ['15000', '0', '0.00'],
] as const) {
  test(`decision 12: ${local} at a rate of ${rate} is ${amount}`, () => {
    assert.equal(convertedAmount(decimal(local), decimal(rate)), amount);
  });
}

test('numbers are read in JSON syntax, exponents included, and only in it', () => {
  assert.equal(formatDecimal(decimal('1.5e3')), '1500');
  assert.equal(formatDecimal(decimal('15E-4')), '0.0015');
  assert.ok(equalDecimals(decimal('1.50'), decimal('1.5')));
  for (const text of ['', '.5', '1.', '1,5', '0x10', 'NaN', 'Infinity', '1e999', '--1', ' 1']) {
    assert.equal(parseDecimal(text), null, text);
  }
});

test('negative numbers keep their sign, a zero and a whole number their places', () => {
  for (const text of ['-0.1', '-0.05', '-1.5', '-15', '0.05', '0', '100', '1.50']) {
    assert.equal(formatDecimal(decimal(text)), text);
  }
  assert.equal(formatDecimal(decimal('1e1')), '10');
  assert.equal(formatDecimal(decimal('1.25e1')), '12.5');
  assert.equal(equalDecimals(decimal('-1.5'), decimal('1.5')), false);
});

test('a number out of all proportion is none: exponents to 400, 800 digits', () => {
  for (const [text, isNumber] of [
    ['1e400', true],
    ['1e-400', true],
    ['1e401', false],
    ['1e-401', false],
    ['9'.repeat(800), true],
    ['9'.repeat(801), false],
    [`${'9'.repeat(400)}.${'9'.repeat(400)}`, true],
    [`${'9'.repeat(400)}.${'9'.repeat(401)}`, false],
  ] as const) {
    assert.equal(parseDecimal(text) !== null, isNumber, text.slice(0, 10));
  }
  assert.throws(() => decimal('1e401'), /^RangeError: not a decimal number: 1e401$/);
});

test('significant digits count neither leading nor trailing zeros', () => {
  for (const [text, digits] of [
    ['1000', 1],
    ['0.00120', 2],
    ['123456789012345', 15],
    ['-120', 2],
    ['0.0', 0],
  ] as const) {
    assert.equal(significantDigits(decimal(text)), digits, text);
  }
});
