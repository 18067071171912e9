// Which commands of a batch cannot be decided now, because a row that they need is not locked.
import { skuKey, type Command, type Order } from './commands.ts';
import { findOrder } from './report.ts';
import { movesStock } from './transitions.ts';

/** A row that commands wait for. */
export interface Row {
  table: 'orders' | 'stock';
  /** Of stock: the variant. */
  id: number;
}

/** What the batch has read behind its locks, and what it has locked. */
export interface Found {
  /** by `skuKey` */
  mappings: ReadonlyMap<string, { variant_id: number; has_stock: boolean }>;
  /** by order number */
  orders: ReadonlyMap<string, Order>;
  locked_orders: ReadonlySet<number>;
  /** by variant */
  locked_stock: ReadonlyMap<number, unknown>;
}

/** The first row that the command needs and that is not locked; null: it can be decided. */
export function missingLock(command: Command, found: Found): Row | null {
  if (command.kind === 'report') return missingForReport(command, found);
  // A resend, and a number that another channel has, are answered without stock.
  if (found.orders.has(command.order_number)) return null;
  for (const { sku } of command.lines) {
    const mapped = found.mappings.get(skuKey(command.channel_id, sku));
    if (mapped?.has_stock && !found.locked_stock.has(mapped.variant_id))
      return { table: 'stock', id: mapped.variant_id };
  }
  return null;
}

function missingForReport(report: Extract<Command, { kind: 'report' }>, found: Found): Row | null {
  const order = findOrder(report, found.orders);
  if (!order) return null;
  if (!found.locked_orders.has(order.id)) return { table: 'orders', id: order.id };
  if (!movesStock(report.status)) return null;
  for (const { variant_id } of order.items)
    if (!found.locked_stock.has(variant_id)) return { table: 'stock', id: variant_id };
  return null;
}

/** The commands that must wait, each with a row it waits for. The others can be decided without them. */
export function missingLocks(commands: readonly Command[], found: Found): Map<Command, Row> {
  const missing = new Map<Command, Row>();
  for (const command of commands) {
    const row = missingLock(command, found);
    if (row) missing.set(command, row);
  }
  return missing;
}
