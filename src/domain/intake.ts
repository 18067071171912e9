// Section 4.3: the intake rules, in the order of decision 9.
import {
  allocationKey,
  skuKey,
  viewOf,
  type Changes,
  type IntakeCommand,
  type MappedVariant,
  type NewOrder,
  type Outcome,
  type World,
} from './commands.ts';
import { BASE_CURRENCY } from './currency.ts';
import { moveAllocation, moveStock } from './moves.ts';
import { convertedAmount, formatDecimal, ONE, plus, timesInteger, ZERO } from './money.ts';
import {
  channelAvailable,
  drawnFromAllocation,
  fitsReserveQuota,
  NO_ALLOCATION,
  reserveRemaining,
} from './stock.ts';

export function decideIntake(command: IntakeCommand, world: World, changes: Changes): Outcome {
  const existing = world.orders.get(command.order_number);
  if (existing) {
    return existing.channel_id === command.channel_id
      ? { kind: 'resent', order: viewOf(existing) }
      : { kind: 'order_number_taken' };
  }
  const currency = world.currencies.get(command.channel_id);
  if (currency === undefined) return { kind: 'channel_inactive' };

  const resolved = resolveLines(command, world);
  if ('kind' in resolved) return resolved;
  const demands = demandByVariant(command, resolved);
  for (const demand of demands) {
    const refusal = command.is_backorder
      ? checkQuota(command, demand, world)
      : checkStock(command, demand, world);
    if (refusal) return refusal;
  }

  const created = newOrder(command, resolved, currency, world);
  for (const demand of demands) take(command, demand, created, world, changes);
  const { order } = created;
  world.orders.set(order.order_number, order);
  changes.created.push(created);
  changes.history.push({ order_id: order.id, from: null, to: order.status, source: 'channel' });
  return { kind: 'created', order: viewOf(order) };
}

/** Each line's mapping, then its stock row; the first failing line is the one named. */
function resolveLines(command: IntakeCommand, world: World): MappedVariant[] | Outcome {
  const resolved: MappedVariant[] = [];
  for (const { sku } of command.lines) {
    const mapped = world.mappings.get(skuKey(command.channel_id, sku));
    if (!mapped) return { kind: 'sku_unmapped', sku };
    if (!world.stock.has(mapped.variant_id)) return { kind: 'stock_missing', sku };
    resolved.push(mapped);
  }
  return resolved;
}

interface Demand {
  variant_id: number;
  quantity: number;
  /** the line indexes that ask for it, in request order */
  lines: number[];
}

/** Rule 5: aliases and repeated lines of one internal SKU are one demand. */
function demandByVariant(command: IntakeCommand, resolved: readonly MappedVariant[]): Demand[] {
  const demands = new Map<number, Demand>();
  for (const [index, { variant_id }] of resolved.entries()) {
    const demand = demands.get(variant_id) ?? { variant_id, quantity: 0, lines: [] };
    demand.quantity += command.lines[index]?.quantity ?? 0;
    demand.lines.push(index);
    demands.set(variant_id, demand);
  }
  return [...demands.values()];
}

const skusOf = (command: IntakeCommand, demand: Demand): string[] => [
  ...new Set(demand.lines.map((index) => command.lines[index]?.sku ?? '')),
];

/** Rule 6. */
function checkStock(command: IntakeCommand, demand: Demand, world: World): Outcome | null {
  const stock = world.stock.get(demand.variant_id);
  if (!stock) throw new RangeError(`stock row ${demand.variant_id} is not locked`);
  const allocation =
    world.allocations.get(allocationKey(command.channel_id, demand.variant_id)) ?? NO_ALLOCATION;
  const available = channelAvailable(stock, allocation);
  if (demand.quantity <= available) return null;
  return { kind: 'stock_insufficient', skus: skusOf(command, demand), requested: demand.quantity, available };
}

/** Rule 8. */
function checkQuota(command: IntakeCommand, demand: Demand, world: World): Outcome | null {
  const allocation =
    world.allocations.get(allocationKey(command.channel_id, demand.variant_id)) ?? NO_ALLOCATION;
  if (fitsReserveQuota(allocation, demand.quantity)) return null;
  return {
    kind: 'quota_insufficient',
    skus: skusOf(command, demand),
    requested: demand.quantity,
    remaining: reserveRemaining(allocation),
  };
}

/** Amounts in both currencies with the rate of this moment (section 2.6, decision 12). */
function newOrder(
  command: IntakeCommand,
  resolved: readonly MappedVariant[],
  currency: string,
  world: World,
): NewOrder {
  const rate = currency === BASE_CURRENCY ? ONE : (world.rates.get(currency) ?? ZERO);
  const localTotal = command.lines.reduce(
    (sum, line) => plus(sum, timesInteger(line.unit_price, line.quantity)),
    ZERO,
  );
  const items = command.lines.map((line, index) => {
    const mapped = resolved[index] as MappedVariant;
    return {
      line: index,
      variant_id: mapped.variant_id,
      sku: line.sku,
      product_code: mapped.product_code,
      product_name: mapped.product_name,
      quantity: line.quantity,
      cancelled_quantity: 0,
      from_allocation: 0,
      local_unit_price: formatDecimal(line.unit_price),
      unit_price: convertedAmount(line.unit_price, rate),
    };
  });
  return {
    order: {
      id: world.nextOrderId(),
      channel_id: command.channel_id,
      order_number: command.order_number,
      status: command.status,
      is_backorder: command.is_backorder,
      recipient_name: command.recipient_name,
      total_amount: convertedAmount(localTotal, rate),
      created_at: world.now,
      items,
    },
    command,
    local_currency_code: currency,
    local_total_amount: formatDecimal(localTotal),
    exchange_rate: formatDecimal(rate),
  };
}

/** Lowers what can be sold: by a hold on the stock, or by an accepted backorder (decisions 1 and 4). */
function take(
  command: IntakeCommand,
  demand: Demand,
  { order }: NewOrder,
  world: World,
  changes: Changes,
): void {
  const { variant_id, quantity } = demand;
  if (command.is_backorder) {
    moveStock(world, changes, variant_id, { backordered: quantity });
    moveAllocation(world, changes, command.channel_id, variant_id, { backordered_qty: quantity });
    return;
  }
  const stock = world.stock.get(variant_id);
  if (!stock) throw new RangeError(`stock row ${variant_id} is not locked`);
  const drawn = drawnFromAllocation(stock, quantity);
  moveStock(world, changes, variant_id, { unshipped: quantity, allocated: -drawn });
  if (drawn === 0) return;
  moveAllocation(world, changes, command.channel_id, variant_id, { allocated_qty: -drawn });
  // The common stock serves the first lines, so the draw falls on the last ones.
  let left = drawn;
  for (const index of demand.lines.toReversed()) {
    const item = order.items[index];
    if (!item) throw new RangeError(`order line ${index} is missing`);
    item.from_allocation = Math.min(left, item.quantity);
    left -= item.from_allocation;
  }
}
