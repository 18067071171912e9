// Pre-allocations and backorder quotas of channels.
import { decideAllocation } from '../domain/stock-changes.ts';
import { NO_ALLOCATION, NO_STOCK_CHANGE, type Allocation } from '../domain/stock.ts';
import { insertAllocationMovement, readAllocation, setReserveQuota } from '../store/allocations.ts';
import { findChannel } from '../store/channels.ts';
import type { Tx } from '../store/database.ts';
import { addToAllocations, addToStock } from '../store/stock-deltas.ts';
import { findVariant, findVariants } from '../store/products.ts';
import { lockStockOf, type StockLevel } from '../store/stock.ts';
import { changing, type Actor, type Done } from './changing.ts';
import type { AllocationProblem, RefusedAs } from './refused.ts';
import { levelOf } from './stock.ts';

type Granted = Pick<Allocation, 'allocated_qty' | 'reserve_quota'>;

interface WantedAllocation extends Granted {
  channel_id: number;
  variant_code: string;
  /** The values the operator saw, 0 without an allocation; null: any. */
  expected: { [K in keyof Granted]: number | null };
}

const ANYTHING = { allocated_qty: null, reserve_quota: null };

/**
 * Sets the live remainder of the pre-allocation and the backorder quota. The stock row is locked first, as
 * everywhere.
 */
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
    await addToAllocations(tx, [{ ...key, allocated_qty: delta, backordered_qty: 0 }]);
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

/** Limit per request; each change takes several statements. */
export const ALLOCATION_CHANGES_MAX = 2_000;

type WantedChange = Omit<WantedAllocation, 'expected'> & Partial<Pick<WantedAllocation, 'expected'>>;

/**
 * Makes all changes or none. `levels`: by variant code, after all changes. Stock rows are locked in order of variant
 * id.
 */
export async function setAllocations(
  tx: Tx,
  by: Actor,
  changes: readonly WantedChange[],
): Promise<Done<{ levels: ReadonlyMap<string, StockLevel> }> | RefusedAs<'allocations_refused'>> {
  const variants = await findVariants(tx, [...new Set(changes.map((change) => change.variant_code))]);
  const ids = new Map(variants.map(({ code, id }) => [code, id]));
  const inLockOrder = [...changes.entries()].toSorted(
    ([, a], [, b]) => (ids.get(a.variant_code) ?? 0) - (ids.get(b.variant_code) ?? 0),
  );
  const levels = new Map<string, StockLevel>();
  const problems: AllocationProblem[] = [];
  const seen = new Set<string>();
  for (const [position, change] of inLockOrder) {
    const key = JSON.stringify([change.channel_id, change.variant_code]);
    const outcome = seen.has(key) ? ({ kind: 'repeated' } as const) : await setAllocation(tx, by, change);
    seen.add(key);
    if (outcome.kind === 'done') levels.set(change.variant_code, outcome.level);
    else problems.push({ position, code: outcome.kind });
  }
  if (problems.length > 0)
    return { kind: 'allocations_refused', problems: problems.toSorted((a, b) => a.position - b.position) };
  return { kind: 'done', levels };
}

/** Moves part of a pre-allocation to another channel. The sum does not change. */
export async function transferAllocation(
  tx: Tx,
  by: Actor,
  wanted: { variant_code: string; from_channel_id: number; to_channel_id: number; quantity: number },
): Promise<
  | Done<{ level: StockLevel }>
  | RefusedAs<
      | 'channel_unknown'
      | 'variant_unknown'
      | 'stock_missing'
      | 'allocation_changed'
      | 'allocation_insufficient'
    >
> {
  const { variant_code, from_channel_id, to_channel_id, quantity } = wanted;
  const variant = await findVariant(tx, variant_code);
  if (!variant) return { kind: 'variant_unknown', variant_code };
  if (!(await lockStockOf(tx, variant.id))) return { kind: 'stock_missing', variant_code };
  if (!(await findChannel(tx, from_channel_id)))
    return { kind: 'channel_unknown', channel_id: from_channel_id };
  const from = (await readAllocation(tx, from_channel_id, variant.id)) ?? NO_ALLOCATION;
  const to = (await readAllocation(tx, to_channel_id, variant.id)) ?? NO_ALLOCATION;
  if (from.allocated_qty < quantity) {
    const { allocated_qty } = from;
    return { kind: 'allocation_insufficient', channel_id: from_channel_id, variant_code, allocated_qty };
  }
  const gave = await setAllocation(tx, by, {
    channel_id: from_channel_id,
    variant_code,
    allocated_qty: from.allocated_qty - quantity,
    reserve_quota: from.reserve_quota,
  });
  if (gave.kind !== 'done') return gave;
  return setAllocation(tx, by, {
    channel_id: to_channel_id,
    variant_code,
    allocated_qty: to.allocated_qty + quantity,
    reserve_quota: to.reserve_quota,
  });
}
