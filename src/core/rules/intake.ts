// The rules of intake (contract 4.3), checked in the order of contract 4.3.9a.
import {
  allocationKey,
  skuKey,
  orderView,
  type Changes,
  type IntakeCommand,
  type MappedVariant,
  type NewOrder,
  type Outcome,
  type BatchState,
} from './commands.ts';
import { unpaidMax, type ChannelLimits } from './channel-limits.ts';
import { senderRefusal } from './credentials.ts';
import { BASE_CURRENCY } from './currency.ts';
import { moveAllocation, moveStock } from './moves.ts';
import {
  convertedAmount,
  formatDecimal,
  formatPlain,
  ONE,
  plus,
  timesInteger,
  ZERO,
  type Decimal,
} from '../../platform/values/money.ts';
import {
  channelAvailable,
  drawnFromAllocation,
  fitsReserveQuota,
  NO_ALLOCATION,
  reserveRemaining,
  type Allocation,
  type Stock,
} from './stock.ts';
import { UNPAID } from './transitions.ts';

export function decideIntake(command: IntakeCommand, state: BatchState, changes: Changes): Outcome {
  const { sender, channel_id } = command;
  const objection = sender && senderRefusal(sender, state.accepted.get(channel_id));
  if (objection) return objection;
  const existing = state.orders.get(command.order_number);
  if (existing?.channel_id === channel_id) return { kind: 'resent', order: orderView(existing) };
  if (command.is_number_reserved) return { kind: 'number_reserved' };
  const currency = state.currencies.get(channel_id);
  if (currency === undefined) return { kind: 'channel_inactive' };

  const examined = examine(command, state);
  if ('kind' in examined) return examined;
  // Last: only an order that would be accepted shows that the number is used elsewhere (contract 4.3.3b).
  if (existing) return { kind: 'order_number_taken' };
  const { resolved, demands } = examined;
  const created = newOrder(command, resolved, currency, state);
  for (const demand of demands) take(command, demand, created, state, changes);
  const { order } = created;
  state.orders.set(order.order_number, order);
  changes.created.push(created);
  changes.history.push({ order_id: order.id, from: null, to: order.status, source: 'channel' });
  return { kind: 'created', order: orderView(order) };
}

/** The fields of an order that the rules of stock and quota use. */
type Goods = Pick<IntakeCommand, 'channel_id' | 'status' | 'is_backorder' | 'lines' | 'limits'>;
type Shelves = Pick<BatchState, 'mappings' | 'stock' | 'allocations' | 'unpaid'>;

/** Why these goods would be refused; null: they would be accepted. */
export function goodsRefusal(wanted: Goods, shelves: Shelves): Outcome | null {
  const examined = examine(wanted, shelves);
  return 'kind' in examined ? examined : null;
}

function examine(wanted: Goods, shelves: Shelves): { resolved: ResolvedLine[]; demands: Demand[] } | Outcome {
  const resolved = resolveLines(wanted, shelves);
  if ('kind' in resolved) return resolved;
  const demands = demandByVariant(resolved);
  for (const demand of demands) {
    const refusal = wanted.is_backorder
      ? checkQuota(wanted, demand, shelves)
      : checkStock(wanted, demand, shelves);
    if (refusal) return refusal;
    const exceeded = wanted.limits ? checkLimits(wanted, wanted.limits, demand, shelves) : null;
    if (exceeded) return exceeded;
  }
  return { resolved, demands };
}

interface ResolvedLine {
  sku: string;
  quantity: number;
  unit_price: Decimal;
  mapped: MappedVariant;
  stock: Stock;
}

/** Resolves mapping and stock row of each line. The first failing line in request order decides the refusal. */
function resolveLines(command: Goods, state: Shelves): ResolvedLine[] | Outcome {
  const resolved: ResolvedLine[] = [];
  for (const { sku, quantity, unit_price } of command.lines) {
    const mapped = state.mappings.get(skuKey(command.channel_id, sku));
    if (!mapped) return { kind: 'sku_unmapped', sku };
    const stock = state.stock.get(mapped.variant_id);
    if (!stock) return { kind: 'stock_missing', sku };
    resolved.push({ sku, quantity, unit_price, mapped, stock });
  }
  return resolved;
}

interface Demand {
  variant_id: number;
  stock: Stock;
  quantity: number;
  /** the channel SKUs that ask for this internal SKU */
  skus: string[];
}

/** Sums the lines of each internal SKU, aliases included (contract 4.3.5). */
function demandByVariant(resolved: readonly ResolvedLine[]): Demand[] {
  const demands = new Map<number, Demand>();
  for (const { sku, quantity, mapped, stock } of resolved) {
    const { variant_id } = mapped;
    const demand = demands.get(variant_id) ?? { variant_id, stock, quantity: 0, skus: [] };
    demand.quantity += quantity;
    demand.skus.push(sku);
    demands.set(variant_id, demand);
  }
  return [...demands.values()];
}

const allocationOf = (command: Goods, { variant_id }: Demand, state: Shelves): Readonly<Allocation> =>
  state.allocations.get(allocationKey(command.channel_id, variant_id)) ?? NO_ALLOCATION;

