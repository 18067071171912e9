// The worklists about channels' requests: operators remove entries that are done.
import type { Tx } from '../../platform/database/database.ts';
import { deleteLateReport } from './late-reports-store.ts';
import { deleteRefusedOrder } from './refused-orders-store.ts';
import { deleteUnmappedSku } from './store.ts';
import { changing, type Actor } from '../../core/journal/change.ts';

/** The entry returns to the list if the channel sends the order again and it is refused again. */
export const dismissRefusedOrder = (tx: Tx, by: Actor, { id }: { id: number }) =>
  changing<object, 'refused_order_unknown'>(tx, by, async () => {
    const before = await deleteRefusedOrder(tx, id);
    if (!before) return { kind: 'refused_order_unknown', refused_order_id: id };
    const { channel_id, ...rest } = before;
    return {
      done: {},
      audit: { action: 'refusal.dismiss', subject: `channel:${channel_id}`, before: rest, after: null },
      journal: null,
    };
  });

export const dismissLateReport = (tx: Tx, by: Actor, { id }: { id: number }) =>
  changing<object, 'late_report_unknown'>(tx, by, async () => {
    const before = await deleteLateReport(tx, id);
    if (!before) return { kind: 'late_report_unknown', late_report_id: id };
    const { channel_id, ...rest } = before;
    return {
      done: {},
      audit: { action: 'late_report.dismiss', subject: `channel:${channel_id}`, before: rest, after: null },
      journal: null,
    };
  });

/** Removes an unmapped SKU from the channel's list until it is requested again. */
export const dismissUnmappedSku = (
  tx: Tx,
  by: Actor,
  { channel_id, sku }: { channel_id: number; sku: string },
) =>
  changing<object, 'unmapped_sku_unknown'>(tx, by, async () => {
    const before = await deleteUnmappedSku(tx, channel_id, sku);
    if (!before) return { kind: 'unmapped_sku_unknown', channel_id, sku };
    return {
      done: {},
      audit: { action: 'unmapped.dismiss', subject: `channel:${channel_id}`, before, after: null },
      journal: null,
    };
  });
