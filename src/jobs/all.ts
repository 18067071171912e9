// All jobs of the service. A new job is a file in this directory and a line here.
import { alertMail } from './alert-mail.ts';
import { alerts } from './alerts.ts';
import { exchangeRates } from './exchange-rates.ts';
import { expireOrders } from './expire-orders.ts';
import type { Job } from './job.ts';
import { webhooks } from './webhooks.ts';

export const JOBS: readonly Job[] = [exchangeRates, expireOrders, webhooks, alerts, alertMail];
