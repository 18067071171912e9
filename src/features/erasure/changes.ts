// Erasure of personal data in orders (ADR 0012): in all orders that have been final for long enough, or in one order.
import { isUnshipped } from '../../core/rules/transitions.ts';
import type { Tx } from '../../platform/database/database.ts';
import { eraseOrders, lockDue, lockErasable, type Retention } from './store.ts';
import { writeToSearch, lockSearchIndex } from '../../core/orders/search-index-store.ts';
import { changing, type Actor } from '../../core/journal/change.ts';

/** One batch; `last_id` is the cursor of the next one, null when nothing is left. */
export const eraseBatch = (
  tx: Tx,
  by: Actor,
  { retention, cutoff, afterId }: { retention: Retention; cutoff: Date; afterId: number },
) =>
  changing<{ erased: number; last_id: number | null }>(tx, by, async () => {
    await lockSearchIndex(tx);
    const ids = await lockDue(tx, { channel_id: retention.channel_id, cutoff, afterId });
    const [first_id] = ids;
    const last_id = ids.at(-1) ?? null;
    if (first_id === undefined) return { done: { erased: 0, last_id }, audit: 'nothing_changed' };
    await eraseOrders(tx, ids);
    await writeToSearch(tx, ids);
    const after = { orders: ids.length, first_id, last_id, ...retention };
    return {
      done: { erased: ids.length, last_id },
      audit: { action: 'order.erase', subject: 'orders', before: null, after },
      journal: null,
    };
  });

/** Erases one order, at the request of a person. `erased` 0: it had already been erased. */
export const eraseOrder = (
  tx: Tx,
  by: Actor,
  { order_number, dry_run }: { order_number: string; dry_run: boolean },
) =>
  changing<{ erased: 0 | 1 }, 'order_unknown' | 'order_open'>(tx, by, async () => {
    await lockSearchIndex(tx);
    const found = await lockErasable(tx, order_number);
    if (!found) return { kind: 'order_unknown', order: order_number };
    const { id, status } = found;
    if (isUnshipped(status)) return { kind: 'order_open', order: order_number, status };
    if (found.is_erased || dry_run) {
      return { done: { erased: found.is_erased ? 0 : 1 }, audit: 'nothing_changed' };
    }
    await eraseOrders(tx, [id]);
    await writeToSearch(tx, [id]);
    return {
      done: { erased: 1 },
      audit: { action: 'order.erase', subject: `order:${id}`, before: null, after: { orders: 1 } },
      journal: null,
    };
  });
