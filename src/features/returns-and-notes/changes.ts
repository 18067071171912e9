// Returns, notes and corrected shipments of orders. Only the gate changes statuses.
import { decideReturn, type ReturnItem } from './rules.ts';
import { courierOf, nearestCouriers } from '../../core/rules/couriers.ts';
import { SHIPPED } from '../../core/rules/transitions.ts';
import { allCommonCodes } from '../../core/codes/store.ts';
import { INT32_MAX } from '../../platform/values/int32.ts';
import { NO_STOCK_CHANGE, type Stock } from '../../core/rules/stock.ts';
import type { Tx } from '../../platform/database/database.ts';
import { addToStock } from '../../core/gate/deltas-store.ts';
import { writeToSearch, lockSearchIndex } from '../../core/orders/search-index-store.ts';
import { findOrder, type StoredOrder } from '../../core/orders/store.ts';
import { insertNote, lockOrderForNote } from './notes-store.ts';
import { correctShipment, lockShipment } from './corrections-store.ts';
import { insertReturns, lockOrderStatus, readReturnable } from './returns-store.ts';
import { insertMovement, lockStockOf } from '../../core/stock/store.ts';
import { changing, type Actor } from '../../core/journal/change.ts';
import { COURIER_GROUP } from '../../core/codes/changes.ts';

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

interface WantedShipment {
  order_id: number;
  /** Absent: unchanged. */
  tracking_number?: string | null;
  /** Absent: unchanged; null: no courier. */
  courier_code?: string | null;
}

/**
 * Corrects the tracking number or the courier of a shipped order. Stock is not affected. The audit log contains the
 * couriers, but not the tracking numbers, which are personal data.
 */
export const correctShipmentOf = (tx: Tx, by: Actor, wanted: WantedShipment) =>
  changing<WithOrder, 'order_unknown' | 'shipment_not_shipped' | 'shipment_erased' | 'courier_unknown'>(
    tx,
    by,
    async () => {
      const { order_id: order, courier_code } = wanted;
      // Locked first, as by an erasure: an indexing step that has read the old number must not write it later.
      await lockSearchIndex(tx);
      const before = await lockShipment(tx, order);
      if (!before) return { kind: 'order_unknown', order };
      const { status } = before;
      if (status !== SHIPPED) return { kind: 'shipment_not_shipped', order, status };
      if (before.is_erased) return { kind: 'shipment_erased', order };
      const couriers = typeof courier_code === 'string' ? await allCommonCodes(tx, COURIER_GROUP) : [];
      const courier = typeof courier_code === 'string' ? courierOf(courier_code, couriers) : null;
      if (typeof courier_code === 'string' && !courier)
        return { kind: 'courier_unknown', nearest: nearestCouriers(courier_code, couriers) };
      const after = {
        tracking_number: wanted.tracking_number ?? before.tracking_number,
        ...(courier_code === undefined
          ? { courier_code: before.courier_code, courier_name: before.courier_name }
          : { courier_code: courier?.code ?? null, courier_name: courier?.name ?? null }),
      };
      const tracking_changed = after.tracking_number !== before.tracking_number;
      if (!tracking_changed && after.courier_code === before.courier_code)
        return { done: { order: await orderAfter(tx, order) }, audit: 'nothing_changed' };
      await correctShipment(tx, order, { before, after, actor: by.actor });
      await writeToSearch(tx, [order]);
      return {
        done: { order: await orderAfter(tx, order) },
        audit: {
          action: 'order.shipment',
          subject: `order:${order}`,
          before: { courier_code: before.courier_code },
          after: { courier_code: after.courier_code, tracking_changed },
        },
        journal: null,
      };
    },
  );

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
