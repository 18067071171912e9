// Pre-allocations and backorder quotas of channels.
import { allocationKey } from '../rules/commands.ts';
import { decideAllocation, type AllocationChange } from '../rules/stock-changes.ts';
import { NO_ALLOCATION, NO_STOCK_CHANGE, type Allocation, type Stock } from '../rules/stock.ts';
import { insertAllocationMovements, readAllocation, readAllocations, setReserveQuotas } from './store.ts';
import { pinChannels } from '../channels/store.ts';
import type { Tx } from '../../platform/database/database.ts';
import { findVariant, findVariants, pinVariants } from '../products/store.ts';
import { addToAllocations, addToStock } from '../gate/deltas-store.ts';
import { lockStockOf, lockStockRows, readStock, readStockLevels, type StockLevel } from '../stock/store.ts';
import { changing, type Actor } from '../journal/change.ts';
import type { Done } from '../../platform/admin-api/outcome.ts';
import type { RefusedAs } from '../../platform/admin-api/refused.ts';

type Granted = Pick<Allocation, 'allocated_qty' | 'reserve_quota'>;

interface WantedAllocation extends Granted {
  channel_id: number;
  variant_code: string;
  /** The values the operator saw, 0 without an allocation; null: any. */
  expected?: { [K in keyof Granted]: number | null };
}

const ANYTHING = { allocated_qty: null, reserve_quota: null };

type Refusal =
  | 'channel_unknown'
  | 'channel_archived'
  | 'variant_unknown'
  | 'variant_archived'
  | 'stock_missing'
  | 'allocation_changed';

interface Grant extends AllocationChange {
  channel_id: number;
  variant_id: number;
  variant_code: string;
}

interface Decided {
  grants: Grant[];
  /** `refused` null: an earlier change sets the same allocation. */
  problems: { position: number; refused: RefusedAs<Refusal> | null }[];
}

/**
 * Sets the live remainder of the pre-allocation and the backorder quota. The stock row is locked first, as
 * everywhere.
 */
export const setAllocation = (tx: Tx, by: Actor, wanted: WantedAllocation) =>
  changing<{ level: StockLevel }, Refusal>(tx, by, async () => {
    const { grants, problems } = await decide(tx, [wanted]);
    const refused = problems[0]?.refused;
    if (refused) return refused;
    const { done, ...recorded } = await write(tx, by, grants);
    const level = done.levels.get(wanted.variant_code);
    if (!level) throw new RangeError(`the stock row of ${wanted.variant_code} is not there`);
    return { done: { level }, ...recorded };
  });

/** Limit per request. */
export const ALLOCATION_CHANGES_MAX = 2_000;

/** Makes all changes or none. `levels`: by variant code, after all changes. */
export const setAllocations = (tx: Tx, by: Actor, changes: readonly WantedAllocation[]) =>
  changing<{ levels: ReadonlyMap<string, StockLevel> }, 'allocations_refused'>(tx, by, async () => {
    const { grants, problems } = await decide(tx, changes);
    if (problems.length === 0) return write(tx, by, grants);
    return {
      kind: 'allocations_refused',
      problems: problems.map(({ position, refused }) => ({ position, code: refused?.kind ?? 'repeated' })),
    };
  });

/**
 * Pins the channels and variants, locks all stock rows in one statement, in order of variant id, and decides each change
 * behind the locks.
 */
async function decide(tx: Tx, changes: readonly WantedAllocation[]): Promise<Decided> {
  const pinned = await pinChannels(tx, [...new Set(changes.map(({ channel_id }) => channel_id))]);
  const channels = new Map(pinned.map((channel) => [channel.id, channel]));
  const found = await findVariants(tx, [...new Set(changes.map(({ variant_code }) => variant_code))]);
  const variants = new Map(found.map(({ code, id }) => [code, id]));
  const archived = await archivedOf(tx, [...variants.values()]);
  await lockStockRows(tx, [...variants.values()]);
  const stocked = new Set((await readStock(tx, [...variants.values()])).map(({ variant_id }) => variant_id));
  const stored = await readAllocations(
    tx,
    changes.flatMap(({ channel_id, variant_code }) => {
      const variant_id = variants.get(variant_code);
      return variant_id === undefined ? [] : [{ channel_id, variant_id }];
    }),
  );
  const before = new Map(stored.map((row) => [allocationKey(row.channel_id, row.variant_id), row]));
  const seen = new Set<string>();
  const decided: Decided = { grants: [], problems: [] };
  for (const [position, wanted] of changes.entries()) {
    const { channel_id, variant_code, allocated_qty, reserve_quota } = wanted;
    const refuse = (refused: RefusedAs<Refusal> | null): void =>
      void decided.problems.push({ position, refused });
    const variant_id = variants.get(variant_code);
    const key = JSON.stringify([channel_id, variant_code]);
    if (seen.has(key)) refuse(null);
    else if (!channels.has(channel_id)) refuse({ kind: 'channel_unknown', channel_id });
    else if (variant_id === undefined) refuse({ kind: 'variant_unknown', variant_code });
    else if (!stocked.has(variant_id)) refuse({ kind: 'stock_missing', variant_code });
    else {
      const current = before.get(allocationKey(channel_id, variant_id)) ?? null;
      const values = grantedOf(channel_id, current ?? NO_ALLOCATION);
      const change = decideAllocation(current, { allocated_qty, reserve_quota });
      if (channels.get(channel_id)?.archived === true && isMore(wanted, values))
        refuse({ kind: 'channel_archived', channel_id });
      else if (archived.has(variant_id) && isMore(wanted, values))
        refuse({ kind: 'variant_archived', variant_code });
      else if (isExpected(wanted, values))
        decided.grants.push({ ...change, channel_id, variant_id, variant_code });
      else refuse({ kind: 'allocation_changed', variant_code, ...values });
    }
    seen.add(key);
  }
  return decided;
}

