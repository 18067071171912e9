// Would a refused order be accepted now? The same rules as intake, on one snapshot and without locks.
import { allocationKey, skuKey, type BatchState, type Outcome } from '../../core/rules/commands.ts';
import { limitsUnpaid, type ChannelLimits } from '../../core/rules/channel-limits.ts';
import { goodsRefusal } from '../../core/rules/intake.ts';
import { ZERO } from '../../platform/values/money.ts';
import { UNPAID } from '../../core/rules/transitions.ts';
import type { Tx } from '../../platform/database/database.ts';
import { readMappings, readUnpaid, type SkuPairs } from '../../core/gate/reads-store.ts';
import { readChannelLimits } from '../../core/channels/limits-store.ts';
import { findByNumbers } from '../../core/orders/store.ts';
import type { RefusedOrder } from './refused-orders-store.ts';
import { readStock } from '../../core/stock/store.ts';
import { collectUnpaid } from '../../core/gate/load-batch.ts';

/** `unknown`: the lines were not kept. `accepted`: the channel sent the order again and it was accepted. */
export type Fit =
  | { kind: 'unknown' }
  | { kind: 'accepted' }
  | { kind: 'fits' }
  | { kind: 'blocked'; by: Outcome };

type Wanted = Pick<
  RefusedOrder,
  'channel_id' | 'order_number' | 'order_id' | 'is_backorder' | 'lines' | 'reason'
>;

/** One result for each order. Each is decided separately, as if the other orders took no stock. */
export async function wouldFit(tx: Tx, orders: readonly Wanted[]): Promise<Fit[]> {
  const shelves = await readShelves(tx, pairsOf(orders));
  const numbers = await findByNumbers(
    tx,
    orders.map(({ order_number }) => order_number),
  );
  const taken = new Set(numbers.map(({ order_number }) => order_number));
  return orders.map((order): Fit => {
    const { channel_id, order_number, is_backorder, lines, reason } = order;
    if (order.order_id !== null) return { kind: 'accepted' };
    if (lines === null) return { kind: 'unknown' };
    if (taken.has(order_number)) return { kind: 'blocked', by: { kind: 'order_number_taken' } };
    if (!shelves.currencies.has(channel_id)) return { kind: 'blocked', by: { kind: 'channel_inactive' } };
    const priced = lines.map((line) => ({ ...line, unit_price: ZERO }));
    // The status is not kept: only an unpaid order, or a long line, was refused for a limit.
    const status = reason === 'limit_exceeded' ? UNPAID : 1;
    const limits = shelves.limits.get(channel_id) ?? null;
    const refusal = goodsRefusal({ channel_id, status, is_backorder, lines: priced, limits }, shelves);
    return refusal ? { kind: 'blocked', by: refusal } : { kind: 'fits' };
  });
}

function pairsOf(orders: readonly Wanted[]): SkuPairs {
  const pairs = new Map<string, { channel_id: number; sku: string }>();
  for (const { channel_id, lines } of orders)
    for (const { sku } of lines ?? []) pairs.set(skuKey(channel_id, sku), { channel_id, sku });
  const wanted = [...pairs.values()];
  return { channel_ids: wanted.map(({ channel_id }) => channel_id), skus: wanted.map(({ sku }) => sku) };
}

type Shelves = Pick<BatchState, 'mappings' | 'stock' | 'allocations' | 'unpaid' | 'currencies'> & {
  limits: Map<number, ChannelLimits>;
};

async function readShelves(tx: Tx, pairs: SkuPairs): Promise<Shelves> {
  const shelves: Shelves = {
    mappings: new Map(),
    stock: new Map(),
    allocations: new Map(),
    unpaid: new Map(),
    currencies: new Map(),
    limits: await readChannelLimits(tx, pairs.channel_ids),
  };
  if ([...shelves.limits.values()].some(limitsUnpaid))
    shelves.unpaid = collectUnpaid(await readUnpaid(tx, pairs));
  for (const row of await readMappings(tx, pairs)) {
    const { channel_id, sku } = row;
    shelves.currencies.set(channel_id, row.currency_code);
    if (row.variant_id === null) continue;
    shelves.mappings.set(skuKey(channel_id, sku), row);
    if (row.allocated_qty !== null) shelves.allocations.set(allocationKey(channel_id, row.variant_id), row);
  }
  const variantIds = [...shelves.mappings.values()].map(({ variant_id }) => variant_id);
  for (const { variant_id, ...stock } of await readStock(tx, variantIds))
    shelves.stock.set(variant_id, stock);
  return shelves;
}
