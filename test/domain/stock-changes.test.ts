import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideAdjustment, decideAllocation, decideSet } from '../../src/core/rules/stock-changes.ts';

const LARGEST = 2_147_483_647;

test('setting a quantity yields the difference to the current one; a missing row counts as 0', () => {
  assert.deepEqual(decideSet(10, 4, null), { kind: 'change', delta: -6, quantity_after: 4 });
  assert.deepEqual(decideSet(null, 4, null), { kind: 'change', delta: 4, quantity_after: 4 });
});

test('an expected quantity must match the current one, and never matches a missing row', () => {
  assert.deepEqual(decideSet(10, 4, 10), { kind: 'change', delta: -6, quantity_after: 4 });
  assert.deepEqual(decideSet(0, 4, 0), { kind: 'change', delta: 4, quantity_after: 4 });
  assert.deepEqual(decideSet(10, 4, 9), { kind: 'quantity_changed', quantity: 10 });
  assert.deepEqual(decideSet(null, 4, 0), { kind: 'quantity_changed', quantity: null });
});

test('an adjusted quantity stays between 0 and the largest 32-bit integer', () => {
  assert.deepEqual(decideAdjustment(10, -10), { kind: 'change', delta: -10, quantity_after: 0 });
  assert.deepEqual(decideAdjustment(10, -11), { kind: 'below_zero', quantity: 10 });
  assert.deepEqual(decideAdjustment(10, LARGEST - 10), {
    kind: 'change',
    delta: LARGEST - 10,
    quantity_after: LARGEST,
  });
  assert.deepEqual(decideAdjustment(10, LARGEST - 9), { kind: 'beyond_limit', quantity: 10 });
});

test('setting an allocation changes the sum by the difference and keeps accepted backorders', () => {
  const before = { allocated_qty: 10, reserve_quota: 5, backordered_qty: 3 };
  assert.deepEqual(decideAllocation(before, { allocated_qty: 4, reserve_quota: 7 }), {
    delta: -6,
    before,
    after: { allocated_qty: 4, reserve_quota: 7, backordered_qty: 3 },
  });
  assert.deepEqual(decideAllocation(null, { allocated_qty: 4, reserve_quota: 7 }), {
    delta: 4,
    before: null,
    after: { allocated_qty: 4, reserve_quota: 7, backordered_qty: 0 },
  });
});
