// Returns and notes of orders. Only the gate changes statuses.
import { decideReturn, type ReturnItem } from '../domain/returns.ts';
import { INT32_MAX, NO_STOCK_CHANGE, type Stock } from '../domain/stock.ts';
import type { Tx } from '../store/database.ts';
import { addToStock } from '../store/stock-deltas.ts';
import { findOrder, type StoredOrder } from '../store/orders.ts';
import { insertNote, lockOrderForNote } from '../store/order-notes.ts';
import { insertReturns, lockOrderStatus, readReturnable } from '../store/returns.ts';
import { insertMovement, lockStockOf } from '../store/stock.ts';
import { changing, type Actor } from './changing.ts';

/** The order is read before the commit. A later read could fail, and a stored change would be answered with 503. */
interface WithOrder {
  order: StoredOrder;
}

async function orderAfter(tx: Tx, id: number): Promise<StoredOrder> {
  const order = await findOrder(tx, id);
  if (!order) throw new RangeError(`order ${id} was locked and is not there`);
  return order;
}

/** Books returned goods of a shipped order into stock. The order stays shipped, which is final. */
export const returnGoods = (
  tx: Tx,
  by: Actor,
  { order_id, items, reason }: { order_id: number; items: readonly ReturnItem[]; reason: string },
) =>
  changing<
    WithOrder,
    'order_unknown' | 'order_not_shipped' | 'order_lines_unknown' | 'return_exceeds_shipped' | 'beyond_limit'
  >(tx, by, async () => {
    // The same lock order as in the gate: the order, then stock by variant.
    const status = await lockOrderStatus(tx, order_id);
    if (status === undefined) return { kind: 'order_unknown', order: order_id };
    const lines = await readReturnable(tx, order_id);
    const decision = decideReturn(status, lines, items);
    if (decision.kind === 'order_lines_unknown') return decision;
    if (decision.kind !== 'return') return { ...decision, order: order_id };
    const { actor } = by;
    const changes = new Map<number, Stock>();
    const variantIds = [...decision.quantities.keys()].toSorted((a, b) => a - b);
    for (const variantId of variantIds) {
      const delta = decision.quantities.get(variantId) ?? 0;
      const stock = await lockStockOf(tx, variantId);
      if (!stock) throw new RangeError(`variant ${variantId} of a shipped order has no stock row`);
      const quantity_after = stock.quantity + delta;
      if (quantity_after > INT32_MAX) {
        const variant_code = lines.find((line) => line.variant_id === variantId)?.variant_code ?? '';
        return { kind: 'beyond_limit', variant_code, quantity: stock.quantity };
      }
      changes.set(variantId, { ...NO_STOCK_CHANGE, quantity: delta });
      await insertMovement(tx, variantId, { delta, quantity_after, kind: 'return', order_id, actor, reason });
    }
    await addToStock(tx, changes);
    await insertReturns(tx, order_id, decision.items, { reason, actor });
    return {
      done: { order: await orderAfter(tx, order_id) },
      audit: {
        action: 'order.return',
        subject: `order:${order_id}`,
        before: null,
        after: { items: decision.items, reason },
      },
      journal: { variant_ids: variantIds, only_quantities: true },
    };
  });

/** The audit log does not contain the text, which may include personal data. */
export const addNote = (tx: Tx, by: Actor, { order_id, text }: { order_id: number; text: string }) =>
  changing<WithOrder, 'order_unknown' | 'order_erased'>(tx, by, async () => {
    const found = await lockOrderForNote(tx, order_id);
    if (!found) return { kind: 'order_unknown', order: order_id };
    if (found.is_erased) return { kind: 'order_erased', order: order_id };
    await insertNote(tx, order_id, { text, actor: by.actor });
    return {
      done: { order: await orderAfter(tx, order_id) },
      audit: { action: 'order.note', subject: `order:${order_id}`, before: null, after: null },
      journal: null,
    };
  });

/** An export takes personal data out of the service, so it is audited before the first row is read. */
export const recordExport = (tx: Tx, by: Actor, after: object) =>
  changing(tx, by, async () => ({
    done: {},
    audit: { action: 'order.export', subject: 'orders', before: null, after },
    journal: null,
  }));
