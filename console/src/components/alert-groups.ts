// Alerts of one cause are one thing to do: the unmapped SKUs of a channel, or the items of a kind of alert.
import type { Alert } from '../api/types.ts';

export interface AlertGroup {
  key: string;
  kind: Alert['kind'];
  /** Newest first. */
  alerts: Alert[];
}

const causeOf = ({ id, kind, details }: Alert): string => {
  if ('sku' in details) return `channel ${String(details['channel_id'])}`;
  return 'variant_code' in details ? 'items' : `alert ${id} of ${kind}`;
};

/** In the order of the newest alert of each group. */
export const groupAlerts = (alerts: readonly Alert[]): AlertGroup[] =>
  [...Map.groupBy(alerts, (alert) => `${alert.kind} ${causeOf(alert)}`)].flatMap(([key, group]) => {
    const [first] = group;
    return first === undefined ? [] : [{ key, kind: first.kind, alerts: group }];
  });
