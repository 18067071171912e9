// The desk beside the gate: what the back office changes, under the same locks in the same order. The stock row
// first, whatever is changed below it; counters as deltas; ledger, audit and journal in the same transaction.
import { allocationKey } from '../domain/commands.ts';
import { NO_ALLOCATION, type Allocation, type Stock } from '../domain/stock.ts';
import {
  decideAdjustment,
  decideAllocation,
  decideSet,
  type QuantityDecision,
  type QuantityRefusal,
} from '../domain/stock-changes.ts';
import { insertAllocationMovement, readAllocation, setReserveQuota } from '../store/allocations.ts';
import { insertAudit, type Actor } from '../store/audit.ts';
import { findChannel } from '../store/channels.ts';
import type { Tx } from '../store/database.ts';
import { addToAllocations, addToStock } from '../store/gate-writes.ts';
import { appendJournal } from '../store/journal.ts';
import { findVariant, type Variant } from '../store/products.ts';
import { ensureStock, insertMovement, lockStockOf } from '../store/stock.ts';

/** Nothing is written when the outcome is not `done`. */
export type DeskOutcome =
  | { kind: 'done' }
  | { kind: 'channel_unknown' }
  | { kind: 'variant_unknown' }
  | { kind: 'stock_missing' }
  | { kind: 'allocation_changed'; allocated_qty: number; reserve_quota: number }
  | QuantityRefusal;

const DONE: DeskOutcome = { kind: 'done' };
const NO_CHANGE: Readonly<Stock> = { quantity: 0, unshipped: 0, allocated: 0, backordered: 0 };

/** Physical stock as counted; makes a missing stock row. */
export async function setQuantity(
  tx: Tx,
  by: Actor,
  variantCode: string,
  wanted: { quantity: number; reason: string | null; expected_quantity: number | null },
): Promise<DeskOutcome> {
  const variant = await findVariant(tx, variantCode);
  if (!variant) return { kind: 'variant_unknown' };
  let current = await lockStockOf(tx, variant.id);
  let created = false;
  if (!current && wanted.expected_quantity === null) {
    created = (await ensureStock(tx, variant.id)) > 0;
    current = await lockStockOf(tx, variant.id);
  }
  const quantity = current?.quantity ?? null;
  const decision = decideSet(quantity, wanted.quantity, wanted.expected_quantity);
  const before = created ? null : quantity;
  return writeQuantity(tx, by, variant, decision, { kind: 'set', before, reason: wanted.reason });
}

/** A difference: goods in, damage, loss. */
export async function adjustQuantity(
  tx: Tx,
  by: Actor,
  variantCode: string,
  { delta, reason }: { delta: number; reason: string },
): Promise<DeskOutcome> {
  const variant = await findVariant(tx, variantCode);
  if (!variant) return { kind: 'variant_unknown' };
  const current = await lockStockOf(tx, variant.id);
  if (!current) return { kind: 'stock_missing' };
  const decision = decideAdjustment(current.quantity, delta);
  return writeQuantity(tx, by, variant, decision, { kind: 'adjustment', before: current.quantity, reason });
}

/** A set to what is there already is audited, but nothing moved: the ledger holds movements only. */
async function writeQuantity(
  tx: Tx,
  by: Actor,
  variant: Variant,
  decision: QuantityDecision,
  entry: { kind: 'set' | 'adjustment'; before: number | null; reason: string | null },
): Promise<DeskOutcome> {
  if (decision.kind !== 'change') return decision;
  const { delta, quantity_after } = decision;
  const { kind, before, reason } = entry;
  if (delta !== 0) {
    await addToStock(tx, new Map([[variant.id, { ...NO_CHANGE, quantity: delta }]]));
    await insertMovement(tx, variant.id, { delta, quantity_after, kind, actor: by.actor, reason });
  }
  await insertAudit(tx, by, {
    action: kind === 'set' ? 'stock.set' : 'stock.adjust',
    subject: `variant:${variant.code}`,
    before: before === null ? null : { quantity: before },
    after: { quantity: quantity_after, ...(reason === null ? {} : { reason }) },
  });
  await appendJournal(tx, { variant_ids: [variant.id] });
  return DONE;
}

type Granted = Pick<Allocation, 'allocated_qty' | 'reserve_quota'>;

/** Sets the live remainder of the channel's pre-allocation and its backorder quota, if it is what was expected. */
export async function setAllocation(
  tx: Tx,
  by: Actor,
  channelId: number,
  variantCode: string,
  wanted: Granted,
  expected: { [K in keyof Granted]: number | null } = { allocated_qty: null, reserve_quota: null },
): Promise<DeskOutcome> {
  if (!(await findChannel(tx, channelId))) return { kind: 'channel_unknown' };
  const variant = await findVariant(tx, variantCode);
  if (!variant) return { kind: 'variant_unknown' };
  if (!(await lockStockOf(tx, variant.id))) return { kind: 'stock_missing' };
  const current = await readAllocation(tx, channelId, variant.id);
  const { allocated_qty, reserve_quota } = current ?? NO_ALLOCATION;
  const isExpected =
    (expected.allocated_qty ?? allocated_qty) === allocated_qty &&
    (expected.reserve_quota ?? reserve_quota) === reserve_quota;
  if (!isExpected) return { kind: 'allocation_changed', allocated_qty, reserve_quota };
  const { delta, before, after } = decideAllocation(current ?? null, wanted);

  const key = { channel_id: channelId, variant_id: variant.id };
  await addToStock(tx, new Map([[variant.id, { ...NO_CHANGE, allocated: delta }]]));
  await addToAllocations(
    tx,
    new Map([[allocationKey(channelId, variant.id), { ...key, allocated_qty: delta, backordered_qty: 0 }]]),
  );
  await setReserveQuota(tx, channelId, variant.id, after.reserve_quota);
  if (delta !== 0) {
    const movement = { ...key, delta, allocated_after: after.allocated_qty, actor: by.actor };
    await insertAllocationMovement(tx, movement);
  }
  await insertAudit(tx, by, {
    action: 'allocation.set',
    subject: `variant:${variant.code}`,
    before: before && granted(channelId, before),
    after: granted(channelId, after),
  });
  await appendJournal(tx, { variant_ids: [variant.id] });
  return DONE;
}

const granted = (channel_id: number, { allocated_qty, reserve_quota }: Allocation): object => ({
  channel_id,
  allocated_qty,
  reserve_quota,
});