/** Contract 4.3.6. */
function checkStock(command: Goods, demand: Demand, state: Shelves): Outcome | null {
  const { skus, quantity: requested, stock } = demand;
  const available = channelAvailable(stock, allocationOf(command, demand, state));
  if (requested <= available) return null;
  return { kind: 'stock_insufficient', skus: [...new Set(skus)], requested, available };
}

/** Contract 4.3.8. */
function checkQuota(command: Goods, demand: Demand, state: Shelves): Outcome | null {
  const { skus, quantity: requested } = demand;
  const allocation = allocationOf(command, demand, state);
  if (fitsReserveQuota(allocation, requested)) return null;
  const remaining = reserveRemaining(allocation);
  return { kind: 'quota_insufficient', skus: [...new Set(skus)], requested, remaining };
}

/** Contract 10.24: after stock and quota, so that a limit changes no refusal of the specification. */
function checkLimits(
  command: Goods,
  limits: Readonly<ChannelLimits>,
  demand: Demand,
  state: Shelves,
): Outcome | null {
  const { skus, quantity: requested } = demand;
  const { line_quantity_max: lineMax } = limits;
  const long =
    lineMax !== null && command.lines.find(({ sku, quantity }) => quantity > lineMax && skus.includes(sku));
  if (long) return { kind: 'limit_exceeded', skus: [long.sku], requested: long.quantity, available: lineMax };
  const available = Math.max(0, roomWithin(command, limits, demand, state));
  return requested <= available
    ? null
    : { kind: 'limit_exceeded', skus: [...new Set(skus)], requested, available };
}

/** How much of the item the channel may still order within its limits on unpaid orders and backorders. */
function roomWithin(command: Goods, limits: Readonly<ChannelLimits>, demand: Demand, state: Shelves): number {
  if (command.is_backorder) {
    const { reserve_quota, backordered_qty } = allocationOf(command, demand, state);
    return reserve_quota > 0 ? Infinity : (limits.backordered_quantity_max ?? Infinity) - backordered_qty;
  }
  if (command.status !== UNPAID) return Infinity;
  const unpaid = state.unpaid.get(allocationKey(command.channel_id, demand.variant_id)) ?? 0;
  return unpaidMax(limits, demand.stock) - unpaid;
}

/** Amounts in both currencies at the current rate (contract 2.6). */
function newOrder(
  command: IntakeCommand,
  resolved: readonly ResolvedLine[],
  currency: string,
  state: BatchState,
): NewOrder {
  const rate = currency === BASE_CURRENCY ? ONE : (state.rates.get(currency) ?? ZERO);
  const localTotal = command.lines.reduce(
    (sum, line) => plus(sum, timesInteger(line.unit_price, line.quantity)),
    ZERO,
  );
  const items = resolved.map(({ sku, quantity, unit_price, mapped }, line) => ({
    line,
    variant_id: mapped.variant_id,
    sku,
    product_code: mapped.product_code,
    product_name: mapped.product_name,
    quantity,
    cancelled_quantity: 0,
    from_allocation: 0,
    local_unit_price: formatDecimal(unit_price),
    unit_price: convertedAmount(unit_price, rate),
  }));
  return {
    order: {
      id: state.nextOrderId(),
      channel_id: command.channel_id,
      order_number: command.order_number,
      status: command.status,
      is_backorder: command.is_backorder,
      recipient_name: command.recipient_name,
      total_amount: convertedAmount(localTotal, rate),
      created_at: state.now,
      items,
    },
    command,
    product_version_ids: resolved.map(({ mapped }) => mapped.product_version_id),
    local_currency_code: currency,
    local_total_amount: formatPlain(localTotal),
    exchange_rate: formatDecimal(rate),
  };
}

/** Reserves the quantity: as unshipped stock, or as a backorder (contract 2.3.2a and 4.3.7a). */
function take(
  command: IntakeCommand,
  demand: Demand,
  { order }: NewOrder,
  state: BatchState,
  changes: Changes,
): void {
  const { variant_id, quantity, stock } = demand;
  if (command.is_backorder) {
    moveStock(state, changes, variant_id, { backordered: quantity });
    moveAllocation(state, changes, command.channel_id, variant_id, { backordered_qty: quantity });
    return;
  }
  if (command.status === UNPAID) {
    const key = allocationKey(command.channel_id, variant_id);
    state.unpaid.set(key, (state.unpaid.get(key) ?? 0) + quantity);
  }
  const drawn = drawnFromAllocation(stock, quantity);
  moveStock(state, changes, variant_id, { unshipped: quantity, allocated: -drawn });
  if (drawn === 0) return;
  moveAllocation(state, changes, command.channel_id, variant_id, { allocated_qty: -drawn });
  // The first lines take the common stock, so the draw is recorded on the last ones.
  let left = drawn;
  for (const item of order.items.toReversed()) {
    if (item.variant_id !== variant_id) continue;
    item.from_allocation = Math.min(left, item.quantity);
    left -= item.from_allocation;
  }
}
