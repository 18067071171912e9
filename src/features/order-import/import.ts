// orders.csv: orders that another service has accepted, with status, amounts and time, so that the counters are right
// immediately. Physical stock does not change. Like the gate, each part locks its stock rows before it inserts orders.
import { allocationKey, skuKey, type Changes } from '../../core/rules/commands.ts';
import { BASE_CURRENCY } from '../../core/rules/currency.ts';
import {
  convertedAmount,
  decimal,
  formatPlain,
  plus,
  timesInteger,
  ZERO,
} from '../../platform/values/money.ts';
import { NO_STOCK_CHANGE, type Stock } from '../../core/rules/stock.ts';
import { CANCELLED, isUnshipped, pathBetween } from '../../core/rules/transitions.ts';
import { insertAllocationMovements, readAllocations } from '../../core/allocations/store.ts';
import { pinChannels, type NamedChannel } from '../../core/channels/store.ts';
import { findCommonCodes } from '../../core/codes/store.ts';
import type { Tx } from '../../platform/database/database.ts';
import { readClockAndIds } from '../../core/gate/reads-store.ts';
import { addToAllocations, addToStock } from '../../core/gate/deltas-store.ts';
import { chunks } from '../../platform/values/chunks.ts';
import {
  cancelItems,
  findCodedVariants,
  findKnownOrders,
  findMappedVariants,
  findOpenOrders,
  insertFirstSteps,
  insertItems,
  insertOrders,
  insertSteps,
  isNumberTaken,
  lockKnownOrders,
  updateOrders,
  type ImportedItem,
  type ImportedOrder,
  type ImportedVariant,
  type KnownOrder,
} from './store.ts';
import { indexAgain } from '../../core/orders/search-index-store.ts';
import { pinVariants } from '../../core/products/store.ts';
import { lockStockRows } from '../../core/stock/store.ts';
import type { Actor } from '../../platform/audit/change.ts';
import { COURIER_GROUP } from '../../core/codes/changes.ts';
import { findChannelsOf } from '../../core/channels/channel-names.ts';
import { orderUpdate, type OrderUpdate, type ResolvedOrder } from './known-orders.ts';
import { checkTotals } from './order-totals.ts';
import { isRateOf, ORDER_SHAPE, OrderRows, type LineOfFile, type OrderOfFile } from './order-rows.ts';
import {
  addCounts,
  applyAll,
  lookUp,
  PART_ROWS_MAX,
  type Counts,
  type Import,
  type Part,
  type Plan,
  type Progress,
} from '../../core/imports/plan.ts';
import type { Problems } from '../../platform/csv/problems.ts';
import { readNow } from '../../platform/database/clock.ts';
import { ImportFailed } from '../../core/imports/failed.ts';

/** Attempts, if channels send imported orders meanwhile. */
const TRIES_MAX = 10;

/**
 * With `isUpdate`, stored orders follow the file: the company went back to its old service for a while. The file must
 * then contain every order that is open here.
 */
export function importOrders({ isUpdate = false } = {}): Import {
  const rows = new OrderRows();
  let tries = 0;
  return {
    what: 'orders',
    shape: ORDER_SHAPE,
    read: (row, problems) => rows.read(row, problems),
    lock: async () => {}, // stock rows, in order, by each part
    plan: (tx, problems, progress, by) => planOrders(tx, rows, { problems, progress, by, isUpdate }),
    explain(error) {
      if (!isOrderChanged(error)) return null;
      tries += 1;
      return tries < TRIES_MAX ? 'again' : sentMeanwhile();
    },
  };
}

/** After several attempts. */
const sentMeanwhile = (): ImportFailed =>
  new ImportFailed(
    'nothing was imported: channels sent orders of the file during each attempt; repeat the command.',
    {
      error:
        'Nothing was imported: channels sent orders of the file during each attempt. Send the file again.',
      code: 'orders_sent_meanwhile',
    },
  );

/** An order of the file was changed after the plan was made. */
class OrderMoved extends Error {}

/** Channels have sent orders of the file, or reported on them, after they were read. */
const isOrderChanged = (error: unknown): boolean => isNumberTaken(error) || error instanceof OrderMoved;

interface Around {
  problems: Problems;
  progress: Progress;
  by: Actor;
  isUpdate: boolean;
}

