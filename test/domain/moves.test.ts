import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decide } from '../../src/core/rules/decide.ts';
import { moveAllocation, moveStock } from '../../src/core/rules/moves.ts';
import { allocate, LENS, SEOUL, smallState } from '../kit/batch-state.ts';

const nothingYet = () => decide([], smallState()).changes;

test('a counter may decrease to 0, but not below', () => {
  const emptied = () => {
    const state = smallState();
    allocate(state, SEOUL, LENS, 5);
    moveStock(state, nothingYet(), LENS, { quantity: -100, allocated: -5 });
    moveAllocation(state, nothingYet(), SEOUL, LENS, { allocated_qty: -5 });
    return state;
  };
  for (const counter of ['quantity', 'unshipped', 'allocated', 'backordered'] as const) {
    assert.throws(
      () => moveStock(emptied(), nothingYet(), LENS, { [counter]: -1 }),
      new RangeError(`${counter} would become -1`),
    );
  }
  for (const counter of ['allocated_qty', 'backordered_qty'] as const) {
    assert.throws(
      () => moveAllocation(emptied(), nothingYet(), SEOUL, LENS, { [counter]: -1 }),
      new RangeError(`${counter} would become -1`),
    );
  }
});

test('a counter must be a safe integer', () => {
  for (const quantity of [0.5, Number.NaN, 2 ** 53])
    assert.throws(() => moveStock(smallState(), nothingYet(), LENS, { quantity }), RangeError);
});

test('a stock row that is not locked cannot be changed', () => {
  assert.throws(
    () => moveStock(smallState(), nothingYet(), 77, { quantity: 1 }),
    new RangeError('stock row 77 is not locked'),
  );
});

test('the moves of one batch are summed to one delta per row', () => {
  const state = smallState();
  const changes = nothingYet();
  for (const n of [1, 2]) {
    moveStock(state, changes, LENS, { unshipped: n, backordered: 2 * n });
    moveAllocation(state, changes, SEOUL, LENS, { allocated_qty: n, backordered_qty: 2 * n });
  }
  assert.deepEqual([...changes.stock], [[LENS, { quantity: 0, unshipped: 3, allocated: 0, backordered: 6 }]]);
  assert.deepEqual(
    [...changes.allocations.values()],
    [{ channel_id: SEOUL, variant_id: LENS, allocated_qty: 3, backordered_qty: 6 }],
  );
  assert.deepEqual(
    [...state.allocations.values()],
    [{ allocated_qty: 3, reserve_quota: 0, backordered_qty: 6 }],
  );
});
