// The console's preview of an unsaved allocation: the numbers of contract 2.3.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AllocationCell, AllocationRow } from '../console/src/api/types.ts';
import { preview, type Change } from '../console/src/screens/allocations/preview.ts';
import {
  channelAvailable,
  commonAvailable,
  overcommittedBy,
  reserveRemaining,
} from '../src/core/rules/stock.ts';

const cell = (
  channel_id: number,
  allocated_qty: number,
  more: Partial<AllocationCell> = {},
): AllocationCell => ({
  channel_id,
  allocated_qty,
  reserve_quota: 0,
  backordered_qty: 0,
  available: 0,
  reserve_remaining: 0,
  is_mapped: true,
  ...more,
});
/** Physical 100, unshipped 10, A holds 30, B holds 20: common 40, A 70, B 60. */
const row = (more: Partial<AllocationRow> = {}): AllocationRow => ({
  variant_code: 'V',
  product_code: 'P',
  product_name: 'Lens',
  power: null,
  barcode: null,
  attributes: {},
  low_stock_at: null,
  archived: false,
  quantity: 100,
  unshipped: 10,
  allocated: 50,
  backordered: 0,
  common_available: 40,
  overcommitted_by: 0,
  cells: [cell(1, 30), cell(2, 20), cell(3, 0)],
  ...more,
});
const change = (channelId: number, allocated_qty: number, reserve_quota = 0): ReadonlyMap<number, Change> =>
  new Map([[channelId, { allocated_qty, reserve_quota }]]);
const available = (of: ReturnType<typeof preview>): number[] =>
  [...of.channels.values()].map((channel) => channel.available);

test('without a change the preview shows the current numbers', () => {
  const now = preview(row(), new Map());
  assert.deepEqual([now.allocated, now.common, available(now)], [50, 40, [70, 60, 40]]);
  assert.deepEqual([now.overcommittedBy, now.beyondPromised], [0, 0]);
});

test('more pre-allocation for one channel leaves less for all other channels', () => {
  const after = preview(row(), change(1, 45));
  assert.deepEqual([after.allocated, after.common, available(after)], [65, 25, [70, 45, 25]]);
});

test('a pre-allocation beyond the common stock: common stock is 0, never negative, and the item is overcommitted', () => {
  const after = preview(row(), change(3, 60));
  assert.deepEqual([after.allocated, after.common, available(after)], [110, 0, [30, 20, 60]]);
  assert.deepEqual([after.overcommittedBy, after.beyondPromised], [20, 20]);
});

test('a pre-allocation beyond the physical stock: the channel may sell at most physical − unshipped', () => {
  assert.deepEqual(available(preview(row(), change(3, 500))), [30, 20, 90]);
});

test('an item that exceeds its stock only because of backorders is not overcommitted', () => {
  const after = preview(row({ backordered: 5 }), change(3, 40));
  assert.deepEqual([after.allocated, after.overcommittedBy, after.beyondPromised], [90, 0, 5]);
});

test('the sum includes pre-allocations of channels without a cell', () => {
  const after = preview(row({ allocated: 58, common_available: 32 }), change(2, 0));
  assert.deepEqual([after.allocated, after.common], [38, 52]);
});

test('the remaining quota is the new quota minus open backorders, at least 0', () => {
  const left = (quota: number) =>
    preview(row({ cells: [cell(1, 30, { backordered_qty: 4 })] }), change(1, 30, quota)).channels.get(1)
      ?.reserve_remaining;
  assert.deepEqual([left(10), left(3), left(0)], [6, 0, 0]);
});

test('the preview matches the calculations of the service', () => {
  const numbers = [0, 1, 7, 40, 100];
  for (const quantity of numbers)
    for (const unshipped of numbers)
      for (const granted of numbers) {
        const before = row({
          quantity,
          unshipped,
          backordered: 3,
          cells: [cell(1, 30, { backordered_qty: 3 }), cell(2, 20)],
        });
        const after = preview(before, change(1, granted, 5));
        const stock = { quantity, unshipped, allocated: 20 + granted, backordered: 3 };
        const shares = [
          { allocated_qty: granted, reserve_quota: 5, backordered_qty: 3 },
          { allocated_qty: 20, reserve_quota: 0, backordered_qty: 0 },
        ];
        assert.equal(after.common, commonAvailable(stock));
        assert.equal(after.overcommittedBy, overcommittedBy(stock));
        assert.deepEqual(
          [...after.channels.values()],
          shares.map((share) => ({
            available: channelAvailable(stock, share),
            reserve_remaining: reserveRemaining(share),
          })),
        );
      }
});