async function planOrders(
  tx: Tx,
  rows: OrderRows,
  { problems, progress, by, isUpdate }: Around,
): Promise<Plan> {
  const { list, columns } = rows;
  const resolved = await resolve(tx, list, problems, progress);
  const known = await lookUp<KnownOrder>(
    resolved.map(({ order }) => order.order_number),
    (numbers) => findKnownOrders(tx, numbers),
    ({ order_number }) => order_number,
  );
  if (isUpdate) await requireOpenOrders(tx, rows, problems);
  const added: ResolvedOrder[] = [];
  const updates: OrderUpdate[] = [];
  for (const one of resolved) {
    const stored = known.get(one.order.order_number);
    const update = stored ? orderUpdate(one, stored, { columns, isUpdate, problems }) : null;
    if (!stored) added.push(one);
    else if (update) updates.push(update);
  }
  for (const one of added) checkOpenLines(one, problems);
  // Ids are assigned in the order of time, because lists sort by id to show the newest first.
  added.sort((a, b) => a.order.created_at.getTime() - b.order.created_at.getTime());
  const written: Counts = {
    ...countsOf(linesOf(added) + linesOf(updates), added, openQuantitiesOf(added)),
    orders_updated: updates.length,
  };
  const there: Counts = {
    ...countsOf(rows.lineCount - (written['rows'] ?? 0), [], openQuantitiesOf([])),
    orders_already_there: resolved.length - added.length - updates.length,
  };
  const around = { progress, by };
  const parts = [
    ...[...byLines(updates)].map((part) => (own: Tx) => updatePart(own, part, around)),
    ...[...byLines(added)].map((part) => (own: Tx) => writePart(own, part, around)),
  ];
  return {
    counts: addCounts(there, written),
    changes: added.length + updates.length > 0,
    unwritten: there,
    parts,
    apply: (own) => applyAll(own, parts, there),
  };
}

/** Orders that are open here would stay open for ever if the file did not tell what became of them. */
async function requireOpenOrders(tx: Tx, rows: OrderRows, problems: Problems): Promise<void> {
  for (const open of await findOpenOrders(tx))
    if (!rows.has(open.order_number)) problems.add(1, { kind: 'open_order_missing', ...open });
}

const linesOf = (list: readonly { order: OrderOfFile }[]): number =>
  list.reduce((sum, { order }) => sum + order.lines.length, 0);

const countsOf = (rows: number, list: readonly ResolvedOrder[], { stock }: OpenQuantities): Counts => ({
  rows,
  orders_imported: list.length,
  orders_updated: 0,
  orders_already_there: 0,
  units_unshipped: sumOf(stock, 'unshipped'),
  units_backordered: sumOf(stock, 'backordered'),
});

/** Parts with about as many lines as others have rows. */
function* byLines<One extends { order: OrderOfFile }>(list: readonly One[]): Generator<One[]> {
  let part: One[] = [];
  let lines = 0;
  for (const one of list) {
    if (part.length > 0 && lines + one.order.lines.length > PART_ROWS_MAX) {
      yield part;
      [part, lines] = [[], 0];
    }
    part.push(one);
    lines += one.order.lines.length;
  }
  if (part.length > 0) yield part;
}

async function writePart(
  tx: Tx,
  list: readonly ResolvedOrder[],
  { progress, by }: Pick<Around, 'progress' | 'by'>,
): ReturnType<Part> {
  const open = list.filter(({ order }) => isUnshipped(order.status));
  const pinned = await pinChannels(tx, [...new Set(open.map(({ channel }) => channel.id))]);
  const archived = pinned.find((channel) => channel.archived);
  if (archived) return { kind: 'channel_archived', channel_id: archived.id };
  const quantities = openQuantitiesOf(list);
  const ids = [...quantities.stock.keys()].toSorted((a, b) => a - b);
  const kept = (await pinVariants(tx, ids)).find((variant) => variant.is_archived);
  if (kept) return { kind: 'variant_archived', variant_code: kept.code };
  await lockStockRows(tx, ids);
  await addToStock(tx, quantities.stock);
  if (quantities.allocations.size > 0) await writeAllocations(tx, quantities, by);
  await writeOrders(tx, list, progress);
  return {
    counts: countsOf(linesOf(list), list, quantities),
    variant_ids: ids,
    only_quantities: true,
    orders_since: new Date(Math.min(...list.map(({ order }) => order.created_at.getTime()))),
  };
}

