// The first level: decide() and the desk's decisions alone, over a store in memory. Millions of commands a minute.
import { allocationKey, type Order } from '../../../src/domain/commands.ts';
import {
  channelAvailable,
  commonAvailable,
  NO_ALLOCATION,
  overcommittedBy,
  reserveRemaining,
  type Stock,
} from '../../../src/domain/stock.ts';
import type { Model } from '../../kit/model.ts';
import { MemoryStore } from './memory-store.ts';
import { CHANNELS, VARIANTS, type GateStep, type Group } from './steps.ts';
import {
  agree,
  agreeThatHeldIsThere,
  commandOf,
  deskOnModel,
  expectedOf,
  newModel,
  wordsOf,
  type Ids,
  type Tally,
} from './words.ts';

/** Runs all of it; throws at the first disagreement. */
export function runOnRules(groups: readonly Group[], tally?: Tally): void {
  const model = newModel();
  const store = new MemoryStore();
  for (const group of groups) {
    if (Array.isArray(group)) runBatch(store, model, group, tally);
    else agree(`desk ${JSON.stringify(group)}`, store.desk(group), deskOnModel(model, group));
    compareNumbers(store, model);
  }
  compareOrders(store, model);
}

function runBatch(store: MemoryStore, model: Model, batch: readonly GateStep[], tally?: Tally): void {
  const ids: Ids = {
    channel: (index) => index,
    orderId: (number) => store.orders.get(number)?.id ?? -1,
    variantOf: (productCode) => Number(productCode),
  };
  const outcomes = store.batch(batch.map((step) => commandOf(step, ids)));
  agreeThatHeldIsThere(batch, outcomes, ids, (variant) => store.stock.get(variant));
  const expected = expectedOf(model, batch);
  for (const [index, outcome] of outcomes.entries()) {
    const actual = wordsOf(outcome, ids);
    if (actual !== expected[index]) agree(JSON.stringify(batch[index]), actual, expected[index]);
    tally?.add(actual);
  }
}

function compareNumbers(store: MemoryStore, model: Model): void {
  for (const variant of VARIANTS) {
    const stock = store.stock.get(variant);
    if (!stock) continue;
    const common = model.common(variant);
    const left = model.left(variant);
    const isSame =
      stock.quantity === model.physical.get(variant) &&
      stock.unshipped === model.unshipped(variant) &&
      stock.allocated === model.allocated(variant) &&
      stock.backordered === model.backordered(variant) &&
      commonAvailable(stock) === common &&
      overcommittedBy(stock) === model.overcommittedBy(variant) &&
      store.ledger.get(variant) === stock.quantity;
    if (!isSame) {
      const ledger = store.ledger.get(variant);
      agree(
        `the stock row of ${variant}`,
        { ...stock, ledger, overcommitted: overcommittedBy(stock) },
        {
          quantity: model.physical.get(variant),
          unshipped: model.unshipped(variant),
          allocated: model.allocated(variant),
          backordered: model.backordered(variant),
          ledger: model.physical.get(variant),
          overcommitted: model.overcommittedBy(variant),
        },
      );
    }
    for (const channel of CHANNELS)
      compareAllocation(store, model, channel, variant, stock, { common, left });
  }
}

function compareAllocation(
  store: MemoryStore,
  model: Model,
  channel: number,
  variant: number,
  stock: Stock,
  { common, left }: { common: number; left: number },
): void {
  const allocation = store.allocations.get(allocationKey(channel, variant)) ?? NO_ALLOCATION;
  const allocated = model.allocatedQty(channel, variant);
  const backordered = model.backordered(variant, channel);
  const remaining = model.reserveRemaining(channel, variant);
  const available = channelAvailable(stock, allocation);
  const expected = Math.min(common + allocated, left);
  const isSame =
    allocation.allocated_qty === allocated &&
    allocation.backordered_qty === backordered &&
    available === expected &&
    reserveRemaining(allocation) === remaining;
  if (isSame) return;
  agree(
    `what channel ${channel} has of ${variant}: allocated, backordered, available, reserve`,
    [allocation.allocated_qty, allocation.backordered_qty, available, reserveRemaining(allocation)],
    [allocated, backordered, expected, remaining],
  );
}

/** Every order with its way, what it drew and what was cancelled of it. */
function compareOrders(store: MemoryStore, model: Model): void {
  const drawnBy = (order: Order): [number, number][] =>
    VARIANTS.map((variant) => [
      variant,
      order.items
        .filter((item) => item.variant_id === variant)
        .reduce((sum, item) => sum + item.from_allocation, 0),
    ]);
  agree(
    'the orders',
    [...store.orders.values()].map((order) => [
      order.order_number,
      order.channel_id,
      order.is_backorder,
      store.history.get(order.id),
      order.items.map((item) => [item.quantity, item.cancelled_quantity]),
      drawnBy(order),
    ]),
    [...model.orders.values()].map((order) => [
      order.number,
      order.channel,
      order.backorder,
      order.history,
      order.lines.map((line) => [line.quantity, order.status === 88 ? line.quantity : 0]),
      VARIANTS.map((variant) => [variant, order.drawn.get(variant) ?? 0]),
    ]),
  );
}
