// What webhooks bring for alerts: alerts about failing endpoints, and deliveries of all alerts.
import { AlertExtension } from '../alerts/kinds.ts';
import { insertAlertDeliveries } from './deliveries-store.ts';
import { WEBHOOK_PENDING_MAX } from './rules.ts';
import { readFailingWebhooks } from './store.ts';
import { webhookFailingText } from './words.ts';

export const webhookAlerts = new AlertExtension({
  kinds: [
    {
      name: 'webhook_failing',
      thresholds: [{ name: 'failures', fallback: 3, minimum: 1, maximum: 1_000 }],
      isQuick: true,
      read: (tx, { settings }) => readFailingWebhooks(tx, settings['failures']),
      text: webhookFailingText,
    },
  ],
  changed: (tx, step, alerts) => insertAlertDeliveries(tx, step, alerts, WEBHOOK_PENDING_MAX),
});