/** Orders by id, then stock rows, like a status report. */
async function updatePart(
  tx: Tx,
  updates: readonly OrderUpdate[],
  { progress, by }: Pick<Around, 'progress' | 'by'>,
): ReturnType<Part> {
  await lockUpdated(tx, updates);
  const quantities = openQuantitiesOf([]);
  removeClosed(quantities, updates);
  const ids = [...quantities.stock.keys()].toSorted((a, b) => a - b);
  await lockStockRows(tx, ids);
  await addToStock(tx, quantities.stock);
  if (quantities.allocations.size > 0) await writeAllocations(tx, quantities, by);
  await writeUpdates(tx, updates);
  progress.advance('write', linesOf(updates));
  const counts = { ...countsOf(linesOf(updates), [], openQuantitiesOf([])), orders_updated: updates.length };
  return { counts, variant_ids: ids, only_quantities: true };
}

const sumOf = (stock: ReadonlyMap<number, Stock>, counter: keyof Stock): number =>
  [...stock.values()].reduce((sum, row) => sum + row[counter], 0);

/** Returns the orders whose channel and variants are known. Reports every problem with its line. */
async function resolve(
  tx: Tx,
  list: readonly OrderOfFile[],
  problems: Problems,
  progress: Progress,
): Promise<ResolvedOrder[]> {
  const channelOf = await findChannelsOf(tx, list);
  const couriers = new Map(
    (await findCommonCodes(tx, [COURIER_GROUP])).map(({ code, name }) => [code, name]),
  );
  const now = (await readNow(tx)).getTime();
  const withChannel = list.flatMap((order) => {
    const channel = channelOf(order, problems);
    return channel ? [{ order, channel }] : [];
  });
  const variantOf = await findVariantsOf(tx, withChannel);
  return withChannel.flatMap(({ order, channel }) => {
    progress.advance('check', order.lines.length);
    checkOrder(order, channel, now, problems);
    const courier_name = order.courier_code === null ? null : (couriers.get(order.courier_code) ?? null);
    if (order.courier_code !== null && courier_name === null)
      problems.add(order.line, {
        kind: 'courier_unknown',
        column: 'courier_code',
        courier_code: order.courier_code,
      });
    const variants = order.lines.flatMap((line) => variantOf(line, channel, problems) ?? []);
    return variants.length === order.lines.length ? [{ order, channel, courier_name, variants }] : [];
  });
}

function checkOrder(order: OrderOfFile, channel: NamedChannel, now: number, problems: Problems): void {
  const { line, order_number, exchange_rate } = order;
  if (channel.archived && isUnshipped(order.status))
    problems.add(line, { kind: 'channel_archived', channel_id: channel.id });
  if (order.created_at.getTime() > now) problems.add(line, { kind: 'in_future', column: 'created_at' });
  const prefix = channel.order_number_prefix;
  if (prefix !== null && !order_number.startsWith(prefix))
    problems.add(line, {
      kind: 'order_number_without_prefix',
      column: 'order_number',
      order_number,
      prefix,
    });
  const currency = order.local_currency_code ?? channel.currency_code;
  if (exchange_rate === null && currency !== BASE_CURRENCY)
    problems.add(line, { kind: 'value_missing', column: 'exchange_rate' });
  if (exchange_rate !== null && !isRateOf(currency, exchange_rate))
    problems.add(line, { kind: 'not_equal', column: 'exchange_rate', expected: '1' });
  checkTotals(order, currency, problems);
}

async function findVariantsOf(
  tx: Tx,
  list: readonly { order: OrderOfFile; channel: NamedChannel }[],
): Promise<(line: LineOfFile, channel: NamedChannel, problems: Problems) => ImportedVariant | null> {
  const pairs = new Map<string, { channel_id: number; sku: string }>();
  const codes = new Set<string>();
  for (const { order, channel } of list)
    for (const { sku, variant_code } of order.lines) {
      if (variant_code === null) pairs.set(skuKey(channel.id, sku), { channel_id: channel.id, sku });
      else codes.add(variant_code);
    }
  const bySku = new Map<string, ImportedVariant>();
  for (const chunk of chunks([...pairs.values()]))
    for (const row of await findMappedVariants(tx, chunk)) bySku.set(skuKey(row.channel_id, row.sku), row);
  const byCode = await lookUp<ImportedVariant>(
    [...codes],
    (chunk) => findCodedVariants(tx, chunk),
    ({ variant_code }) => variant_code,
  );
  return ({ line, sku, variant_code }, channel, problems) => {
    const found = variant_code === null ? bySku.get(skuKey(channel.id, sku)) : byCode.get(variant_code);
    if (found?.has_stock) return found;
    if (found) problems.add(line, { kind: 'stock_missing', variant_code: found.variant_code });
    else if (variant_code === null)
      problems.add(line, { kind: 'sku_unmapped', column: 'sku', sku, channel_id: channel.id });
    else problems.add(line, { kind: 'variant_unknown', column: 'variant_code', variant_code });
    return null;
  };
}

