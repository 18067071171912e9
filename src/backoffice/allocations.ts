// Pre-allocations and backorder quotas of channels.
import { allocationKey } from '../domain/commands.ts';
import { decideAllocation } from '../domain/stock-changes.ts';
import { NO_ALLOCATION, NO_STOCK_CHANGE, type Allocation } from '../domain/stock.ts';
import { insertAllocationMovement, readAllocation, setReserveQuota } from '../store/allocations.ts';
import { findChannel } from '../store/channels.ts';
import type { Tx } from '../store/database.ts';
import { addToAllocations, addToStock } from '../store/gate-writes.ts';
import { findVariant } from '../store/products.ts';
import { lockStockOf, type StockLevel } from '../store/stock.ts';
import { changing, type Actor } from './changing.ts';
import { levelOf } from './stock.ts';

type Granted = Pick<Allocation, 'allocated_qty' | 'reserve_quota'>;

interface WantedAllocation extends Granted {
  channel_id: number;
  variant_code: string;
  /** What the operator saw, 0 where there was no allocation; null: anything. */
  expected: { [K in keyof Granted]: number | null };
}

const ANYTHING = { allocated_qty: null, reserve_quota: null };

/** Sets the live remainder of the pre-allocation and the backorder quota. The stock row is locked first, as everywhere. */
export const setAllocation = (
  tx: Tx,
  by: Actor,
  wanted: Omit<WantedAllocation, 'expected'> & Partial<Pick<WantedAllocation, 'expected'>>,
) =>
  changing<
    { level: StockLevel },
    'channel_unknown' | 'variant_unknown' | 'stock_missing' | 'allocation_changed'
  >(tx, by, async () => {
    const { channel_id, variant_code, expected = ANYTHING } = wanted;
    if (!(await findChannel(tx, channel_id))) return { kind: 'channel_unknown', channel_id };
    const variant = await findVariant(tx, variant_code);
    if (!variant) return { kind: 'variant_unknown', variant_code };
    if (!(await lockStockOf(tx, variant.id))) return { kind: 'stock_missing', variant_code };
    const current = (await readAllocation(tx, channel_id, variant.id)) ?? null;
    const { allocated_qty, reserve_quota } = current ?? NO_ALLOCATION;
    const isExpected =
      (expected.allocated_qty ?? allocated_qty) === allocated_qty &&
      (expected.reserve_quota ?? reserve_quota) === reserve_quota;
    if (!isExpected)
      return { kind: 'allocation_changed', channel_id, variant_code, allocated_qty, reserve_quota };

    const { delta, before, after } = decideAllocation(current, {
      allocated_qty: wanted.allocated_qty,
      reserve_quota: wanted.reserve_quota,
    });
    const key = { channel_id, variant_id: variant.id };
    await addToStock(tx, new Map([[variant.id, { ...NO_STOCK_CHANGE, allocated: delta }]]));
    const change = { ...key, allocated_qty: delta, backordered_qty: 0 };
    await addToAllocations(tx, new Map([[allocationKey(channel_id, variant.id), change]]));
    await setReserveQuota(tx, channel_id, variant.id, after.reserve_quota);
    if (delta !== 0) {
      const movement = { ...key, delta, allocated_after: after.allocated_qty, actor: by.actor };
      await insertAllocationMovement(tx, movement);
    }
    return {
      done: { level: await levelOf(tx, variant_code) },
      audit: {
        action: 'allocation.set',
        subject: `variant:${variant_code}`,
        before: before && granted(channel_id, before),
        after: granted(channel_id, after),
      },
      journal: { variant_ids: [variant.id] },
    };
  });

const granted = (channel_id: number, { allocated_qty, reserve_quota }: Allocation): object => ({
  channel_id,
  allocated_qty,
  reserve_quota,
});
