import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PAGE_ROWS, Sheet } from '../src/engine/sheet.ts';

interface Row {
  variant_id: number;
  sku: string;
  n: number;
}

const json = ({ sku, n }: Row): string => JSON.stringify({ sku, n });
const toRow = (row: Row) => ({ variant_id: row.variant_id, json: json(row) });
const sheetOf = (rows: Row[]): Sheet => {
  const sheet = new Sheet();
  for (let first = 0; first < rows.length; first += 2 * PAGE_ROWS) {
    sheet.append(rows.slice(first, first + 2 * PAGE_ROWS).map(toRow));
  }
  return sheet;
};
const text = (sheet: Sheet): string => `[${Buffer.concat([...sheet.pages]).toString('utf8')}]`;

/** Quotes, backslashes and alias SKUs of one variant are what the search by bytes could trip over. */
const awkward = fc.stringMatching(/^[a"\\,{}é]{0,6}$/);

test('a sheet holds its rows in order through any updates, whatever the SKUs look like', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(awkward, fc.integer({ min: 1, max: 30 })), {
        selector: ([sku]) => sku,
        maxLength: 700,
        size: 'max',
      }),
      fc.array(fc.tuple(fc.nat(), fc.nat(99)), { maxLength: 40 }),
      (skus, updates) => {
        const rows: Row[] = skus.map(([sku, variant_id]) => ({ variant_id, sku, n: 0 }));
        const sheet = sheetOf(rows);
        assert.deepEqual(
          JSON.parse(text(sheet)),
          rows.map(({ sku, n }) => ({ sku, n })),
        );
        for (const [position, n] of rows.length > 0 ? updates : []) {
          const row = rows[position % rows.length] as Row;
          row.n = n;
          assert.equal(sheet.update([toRow(row)]), true);
        }
        assert.deepEqual(
          JSON.parse(text(sheet)),
          rows.map(({ sku, n }) => ({ sku, n })),
        );
        assert.equal(
          sheet.bytes,
          text(sheet).length - 2 + (Buffer.byteLength(text(sheet)) - text(sheet).length),
        );
        // The fingerprint follows from the content alone, not from the way there.
        assert.equal(sheet.fingerprint, sheetOf(rows).fingerprint);
      },
    ),
    { numRuns: 60 },
  );
});

test('a row that is not on the sheet is reported, and nothing is half changed', () => {
  const sheet = sheetOf([{ variant_id: 1, sku: 'a', n: 1 }]);
  const before = text(sheet);
  const unknown = [toRow({ variant_id: 1, sku: 'a', n: 2 }), toRow({ variant_id: 1, sku: 'b', n: 2 })];
  assert.equal(sheet.update(unknown), false);
  assert.equal(text(sheet), before);
});

test('pages that were handed out never change', () => {
  const rows = Array.from({ length: 600 }, (_, n) => ({ variant_id: n, sku: `S${n}`, n: 0 }));
  const sheet = sheetOf(rows);
  const handed = sheet.pages;
  const copy = Buffer.concat([...handed]);
  sheet.update([toRow({ variant_id: 300, sku: 'S300', n: 7 })]);
  assert.deepEqual(Buffer.concat([...handed]), copy);
  const changed = sheet.pages.filter((page, index) => page !== handed[index]);
  assert.equal(changed.length, 1, 'one row costs one page');
});

test('lists that differ in one number, or have two numbers swapped, have different fingerprints', () => {
  const seen = new Map<string, string>();
  for (let n = 0; n < 60; n++) {
    for (let m = 0; m < 60; m++) {
      const rows = [
        { variant_id: 1, sku: 'A', n },
        { variant_id: 2, sku: 'B', n: m },
      ];
      const { fingerprint } = sheetOf(rows);
      assert.equal(seen.get(fingerprint), undefined, `${n}, ${m} and ${seen.get(fingerprint)}`);
      seen.set(fingerprint, `${n}, ${m}`);
    }
  }
});

test('twenty thousand SKUs of one variant are changed in the time of a list, not of its square', () => {
  const rows: Row[] = Array.from({ length: 20_000 }, (_, index) => ({
    variant_id: 1,
    sku: `S-${String(index).padStart(6, '0')}`,
    n: 0,
  }));
  const sheet = sheetOf(rows);
  const changed = rows.map((row) => ({ ...row, n: 1 }));
  const started = performance.now();
  assert.equal(sheet.update(changed.map(toRow)), true);
  assert.ok(performance.now() - started < 5_000, `${Math.round(performance.now() - started)} ms`);
  assert.equal(text(sheet), `[${changed.map(json).join(',')}]`);
  assert.equal(sheet.update([toRow({ variant_id: 1, sku: 'other', n: 0 })]), false);
});