/** A larger line on less than a tenth of it in stock is probably a mistake. */
const LARGE_QUANTITY_MIN = 1_000;
const STOCK_SHARE_MIN = 0.1;

function checkOpenLines({ order, variants }: ResolvedOrder, problems: Problems): void {
  if (!isUnshipped(order.status)) return;
  for (const [index, { line, quantity }] of order.lines.entries()) {
    const variant = variants[index];
    if (variant?.is_archived)
      problems.add(line, { kind: 'variant_archived', variant_code: variant.variant_code });
    if (!variant || quantity < LARGE_QUANTITY_MIN || variant.quantity >= quantity * STOCK_SHARE_MIN) continue;
    const { variant_code, quantity: in_stock } = variant;
    problems.doubt(line, { kind: 'quantity_absurd', column: 'quantity', quantity, variant_code, in_stock });
  }
}

interface OpenQuantities {
  stock: Map<number, Stock>;
  allocations: Changes['allocations'];
  /** Drawn from pre-allocations, by `allocationKey`. */
  drawn: Map<string, number>;
}

/** Only normal open orders count: a backorder draws nothing, and a closed order no longer holds what it drew. */
const drawnBy = ({ status, is_backorder }: OrderOfFile, { from_allocation }: LineOfFile): number =>
  is_backorder || !isUnshipped(status) ? 0 : from_allocation;

/** Quantities that the open orders hold, by variant and by channel. */
function openQuantitiesOf(list: readonly ResolvedOrder[]): OpenQuantities {
  const quantities: OpenQuantities = { stock: new Map(), allocations: new Map(), drawn: new Map() };
  for (const { order, channel, variants } of list) {
    if (!isUnshipped(order.status)) continue;
    for (const [index, line] of order.lines.entries())
      addOpen(quantities, {
        ...line,
        channel_id: channel.id,
        variant_id: variants[index]?.variant_id ?? 0,
        is_backorder: order.is_backorder,
        drawn: drawnBy(order, line),
      });
  }
  return quantities;
}

interface OpenLine {
  channel_id: number;
  variant_id: number;
  is_backorder: boolean;
  quantity: number;
  drawn: number;
}

function addOpen(
  quantities: OpenQuantities,
  { channel_id, variant_id, is_backorder, quantity, drawn }: OpenLine,
): void {
  const stock = quantities.stock.get(variant_id) ?? { ...NO_STOCK_CHANGE };
  stock[is_backorder ? 'backordered' : 'unshipped'] += quantity;
  quantities.stock.set(variant_id, stock);
  if (!is_backorder && drawn === 0) return;
  const key = allocationKey(channel_id, variant_id);
  const none = { channel_id, variant_id, allocated_qty: 0, backordered_qty: 0 };
  const share = quantities.allocations.get(key) ?? none;
  if (is_backorder) share.backordered_qty += quantity;
  quantities.allocations.set(key, share);
  if (drawn !== 0) quantities.drawn.set(key, (quantities.drawn.get(key) ?? 0) + drawn);
}

/**
 * Orders that are closed by an update hold nothing more. Physical stock and the remainders of pre-allocations do not
 * change: the files of stock and allocations contain today's. A cancelled order no longer counts as a draw on its
 * pre-allocation, so the grant falls by what it drew.
 */
function removeClosed(quantities: OpenQuantities, updates: readonly OrderUpdate[]): void {
  for (const { known, order } of updates) {
    const { status } = order;
    if (!isUnshipped(known.status) || isUnshipped(status)) continue;
    const { channel_id, is_backorder } = known;
    for (const { variant_id, quantity, from_allocation } of known.items)
      addOpen(quantities, {
        channel_id,
        variant_id,
        is_backorder,
        quantity: -quantity,
        drawn: status === CANCELLED && from_allocation > 0 ? -from_allocation : 0,
      });
  }
}

