// The first level: only decide() and the back office's decisions. Each batch starts in the state of the model; the
// changes it decides must equal the difference to the model's state afterwards.
import {
  allocationKey,
  skuKey,
  type Changes,
  type Order,
  type BatchState,
} from '../../../src/core/rules/commands.ts';
import { decide } from '../../../src/core/rules/decide.ts';
import { decimal } from '../../../src/platform/values/money.ts';
import * as rules from '../../../src/core/rules/stock.ts';
import { decideAdjustment, decideAllocation, decideSet } from '../../../src/core/rules/stock-changes.ts';
import type { Model, ModelOrder } from '../../kit/model.ts';
import {
  deskOnModel,
  RATED_CHANNEL,
  RATED_CURRENCY,
  rateText,
  type DeskStep,
  type GateStep,
} from '../steps.ts';
import { CHANNELS, CURRENCIES, FIRST_QUANTITIES, type Group } from './random-runs.ts';
import {
  agree,
  agreeThatHeldIsThere,
  answersOf,
  commandOf,
  expectedOf,
  firstModel,
  type Ids,
} from './words.ts';

/** Runs all steps; throws at the first disagreement. Returns the answers. */
export function runOnRules(groups: readonly Group[]): string[] {
  const model = firstModel();
  const orderIds: OrderIds = new Map();
  return groups.flatMap((group) => {
    if (Array.isArray(group)) return runBatch(model, orderIds, group);
    runDesk(model, group);
    return [];
  });
}

/** By order number. */
type OrderIds = Map<string, number>;

type Counters = Pick<BatchState, 'stock' | 'allocations'>;

/** Every number that would be stored; an allocation of zeros has no row. */
function countersOf(model: Model): Counters {
  const stock: BatchState['stock'] = new Map();
  const allocations: BatchState['allocations'] = new Map();
  for (const [variant, quantity] of model.physical) {
    const [allocated, backordered] = [model.allocated(variant), model.backordered(variant)];
    stock.set(variant, { quantity, unshipped: model.unshipped(variant), allocated, backordered });
    for (const channel of CHANNELS) {
      const [allocated_qty, reserve_quota] = [
        model.allocatedQty(channel, variant),
        model.quota(channel, variant),
      ];
      const backordered_qty = model.backordered(variant, channel);
      if (allocated_qty + reserve_quota + backordered_qty === 0) continue;
      allocations.set(allocationKey(channel, variant), { allocated_qty, reserve_quota, backordered_qty });
    }
  }
  return { stock, allocations };
}

function runBatch(model: Model, orderIds: OrderIds, batch: readonly GateStep[]): string[] {
  const ids: Ids = {
    channel: (index) => index,
    orderId: (number) => orderIds.get(number) ?? -1,
    variantOf: (productCode) => Number(productCode),
  };
  const numbers = [...new Set(batch.map(({ number }) => number))];
  const known = numbers.flatMap((number) => model.orders.get(number) ?? []);
  const before = countersOf(model);
  const state = batchStateOf(model, before, orderIds, known);
  const { outcomes, changes } = decide(
    batch.map((step) => commandOf(step, ids)),
    state,
  );
  for (const { order } of changes.created) orderIds.set(order.order_number, order.id);
  const answers = answersOf(batch, outcomes, expectedOf(model, batch, true), ids);
  agreeThatHeldIsThere(batch, outcomes, ids, (variant) => state.stock.get(variant));
  compareCounters(changes, before, model);
  const was = new Map(known.map((order) => [order.number, order]));
  const ways = numbers.map((number) => ({
    number,
    before: was.get(number),
    after: model.orders.get(number),
  }));
  for (const way of ways) compareOrder(changes, orderIds.get(way.number) ?? -1, way);
  compareLedger(changes, before, model, orderIds, ways);
  return answers;
}

