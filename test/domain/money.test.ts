import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  convertedAmount,
  decimal,
  formatDecimal,
  formatPlain,
  parseDecimal,
  parsePrice,
  plus,
  roundAmount,
  significantDigits,
  times,
  timesInteger,
} from '../../src/platform/values/money.ts';

const decimals = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 18n }), fc.integer({ min: 0, max: 12 }))
  .map(([units, scale]) => ({ units, scale }));

test('formatting a decimal and parsing it again returns the same value', () => {
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

test('amounts are rounded half up to two decimals, with an error of at most half a unit', () => {
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
  test(`contract 2.6.3a: ${local} at a rate of ${rate} is ${amount}`, () => {
    assert.equal(convertedAmount(decimal(local), decimal(rate)), amount);
  });
}

test('numbers are parsed in JSON syntax only, including exponents', () => {
  assert.equal(formatDecimal(decimal('1.5e3')), '1500');
  assert.equal(formatDecimal(decimal('15E-4')), '0.0015');
  for (const text of ['', '.5', '1.', '1,5', '0x10', 'NaN', 'Infinity', '1e999', '--1', ' 1']) {
    assert.equal(parseDecimal(text), null, text);
  }
});

test('formatting keeps the sign and the decimal places, and expands exponents', () => {
  for (const text of ['-0.1', '-0.05', '-1.5', '-15', '0.05', '0', '100', '1.50']) {
    assert.equal(formatDecimal(decimal(text)), text);
  }
  assert.equal(formatDecimal(decimal('1e1')), '10');
  assert.equal(formatDecimal(decimal('1.25e1')), '12.5');
});

test('numbers with an exponent beyond 400 or more than 800 digits are not parsed', () => {
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

test('significant digits and their power of ten are found in every notation', () => {
  for (const [text, digits, exponent] of [
    ['1000', '1', 3],
    ['0.00120', '12', -4],
    ['-120', '12', 1],
    ['1.5E2', '15', 1],
    ['10e-3', '1', -2],
    ['0.0', '', -2],
  ] as const) {
    const found = significantDigits(text);
    assert.equal(found.digits, digits, text);
    if (digits !== '') assert.equal(found.exponent, exponent, text);
  }
});

test('contract 8.9a: a price is exact in every notation, from 0 to below 10^15, with at most 30 decimals', () => {
  const price = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 47n }), fc.integer({ min: -20, max: 40 }));
  fc.assert(
    fc.property(price, fc.integer({ min: 0, max: 12 }), ([units, scale], zeros) => {
      const value = decimal(`${units}e${-scale}`);
      const plain = formatPlain(value);
      const isIn = value.units < 10n ** BigInt(15 + value.scale) && (plain.split('.')[1] ?? '').length <= 30;
      const texts = [
        `${units}e${-scale}`,
        `${units}${'0'.repeat(zeros)}E${-scale - zeros}`,
        `0.${'0'.repeat(zeros)}${units}e+${String(units).length + zeros - scale}`.replace('+-', '-'),
        plain,
        plain.includes('.') ? plain + '0'.repeat(zeros) : plain,
      ];
      for (const text of texts) {
        const read = parsePrice(text);
        assert.equal(read === null ? null : formatPlain(read), isIn ? plain : null, text);
      }
    }),
  );
  for (const text of ['-1', '-1e-30', '1e15', '1e-31', '1e400', '1e-400', '1e99999999999999999999'])
    assert.equal(parsePrice(text), null, text);
  for (const text of ['0', '-0', '0e999999999', '-0.000', '0.0e-99'])
    assert.deepEqual(parsePrice(text), { units: 0n, scale: 0 }, text);
});
