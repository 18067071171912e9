// Status reports (contract 3.2 and 4.4). All steps of the path are applied, or none.
import {
  allocationKey,
  orderView,
  type Changes,
  type Order,
  type OrderItem,
  type Outcome,
  type ReportCommand,
  type BatchState,
} from './commands.ts';
import { isCredentialValid } from '../../platform/accounts/credential-rules.ts';
import { senderRefusal } from './credentials.ts';
import { moveAllocation, moveStock } from './moves.ts';
import { hasExpired } from './prepayment-expiry.ts';
import type { Stock } from './stock.ts';
import { CANCELLED, pathBetween, SHIPPED, UNPAID, type Status } from './transitions.ts';

export function decideReport(command: ReportCommand, state: BatchState, changes: Changes): Outcome {
  const { credential, sender, target } = command;
  if (credential && !isCredentialValid(credential, state.roles)) return { kind: 'credential_revoked' };
  const order = orderOf(command, state.orders);
  // The credentials are not checked again, because `accepted` is read with the orders. They were valid when the request
  // arrived, and nothing is changed here.
  if (!order) {
    return {
      kind: 'order_unknown',
      order_number: 'order_id' in target ? String(target.order_id) : target.order_number,
    };
  }
  const objection = sender && senderRefusal(sender, state.accepted.get(order.channel_id));
  if (objection) return objection;
  const before = order.status;
  if (command.expires === true && !hasExpired(order, state.expiries.get(order.id)))
    return { kind: 'reported', order: orderView(order), changed: false };
  if (before === command.status) return { kind: 'reported', order: orderView(order), changed: false };
  const path = pathBetween(before, command.status);
  if (!path) return { kind: 'invalid_transition', current_status: before, requested_status: command.status };

  const short = command.status === SHIPPED ? findShortage(order, state) : null;
  if (short) return { ...short, current_status: before, requested_status: command.status };
  if (before === UNPAID && !order.is_backorder) releaseUnpaid(order, state);
  if (command.status === SHIPPED) ship(order, command, state, changes);
  else if (command.status === CANCELLED) cancel(order, state, changes);
  walk(order, path, command, state, changes);
  if (command.source === 'back_office') {
    const { actor, request_id } = command;
    changes.audits.push({ actor, order_id: order.id, before, after: command.status, request_id });
  }
  return { kind: 'reported', order: orderView(order), changed: true };
}

/** A channel can find only its own orders. */
export function orderOf({ target }: ReportCommand, orders: ReadonlyMap<string, Order>): Order | null {
  if ('order_id' in target) {
    for (const order of orders.values()) if (order.id === target.order_id) return order;
    return null;
  }
  const order = orders.get(target.order_number);
  return order?.channel_id === target.channel_id ? order : null;
}

const remaining = (item: OrderItem): number => item.quantity - item.cancelled_quantity;

/** Remaining quantity by internal SKU, with the channel SKU of its first line. */
function remainingByVariant(order: Order): Map<number, { sku: string; quantity: number }> {
  const sums = new Map<number, { sku: string; quantity: number }>();
  for (const item of order.items) {
    const sum = sums.get(item.variant_id) ?? { sku: item.sku, quantity: 0 };
    sum.quantity += remaining(item);
    sums.set(item.variant_id, sum);
  }
  return sums;
}

/**
 * Shipping needs physical stock for the remaining quantity of each internal SKU, summed over the lines (contract
 * 4.4.6a).
 */
function findShortage(order: Order, state: BatchState) {
  for (const [variantId, { sku, quantity: requested }] of remainingByVariant(order)) {
    const available = lockedQuantity(state, variantId);
    if (available < requested) return { kind: 'shipment_short' as const, sku, requested, available };
  }
  return null;
}

/** A missing row is a bug; it must not count as zero stock. */
function lockedQuantity(state: BatchState, variantId: number): number {
  const stock = state.stock.get(variantId);
  if (!stock) throw new RangeError(`stock row ${variantId} is not locked`);
  return stock.quantity;
}

function ship(order: Order, command: ReportCommand, state: BatchState, changes: Changes): void {
  for (const [variant_id, { quantity }] of remainingByVariant(order)) {
    const released = { variant_id, quantity, physical: -quantity };
    const { quantity: quantity_after } = release(order, released, state, changes);
    const { actor } = command;
    changes.movements.push({ variant_id, delta: -quantity, quantity_after, order_id: order.id, actor });
  }
}

/** For the limits of the orders behind it in the batch (contract 10.24). Other sums were not read. */
function releaseUnpaid(order: Order, { unpaid }: BatchState): void {
  for (const [variantId, { quantity }] of remainingByVariant(order)) {
    const key = allocationKey(order.channel_id, variantId);
    const sum = unpaid.get(key);
    if (sum !== undefined) unpaid.set(key, sum - quantity);
  }
}

/** Releases the unshipped quantity, and returns the drawn quantity to the channel's pre-allocation. */
function cancel(order: Order, state: BatchState, changes: Changes): void {
  for (const [variant_id, { quantity }] of remainingByVariant(order)) {
    release(order, { variant_id, quantity, physical: 0 }, state, changes);
  }
  for (const item of order.items) {
    if (item.from_allocation > 0) {
      moveStock(state, changes, item.variant_id, { allocated: item.from_allocation });
      moveAllocation(state, changes, order.channel_id, item.variant_id, {
        allocated_qty: item.from_allocation,
      });
    }
  }
  order.items = order.items.map((item) => ({ ...item, cancelled_quantity: item.quantity }));
}

/** Releases what the order holds of one internal SKU and changes physical stock by `physical`. */
function release(
  order: Order,
  { variant_id, quantity, physical }: { variant_id: number; quantity: number; physical: number },
  state: BatchState,
  changes: Changes,
): Stock {
  if (!order.is_backorder)
    return moveStock(state, changes, variant_id, { quantity: physical, unshipped: -quantity });
  moveAllocation(state, changes, order.channel_id, variant_id, { backordered_qty: -quantity });
  return moveStock(state, changes, variant_id, { quantity: physical, backordered: -quantity });
}

function walk(
  order: Order,
  path: readonly Status[],
  command: ReportCommand,
  state: BatchState,
  changes: Changes,
): void {
  for (const to of path) {
    changes.history.push({ order_id: order.id, from: order.status, to, source: command.source });
    order.status = to;
  }
  changes.moved.set(order.id, {
    status: order.status,
    shipment: order.status === SHIPPED ? shipmentOf(command, state) : null,
    cancel_reason: order.status === CANCELLED ? command.reason : null,
  });
}

/** An unknown courier code is not stored; the tracking number is. */
function shipmentOf(command: ReportCommand, state: BatchState) {
  if (command.tracking_number === null) throw new RangeError('a shipment without a tracking number');
  const courier_name = command.courier_code === null ? undefined : state.couriers.get(command.courier_code);
  return {
    tracking_number: command.tracking_number,
    courier_code: courier_name === undefined ? null : command.courier_code,
    courier_name: courier_name ?? null,
  };
}