function batchStateOf(
  model: Model,
  counters: Counters,
  orderIds: OrderIds,
  known: readonly ModelOrder[],
): BatchState {
  const mappings: BatchState['mappings'] = new Map();
  for (const [key, variant_id] of model.mappings) {
    const [channel, sku = ''] = key.split('/');
    const code = String(variant_id);
    const product = { product_code: code, product_name: code, product_version_id: variant_id };
    mappings.set(skuKey(Number(channel), sku), { variant_id, ...product });
  }
  const rate = model.rates.get(RATED_CHANNEL) ?? 0;
  let lastId = orderIds.size;
  return {
    // decide() applies its changes to the rows it is given.
    ...structuredClone(counters),
    now: new Date(0),
    mappings,
    orders: new Map(known.map((order) => [order.number, orderOf(order, orderIds)])),
    unpaid: unpaidOf(model),
    currencies: new Map(CHANNELS.map((channel) => [channel, CURRENCIES[channel]])),
    accepted: new Map(),
    roles: new Map(),
    // Orders were created at time 0.
    expiries: new Map([...orderIds.values()].map((id) => [id, { minutes: 1, now: new Date(60_000) }])),
    rates: new Map([[RATED_CURRENCY, decimal(rateText(rate))]]),
    couriers: new Map(),
    nextOrderId: () => ++lastId,
  };
}

function unpaidOf(model: Model): BatchState['unpaid'] {
  const unpaid: BatchState['unpaid'] = new Map();
  for (const { channel, status, backorder, lines } of model.orders.values()) {
    if (status !== 0 || backorder) continue;
    for (const { variant, quantity } of lines) {
      const key = allocationKey(channel, variant);
      unpaid.set(key, (unpaid.get(key) ?? 0) + quantity);
    }
  }
  return unpaid;
}

/** As read from the database. Which lines drew from the pre-allocation is internal to the service. */
function orderOf(order: ModelOrder, orderIds: OrderIds): Order {
  const drawn = new Map(order.drawn);
  return {
    id: orderIds.get(order.number) ?? -1,
    channel_id: order.channel,
    order_number: order.number,
    status: order.status as Order['status'],
    is_backorder: order.backorder,
    recipient_name: '',
    total_amount: order.total,
    created_at: new Date(0),
    items: order.lines.map(({ variant, quantity, unit }, line) => {
      const left = drawn.get(variant) ?? 0;
      const from_allocation = Math.min(left, quantity);
      drawn.set(variant, left - from_allocation);
      const code = String(variant);
      return {
        line,
        variant_id: variant,
        sku: code,
        product_code: code,
        product_name: code,
        quantity,
        cancelled_quantity: order.status === 88 ? quantity : 0,
        from_allocation,
        local_unit_price: unit,
        unit_price: unit,
      };
    }),
  };
}

type Row = Readonly<Record<string, number>>;

const asText = (a: unknown, b: unknown): number => (String(a) < String(b) ? -1 : 1);

/** The changed rows, with the difference. */
function differences<Key>(
  names: readonly string[],
  before: ReadonlyMap<Key, object>,
  after: ReadonlyMap<Key, object>,
): [Key, ...number[]][] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((key): [Key, ...number[]] => {
      const [old, now] = [before.get(key) as Row | undefined, after.get(key) as Row | undefined];
      return [key, ...names.map((name) => (now?.[name] ?? 0) - (old?.[name] ?? 0))];
    })
    .filter(([, ...deltas]) => deltas.some((delta) => delta !== 0))
    .toSorted(asText);
}

const STOCK = ['quantity', 'unshipped', 'allocated', 'backordered'];
const ALLOCATION = ['allocated_qty', 'backordered_qty'];

function compareCounters(changes: Changes, before: Counters, model: Model): void {
  const after = countersOf(model);
  const none = new Map<never, never>();
  agree(
    'the changes of the stock rows',
    differences(STOCK, none, changes.stock),
    differences(STOCK, before.stock, after.stock),
  );
  agree(
    'the changes of the allocations',
    differences(ALLOCATION, none, changes.allocations),
    differences(ALLOCATION, before.allocations, after.allocations),
  );
  for (const [variant, row] of after.stock) {
    agree(`the common available quantity of ${variant}`, rules.commonAvailable(row), model.common(variant));
    agree(`the over-commitment of ${variant}`, rules.overcommittedBy(row), model.overcommittedBy(variant));
    for (const channel of CHANNELS) {
      const own = after.allocations.get(allocationKey(channel, variant)) ?? rules.NO_ALLOCATION;
      const what = `the quantities of ${variant} that channel ${channel} may sell and backorder`;
      agree(what, rules.channelAvailable(row, own), model.available(channel, variant));
      agree(what, rules.reserveRemaining(own), model.reserveRemaining(channel, variant));
    }
  }
}