/** The ids of those variants that are archived, until the transaction ends. */
const archivedOf = async (tx: Tx, ids: readonly number[]): Promise<Set<number>> =>
  new Set((await pinVariants(tx, ids)).flatMap(({ id, is_archived }) => (is_archived ? [id] : [])));

/** What is archived, channel or variant, may keep what it has, or lose it. */
export const isMore = (wanted: Granted, current: Granted): boolean =>
  wanted.allocated_qty > current.allocated_qty || wanted.reserve_quota > current.reserve_quota;

const isExpected = ({ expected = ANYTHING }: WantedAllocation, current: Granted): boolean =>
  (expected.allocated_qty ?? current.allocated_qty) === current.allocated_qty &&
  (expected.reserve_quota ?? current.reserve_quota) === current.reserve_quota;

/** The stock rows must be locked. */
async function write(tx: Tx, by: Actor, grants: readonly Grant[]) {
  const stock = new Map<number, Stock>();
  for (const { variant_id, delta } of grants) {
    const allocated = (stock.get(variant_id)?.allocated ?? 0) + delta;
    stock.set(variant_id, { ...NO_STOCK_CHANGE, allocated });
  }
  await addToStock(tx, stock);
  const shares = grants.map(({ channel_id, variant_id, delta, after }) => ({
    channel_id,
    variant_id,
    delta,
    allocated_qty: delta,
    backordered_qty: 0,
    reserve_quota: after.reserve_quota,
    allocated_after: after.allocated_qty,
  }));
  await addToAllocations(tx, shares);
  await setReserveQuotas(tx, shares);
  const movements = shares.filter(({ delta }) => delta !== 0);
  await insertAllocationMovements(tx, movements, by.actor);
  const codes = [...new Set(grants.map(({ variant_code }) => variant_code))];
  return {
    done: { levels: await readStockLevels(tx, codes) },
    audit: grants.map(({ channel_id, variant_code, before, after }) => ({
      action: 'allocation.set',
      subject: `variant:${variant_code}`,
      before: before && grantedOf(channel_id, before),
      after: grantedOf(channel_id, after),
    })),
    journal: { variant_ids: [...stock.keys()], only_quantities: true },
  };
}

const grantedOf = (channel_id: number, { allocated_qty, reserve_quota }: Allocation) => ({
  channel_id,
  allocated_qty,
  reserve_quota,
});

/** Moves part of a pre-allocation to another channel. The sum does not change. */
export async function transferAllocation(
  tx: Tx,
  by: Actor,
  wanted: { variant_code: string; from_channel_id: number; to_channel_id: number; quantity: number },
): Promise<
  | Done<{ level: StockLevel }>
  | RefusedAs<
      | 'channel_unknown'
      | 'channel_archived'
      | 'variant_unknown'
      | 'variant_archived'
      | 'stock_missing'
      | 'allocation_changed'
      | 'allocation_insufficient'
    >
> {
  const { variant_code, from_channel_id, to_channel_id, quantity } = wanted;
  const variant = await findVariant(tx, variant_code);
  if (!variant) return { kind: 'variant_unknown', variant_code };
  const channels = await pinChannels(tx, [from_channel_id, to_channel_id]);
  await pinVariants(tx, [variant.id]);
  if (!(await lockStockOf(tx, variant.id))) return { kind: 'stock_missing', variant_code };
  if (!channels.some(({ id }) => id === from_channel_id))
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
