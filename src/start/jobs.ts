// All jobs of the service. A new job is a file in this directory and a line here.
import { alertMail } from '../features/alerts/mail-job.ts';
import { alerts } from '../features/alerts/job.ts';
import { exchangeRates } from '../features/rate-collection/job.ts';
import { expireOrders } from '../features/prepayment-expiry/job.ts';
import type { Job } from '../platform/jobs/job.ts';
import { webhooks } from '../features/webhooks/job.ts';

export const JOBS: readonly Job[] = [exchangeRates, expireOrders, webhooks, alerts, alertMail];