/** An order before and after a batch. */
interface Way {
  number: string;
  before: ModelOrder | undefined;
  after: ModelOrder | undefined;
}

/** Compares a new order's stored fields, its history steps and its final status. */
function compareOrder(changes: Changes, id: number, { number, before, after }: Way): void {
  const created = changes.created.find(({ order }) => order.order_number === number)?.order;
  const walk = after?.history ?? [];
  const first = before?.history.length ?? 0;
  agree(
    `the history steps of ${number}`,
    changes.history.filter(({ order_id }) => order_id === id).map(({ from, to }) => [from, to]),
    walk.slice(first).map((to, index) => [walk[first + index - 1] ?? null, to]),
  );
  const status = changes.moved.get(id)?.status ?? created?.status ?? before?.status;
  agree(`the status of ${number}`, status, after?.status);
  const drawn = FIRST_QUANTITIES.map((_, variant) =>
    created?.items.reduce((sum, item) => sum + (item.variant_id === variant ? item.from_allocation : 0), 0),
  );
  const made = before ? undefined : after;
  agree(
    `the stored fields of ${number}`,
    created && [created.channel_id, created.is_backorder, created.items.map((item) => item.quantity), drawn],
    made && [
      made.channel,
      made.backorder,
      made.lines.map((line) => line.quantity),
      FIRST_QUANTITIES.map((_, variant) => made.drawn.get(variant) ?? 0),
    ],
  );
}

/** Each shipped order is deducted once and in full, and the ledger explains the change of stock. */
function compareLedger(
  { movements }: Changes,
  before: Counters,
  model: Model,
  orderIds: OrderIds,
  ways: readonly Way[],
): void {
  const quantity = new Map([...before.stock].map(([variant, row]) => [variant, row.quantity]));
  for (const { variant_id, delta, quantity_after } of movements) {
    quantity.set(variant_id, (quantity.get(variant_id) ?? 0) + delta);
    agree(`the ledger of ${variant_id}`, quantity_after, quantity.get(variant_id));
  }
  agree('the physical stock according to the ledger', [...quantity], [...model.physical]);
  const due = ways
    .filter((way) => way.after?.status === 3 && way.before?.status !== 3)
    .flatMap(({ number, after }) =>
      [...Map.groupBy(after?.lines ?? [], (line) => line.variant)].map(([variant, lines]) => [
        orderIds.get(number),
        variant,
        -lines.reduce((sum, line) => sum + line.quantity, 0),
      ]),
    );
  const shipped = movements.map(({ order_id, variant_id, delta }) => [order_id, variant_id, delta]);
  agree('the shipped quantities', shipped.toSorted(asText), due.toSorted(asText));
}

function runDesk(model: Model, step: DeskStep): void {
  const what = `the back-office change ${JSON.stringify(step)}`;
  const before = countersOf(model);
  const isTaken = deskOnModel(model, step);
  const after = countersOf(model);
  if (step.kind === 'set' || step.kind === 'adjust') {
    const current = before.stock.get(step.variant)?.quantity ?? null;
    // Without a row there is nothing to adjust: the store refuses it.
    if (step.kind === 'adjust' && current === null) return agree(what, isTaken, false);
    const decision =
      step.kind === 'set'
        ? decideSet(current, step.quantity, step.expected)
        : decideAdjustment(current ?? 0, step.delta);
    const quantity = after.stock.get(step.variant)?.quantity;
    if (decision.kind !== 'change') return agree(what, false, isTaken);
    agree(what, [true, decision.quantity_after], [isTaken, quantity]);
    agree(what, decision.delta, (quantity ?? 0) - (current ?? 0));
  } else if (step.kind === 'allocate' && isTaken) {
    const key = allocationKey(step.channel, step.variant);
    const wanted = { allocated_qty: step.allocated, reserve_quota: step.quota };
    const decision = decideAllocation(before.allocations.get(key) ?? null, wanted);
    agree(what, decision.after, after.allocations.get(key) ?? rules.NO_ALLOCATION);
    const allocated = (counters: Counters): number => counters.stock.get(step.variant)?.allocated ?? 0;
    agree(what, decision.delta, allocated(after) - allocated(before));
  }
}
