// What a webhook tells: the body of a delivery.
import { WEBHOOK_TEST } from '../domain/webhooks.ts';
import type { FormatTimestamp } from '../domain/timestamps.ts';
import { trackingLink } from '../domain/tracking-link.ts';
import type { AlertRow } from '../store/alerts.ts';
import type { FeedOrder } from '../store/order-feed.ts';
import type { ToldEvent } from '../store/webhook-deliveries.ts';

/** What a delivery tells of; null: nothing but itself, or it is gone. */
export type ToldSubject = { order: FeedOrder } | { alert: AlertRow } | null;

/** Who and where, and free text: only for endpoints that are marked for it. */
const personalData = (order: FeedOrder) => ({
  recipient_name: order.recipient_name,
  recipient_phone: order.recipient_phone,
  shipping_address: order.shipping_address,
  tracking_number: order.tracking_number,
  tracking_link: trackingLink(order.courier_tracking_url, order.tracking_number),
  cancel_reason: order.cancel_reason,
});

const orderData = (
  told: ToldEvent,
  order: FeedOrder,
  format: FormatTimestamp,
  withPersonalData: boolean,
) => ({
  id: order.id,
  order_number: order.order_number,
  channel_id: order.channel_id,
  status: told.to_status,
  previous_status: told.from_status,
  changed_at: format(told.at),
  source: told.source,
  is_backorder: order.is_backorder,
  total_amount: order.total_amount,
  local_currency_code: order.local_currency_code,
  local_total_amount: order.local_total_amount,
  exchange_rate: order.exchange_rate,
  courier_code: order.courier_code,
  courier_name: order.courier_name,
  created_at: format(order.created_at),
  ...(withPersonalData ? personalData(order) : {}),
  items: order.items,
});

const alertData = (told: ToldEvent, alert: AlertRow, format: FormatTimestamp) => ({
  id: alert.id,
  kind: alert.kind,
  subject: alert.subject,
  details: alert.details,
  opened_at: format(alert.opened_at),
  closed_at: told.type === 'alert.closed' && alert.closed_at ? format(alert.closed_at) : null,
});

function dataOf(
  told: ToldEvent,
  subject: ToldSubject,
  format: FormatTimestamp,
  withPersonalData: boolean,
): object {
  if (subject && 'order' in subject) return orderData(told, subject.order, format, withPersonalData);
  if (subject) return alertData(told, subject.alert, format);
  return told.type === WEBHOOK_TEST ? { message: 'A test of this endpoint.' } : {};
}

export const payloadOf = (
  told: ToldEvent,
  subject: ToldSubject,
  format: FormatTimestamp,
  withPersonalData: boolean,
) => ({
  type: told.type,
  timestamp: format(told.at),
  data: dataOf(told, subject, format, withPersonalData),
});