async function lockUpdated(tx: Tx, updates: readonly OrderUpdate[]): Promise<void> {
  const before = new Map(updates.map(({ known }) => [known.id, known.status]));
  const ids = [...before.keys()].toSorted((a, b) => a - b);
  for (const { id, status } of await lockKnownOrders(tx, ids))
    if (before.get(id) !== status) throw new OrderMoved(`order ${id} was changed meanwhile`);
}

async function writeUpdates(tx: Tx, updates: readonly OrderUpdate[]): Promise<void> {
  const ids = updates.map(({ known }) => known.id);
  const steps = updates.flatMap(({ known, order }) => {
    const path = pathBetween(known.status, order.status) ?? [];
    return path.map((to, index) => ({ order_id: known.id, from: path[index - 1] ?? known.status, to }));
  });
  await updateOrders(
    tx,
    updates.map(({ known, order, courier_name }) => ({ ...order, id: known.id, courier_name })),
  );
  await insertSteps(tx, steps);
  await cancelItems(tx, ids);
  await indexAgain(tx, ids);
}

async function writeOrders(tx: Tx, added: readonly ResolvedOrder[], progress: Progress): Promise<void> {
  const { order_ids } = await readClockAndIds(tx, added.length);
  const orders = added.map((one, index) => orderOf(one, order_ids[index] ?? 0));
  const items = added.flatMap((one, index) => itemsOf(one, order_ids[index] ?? 0));
  await insertItems(tx, items);
  await insertFirstSteps(tx, orders);
  await insertOrders(
    tx,
    orders.toSorted((a, b) => (a.order_number < b.order_number ? -1 : 1)),
  );
  progress.advance('write', items.length);
}

const rateOf = ({ exchange_rate }: OrderOfFile): string => exchange_rate ?? '1';

function orderOf({ order, channel, courier_name }: ResolvedOrder, id: number): ImportedOrder {
  const localTotal = order.lines.reduce(
    (sum, line) => plus(sum, timesInteger(decimal(line.local_unit_price), line.quantity)),
    ZERO,
  );
  const local_total_amount = order.local_total_amount ?? formatPlain(localTotal);
  return {
    id,
    channel_id: channel.id,
    order_number: order.order_number,
    status: order.status,
    is_backorder: order.is_backorder,
    recipient_name: order.recipient_name,
    recipient_phone: order.recipient_phone,
    shipping_address: order.shipping_address,
    tracking_number: order.tracking_number,
    courier_code: order.courier_code,
    courier_name,
    cancel_reason: order.cancel_reason,
    local_currency_code: order.local_currency_code ?? channel.currency_code,
    local_total_amount,
    total_amount: order.total_amount ?? convertedAmount(decimal(local_total_amount), decimal(rateOf(order))),
    exchange_rate: rateOf(order),
    created_at: order.created_at,
  };
}

const itemsOf = ({ order, variants }: ResolvedOrder, order_id: number): ImportedItem[] =>
  order.lines.map((row, line) => ({
    order_id,
    line,
    variant_id: variants[line]?.variant_id ?? 0,
    sku: row.sku,
    quantity: row.quantity,
    cancelled_quantity: order.status === CANCELLED ? row.quantity : 0,
    from_allocation: drawnBy(order, row),
    local_unit_price: row.local_unit_price,
    unit_price: row.unit_price ?? convertedAmount(decimal(row.local_unit_price), decimal(rateOf(order))),
    product_version_id: variants[line]?.product_version_id ?? 0,
  }));

/**
 * Records the drawn quantities as an additional grant, because imported allocations are today's remainders. The
 * remainder does not change, and a cancellation returns what the order drew.
 */
async function writeAllocations(tx: Tx, { allocations, drawn }: OpenQuantities, by: Actor): Promise<void> {
  await addToAllocations(tx, [...allocations.values()]);
  const shares = [...allocations.values()].filter((share) => drawn.has(keyOf(share)));
  if (shares.length === 0) return;
  const stored = await readAllocations(tx, shares);
  const granted = stored.map((share) => {
    const delta = drawn.get(keyOf(share)) ?? 0;
    return { ...share, delta, allocated_after: share.allocated_qty + delta };
  });
  await insertAllocationMovements(tx, granted, by.actor);
}

const keyOf = ({ channel_id, variant_id }: { channel_id: number; variant_id: number }): string =>
  allocationKey(channel_id, variant_id);
