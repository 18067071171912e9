// The body of a webhook delivery.
import { personalTexts } from '../../core/rules/personal-data.ts';
import { WEBHOOK_TEST } from './rules.ts';
import { factsInZone, type FormatTimestamp } from '../../platform/values/timestamps.ts';
import { trackingLink } from '../../core/rules/tracking-link.ts';
import type { AlertRow } from '../alerts/store.ts';
import type { FeedOrder } from '../order-feed/store.ts';
import type { DeliveryEvent } from './deliveries-store.ts';

/** The order or alert that a delivery is about; null: a test, or the row no longer exists. */
export type DeliverySubject = { order: FeedOrder } | { alert: AlertRow } | null;

/** Sent only to endpoints with `include_personal_data`. */
const personalData = (order: FeedOrder) => ({
  recipient_name: order.recipient_name,
  recipient_phone: order.recipient_phone,
  shipping_address: order.shipping_address,
  tracking_number: order.tracking_number,
  tracking_link: trackingLink(order.courier_tracking_url, order.tracking_number),
  cancel_reason: order.cancel_reason,
});

/** The texts of the personal data that an endpoint with `include_personal_data` gets. */
export const personalTextsOf = (subject: DeliverySubject): string[] =>
  subject && 'order' in subject
    ? personalTexts(Object.values(personalData(subject.order)).filter((value) => value !== null))
    : [];

const orderData = (
  event: DeliveryEvent,
  order: FeedOrder,
  format: FormatTimestamp,
  withPersonalData: boolean,
) => ({
  id: order.id,
  order_number: order.order_number,
  channel_id: order.channel_id,
  status: event.to_status,
  previous_status: event.from_status,
  changed_at: format(event.at),
  source: event.source,
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

const alertData = (event: DeliveryEvent, alert: AlertRow, format: FormatTimestamp) => ({
  id: alert.id,
  kind: alert.kind,
  subject: alert.subject,
  details: factsInZone(alert.details, format),
  opened_at: format(alert.opened_at),
  closed_at: event.type === 'alert.closed' && alert.closed_at ? format(alert.closed_at) : null,
});

function dataOf(
  event: DeliveryEvent,
  subject: DeliverySubject,
  format: FormatTimestamp,
  withPersonalData: boolean,
): object {
  if (subject && 'order' in subject) return orderData(event, subject.order, format, withPersonalData);
  if (subject) return alertData(event, subject.alert, format);
  return event.type === WEBHOOK_TEST ? { message: 'A test of this endpoint.' } : {};
}

export const payloadOf = (
  event: DeliveryEvent,
  subject: DeliverySubject,
  format: FormatTimestamp,
  withPersonalData: boolean,
) => ({
  type: event.type,
  timestamp: format(event.at),
  data: dataOf(event, subject, format, withPersonalData),
});
