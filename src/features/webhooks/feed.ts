// Takes the next events of an endpoint from the order feed, and stores deliveries and the new position in one
// transaction.
import { FROM_NOW, orderChangesIn, type OrderChanges } from '../order-feed/feed.ts';
import type { Tx } from '../../platform/database/database.ts';
import { insertDeliveries, type DeliveryEvent } from './deliveries-store.ts';
import { lockWebhookPosition, setWebhookPosition, type Webhook } from './store.ts';
import type { WaitingDelivery } from './queues.ts';

export interface Taken {
  waiting: WaitingDelivery[];
  has_more: boolean;
}

const NOTHING: Taken = { waiting: [], has_more: false };

export const wantsOrders = ({ events }: Pick<Webhook, 'events'>): boolean =>
  events.some((event) => event === 'order.accepted' || event === 'order.status_changed');

export async function takeFromFeed(
  tx: Tx,
  { id, events }: Pick<Webhook, 'id' | 'events'>,
  limit: number,
): Promise<Taken> {
  const place = await lockWebhookPosition(tx, id);
  if (!place) return NOTHING;
  const read =
    (await orderChangesIn(tx, { since: place.position ?? FROM_NOW, limit, isStored: true })) ??
    // The position belongs to another database, because this one was restored from a backup: start from now.
    (await orderChangesIn(tx, { since: FROM_NOW, limit, isStored: true }));
  if (!read) throw new RangeError('the order feed has no present position');
  if (read.next === place.position) return NOTHING;
  const wanted = read.changes.filter(({ step }) => events.includes(eventType(step.from)));
  const deliveries = wanted.length === 0 ? [] : await insertDeliveries(tx, id, wanted.map(eventOf));
  await setWebhookPosition(tx, id, read.next);
  const read_at = performance.now();
  return {
    waiting: deliveries.map((delivery, index) => {
      const order = wanted[index]?.order;
      return { delivery, subject: order ? { order } : null, read_at };
    }),
    has_more: read.has_more,
  };
}

const eventType = (from: number | null): 'order.accepted' | 'order.status_changed' =>
  from === null ? 'order.accepted' : 'order.status_changed';

const eventOf = ({ step }: OrderChanges['changes'][number]): DeliveryEvent => ({
  type: eventType(step.from),
  at: step.at,
  order_id: step.order_id,
  from_status: step.from,
  to_status: step.to,
  source: step.source,
  alert_id: null,
});
