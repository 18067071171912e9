// Finds the commands of a batch that cannot be decided because a row they need is not locked.
import { skuKey, type Command, type IntakeCommand, type Order } from './commands.ts';
import { orderOf } from './report.ts';
import { movesStock } from './transitions.ts';

/** A row that commands wait for. */
export interface RowRef {
  table: 'orders' | 'stock';
  /** For stock: the variant id. */
  id: number;
  /** The `skuKey` of an order's line that led to it. */
  sku_key?: string;
}

/** The rows that the batch has locked, and the rows that it read after locking. */
export interface LoadedRows {
  /** by `skuKey` */
  mappings: ReadonlyMap<string, { variant_id: number }>;
  /** by order number */
  orders: ReadonlyMap<string, Order>;
  locked_orders: ReadonlySet<number>;
  /** by variant */
  locked_stock: ReadonlyMap<number, unknown>;
  /** Mapped variants whose stock row exists but is not locked. */
  unlocked_stock: ReadonlySet<number>;
}

/** The first row that the command needs and that is not locked; null if it can be decided. */
export function missingLock(command: Command, found: LoadedRows): RowRef | null {
  if (command.kind === 'report') return missingForReport(command, found);
  // Resends and reserved numbers are answered without stock. A number of another channel is not (contract 4.3.3b).
  if (command.is_number_reserved || isResend(command, found)) return null;
  for (const { sku } of command.lines) {
    const sku_key = skuKey(command.channel_id, sku);
    const mapped = found.mappings.get(sku_key);
    if (mapped && found.unlocked_stock.has(mapped.variant_id))
      return { table: 'stock', id: mapped.variant_id, sku_key };
  }
  return null;
}

const isResend = ({ channel_id, order_number }: IntakeCommand, { orders }: LoadedRows): boolean =>
  orders.get(order_number)?.channel_id === channel_id;

function missingForReport(report: Extract<Command, { kind: 'report' }>, found: LoadedRows): RowRef | null {
  const order = orderOf(report, found.orders);
  if (!order) return null;
  if (!found.locked_orders.has(order.id)) return { table: 'orders', id: order.id };
  if (!movesStock(report.status)) return null;
  for (const { variant_id } of order.items)
    if (!found.locked_stock.has(variant_id)) return { table: 'stock', id: variant_id };
  return null;
}

/** The commands that must wait, each with the row it waits for. */
export function missingLocks(commands: readonly Command[], found: LoadedRows): Map<Command, RowRef> {
  const missing = new Map<Command, RowRef>();
  for (const command of commands) {
    const row = missingLock(command, found);
    if (row) missing.set(command, row);
  }
  return missing;
}
