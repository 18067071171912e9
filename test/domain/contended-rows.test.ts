// Which orders wait for a contended stock row from the start.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { skuKey } from '../../src/core/rules/commands.ts';
import { CONTENDED_ROWS_MAX, ContendedRows, SCORE_MAX } from '../../src/core/rules/contended-rows.ts';
import { CASE, intake, LENS, report, SEOUL, TOKYO } from '../kit/batch-state.ts';

const aside = (variant_id: number, sku: string, count = 1) =>
  Array.from({ length: count }, () => ({ variant_id, sku_key: skuKey(SEOUL, sku) }));

function contended(...rows: readonly (readonly [variant_id: number, sku: string])[]): ContendedRows {
  const made = new ContendedRows();
  for (const [variant_id, sku] of rows) made.batchEnded(aside(variant_id, sku, SCORE_MAX));
  return made;
}

test('a row that is held occasionally is not contended; a row that is held in consecutive batches is', () => {
  const rows = new ContendedRows();
  for (let n = 0; n < 100; n++) {
    rows.batchEnded(aside(LENS, 'lens'));
    rows.batchEnded([]);
    assert.equal(rows.variantFor(intake([['lens', 1]])), null);
  }
  for (let n = 0; n < SCORE_MAX; n++) rows.batchEnded(aside(LENS, 'lens'));
  assert.equal(rows.variantFor(intake([['lens', 1]])), LENS);
});

test('only orders with a SKU of a channel that led to the row wait for it; other channels and reports do not', () => {
  const rows = contended([LENS, 'lens']);
  assert.equal(rows.variantFor(intake([['case', 1], ['lens', 1]])), LENS); // prettier-ignore
  assert.equal(rows.variantFor(intake([['case', 1]])), null);
  assert.equal(rows.variantFor(intake([['lens', 1]], { channel_id: TOKYO })), null);
  assert.equal(rows.variantFor(report(88)), null);
  rows.batchEnded([{ variant_id: LENS, sku_key: skuKey(TOKYO, 'lens') }]);
  assert.equal(rows.variantFor(intake([['lens', 1]], { channel_id: TOKYO })), LENS);
});

test('an order for two contended rows waits for the first in lock order', () => {
  const rows = contended([CASE, 'case'], [LENS, 'lens']);
  for (const lines of [
    ['lens', 'case'],
    ['case', 'lens'],
  ])
    // prettier-ignore
    assert.equal(rows.variantFor(intake(lines.map((sku) => [sku, 1] as const))), Math.min(LENS, CASE));
});

test('a row stays contended while transactions wait for it, until it has been free SCORE_MAX times in a row', () => {
  const rows = contended([LENS, 'lens']);
  for (let n = 0; n < 10; n++) {
    for (let free = 1; free < SCORE_MAX; free++) rows.locked(LENS, false);
    assert.equal(rows.variantFor(intake([['lens', 1]])), LENS);
    rows.locked(LENS, true);
  }
  for (let free = 0; free < SCORE_MAX; free++) rows.locked(LENS, false);
  assert.equal(rows.variantFor(intake([['lens', 1]])), null);
});

type Event = { aside: number[] } | { locked: number; waited: boolean };
const ids = fc.integer({ min: 1, max: 6 });
const events: fc.Arbitrary<Event[]> = fc.array(
  fc.oneof(
    fc.record({ aside: fc.array(ids, { maxLength: 8 }) }),
    fc.record({ locked: ids, waited: fc.boolean() }),
  ),
  { maxLength: 200 },
);
const apply = (rows: ContendedRows, event: Event): void => {
  if ('aside' in event) rows.batchEnded(event.aside.flatMap((id) => aside(id, `sku-${id}`)));
  else rows.locked(event.locked, event.waited);
};
const contendedOf = (rows: ContendedRows): number[] =>
  [1, 2, 3, 4, 5, 6].filter((id) => rows.variantFor(intake([[`sku-${id}`, 1]])) !== null);

test('after any events, few rows are contended, only rows with orders set aside for them, and free rows recover', () => {
  fc.assert(
    fc.property(events, (happened) => {
      const rows = new ContendedRows();
      const asideOnce = new Set<number>();
      for (const event of happened) {
        apply(rows, event);
        if ('aside' in event) for (const id of event.aside) asideOnce.add(id);
        const found = contendedOf(rows);
        assert.ok(found.length <= CONTENDED_ROWS_MAX, found.join());
        for (const id of found) {
          assert.ok(asideOnce.has(id));
          assert.equal(rows.variantFor(intake([[`sku-${id}`, 1]])), id);
        }
      }
      for (let n = 0; n < SCORE_MAX; n++) {
        rows.batchEnded([]);
        for (const id of contendedOf(rows)) rows.locked(id, false);
      }
      assert.deepEqual(contendedOf(rows), []);
      // After that, one order that is set aside does not make a row contended.
      rows.batchEnded(aside(1, 'sku-1'));
      assert.deepEqual(contendedOf(rows), []);
    }),
  );
});
