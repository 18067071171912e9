// Cells of a CSV file: harmless in a spreadsheet, and the same text again when the file comes back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { csvField, protectCell, unprotectCell } from '../../src/domain/csv-cell.ts';

/** What a formula can hide behind, and what it begins with. */
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

test('no protected cell begins with what a spreadsheet calculates, whatever stands in front of it', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const normal = protectCell(text).normalize('NFKC');
      assert.doesNotMatch(normal, /^[\s\p{C}"]*[=+\-@\u{2212}]|^[\t\r\n]/u);
    }),
  );
});

test('formulas get an apostrophe, protected ones a second, everything else and our own numbers none', () => {
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
  ];
  for (const [value, field] of cases) assert.equal(csvField(value), field, String(value));
  for (const plain of [`'plain`, `'`, `''`, `' a`, 'a', '']) assert.equal(unprotectCell(plain), plain);
});
