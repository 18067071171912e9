// Metrics of webhooks.
import { Gauge, type Registry } from 'prom-client';

/** Deliveries of all endpoints that wait in this process. */
export const waitingDeliveries = (registry: Registry): Gauge =>
  new Gauge({
    name: 'sluice_webhook_waiting_deliveries',
    help: 'Deliveries of webhooks that wait in the process that sends them.',
    registers: [registry],
  });
