// Cells of a CSV file are harmless in a spreadsheet, and an import of the file restores the same text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { csvField, protectCell, unprotectCell } from '../../src/platform/csv/cell-rules.ts';

/** Characters that can precede a formula, and characters that start one. */
const awkward = fc.constantFrom(
  ...Array.from(
    '\'"=+-@\t\r\n ,;\u{a0}\u{feff}\u{200b}\u{ff1d}\u{ff0b}\u{ff0d}\u{ff20}\u{fe66}\u{fe62}\u{fe63}\u{fe6b}\u{2212}a1가',
  ),
);
const texts = fc.oneof(
  fc.string({ unit: awkward, maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
);

test('protecting and unprotecting a cell is the identity for every text', () => {
  fc.assert(
    fc.property(texts, (text) => {
      assert.equal(unprotectCell(protectCell(text)), text);
    }),
  );
});

test('no protected cell starts a formula, even after blanks, quotes or invisible characters', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const normal = protectCell(text).normalize('NFKC');
      assert.doesNotMatch(normal, /^[\s\p{C}"]*[=+\-@\u{2212}]|^[\t\r\n]/u);
    }),
  );
});

test('formulas get an apostrophe, protected formulas a second one, other texts and numbers none', () => {
  const cases: [string | number, string][] = [
    ['=1+1', `'=1+1`],
    ['+82', `'+82`],
    ['-0.50', `'-0.50`],
    ['@sum', `'@sum`],
    ['  =1', `"'  =1"`],
    ['"=1', `"'""=1"`],
    ['\u{ff1d}1', `'\u{ff1d}1`],
    ['\tx', `"'\tx"`],
    ['\u{200b}=1', `'\u{200b}=1`],
    ['p{C}=1', 'p{C}=1'],
    [`'=1`, `''=1`],
    [`''=1`, `'''=1`],
    [`'plain`, `'plain`],
    [`o'brien`, `o'brien`],
    ['a=1', 'a=1'],
    ['', '""'],
    [-5, '-5'],
    [12, '12'],
    [1234.5, '1234.5'],
    [0.0000001, '0.0000001'],
    [-0.00000000000125, '-0.00000000000125'],
    [999_999_999_999_999, '999999999999999'],
  ];
  for (const [value, field] of cases) assert.equal(csvField(value), field, String(value));
  for (const plain of [`'plain`, `'`, `''`, `' a`, 'a', '']) assert.equal(unprotectCell(plain), plain);
});
