// Endpoints of webhooks. The outcome contains a secret once, when it is created. The audit log never contains secrets.

import { WEBHOOK_TEST } from './rules.ts';
import type { Sealer } from '../../platform/secrets/keys.ts';
import type { Tx } from '../../platform/database/database.ts';
import { findDelivery, insertTestDelivery, releaseDeliveries, type Delivery } from './deliveries-store.ts';
import {
  addWebhookSecret,
  countWebhooks,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  lockWebhook,
  lockWebhookCreation,
  pauseWebhook,
  updateWebhook,
  type Webhook,
  type WebhookSettings,
} from './store.ts';
import { changing, type Actor } from '../../core/journal/change.ts';

const WEBHOOKS_MAX = 50;
export const OVERLAP_HOURS_MAX = 168;
export const OVERLAP_HOURS_DEFAULT = 24;
const HOUR_S = 3_600;

/** The settings for the audit log, without the query of the URL, which may be secret. */
const recorded = ({ url, events, description, is_active, include_personal_data }: WebhookSettings) => ({
  url: url.replace(/\?.*$/su, '?…'),
  events,
  description,
  is_active,
  include_personal_data,
});

interface NewWebhook {
  sealer: Sealer;
  settings: WebhookSettings;
  /** Position in the order feed. The endpoint gets the events after it. */
  position: string;
}

export const createWebhook = (tx: Tx, by: Actor, { sealer, settings, position }: NewWebhook) =>
  changing<{ webhook: Webhook; secret: string }, 'webhooks_full'>(tx, by, async () => {
    await lockWebhookCreation(tx);
    if ((await countWebhooks(tx)) >= WEBHOOKS_MAX)
      return { kind: 'webhooks_full', webhooks_max: WEBHOOKS_MAX };
    const id = await insertWebhook(tx, settings, position);
    const secret = await addWebhookSecret(tx, sealer, id, 0);
    const webhook = await findWebhook(tx, id);
    if (!webhook) throw new RangeError('the webhook was not stored');
    return {
      done: { webhook, secret },
      audit: { action: 'webhook.create', subject: `webhook:${id}`, before: null, after: recorded(settings) },
      journal: null,
    };
  });

export const changeWebhook = (
  tx: Tx,
  by: Actor,
  { id, wanted }: { id: number; wanted: Partial<WebhookSettings> },
) =>
  changing<{ webhook: Webhook }, 'webhook_unknown'>(tx, by, async () => {
    const before = await lockWebhook(tx, id);
    if (!before) return { kind: 'webhook_unknown', webhook_id: id };
    const settings = { ...before, ...wanted };
    if (JSON.stringify(recordedWhole(before)) === JSON.stringify(recordedWhole(settings)))
      return { done: { webhook: before }, audit: 'nothing_changed' };
    await updateWebhook(tx, id, settings);
    if (!before.is_active && settings.is_active) await releaseDeliveries(tx, id);
    return {
      done: { webhook: (await findWebhook(tx, id)) ?? before },
      audit: {
        action: 'webhook.update',
        subject: `webhook:${id}`,
        before: recorded(before),
        after: recorded(settings),
      },
      journal: null,
    };
  });

const recordedWhole = (settings: WebhookSettings): object => ({ ...recorded(settings), url: settings.url });

export const removeWebhook = (tx: Tx, by: Actor, { id }: { id: number }) =>
  changing<object, 'webhook_unknown'>(tx, by, async () => {
    const before = await lockWebhook(tx, id);
    if (!before) return { kind: 'webhook_unknown', webhook_id: id };
    await deleteWebhook(tx, id);
    return {
      done: {},
      audit: { action: 'webhook.delete', subject: `webhook:${id}`, before: recorded(before), after: null },
      journal: null,
    };
  });

/** Deliveries are signed with both secrets until the previous one expires. */
export const rotateWebhookSecret = (
  tx: Tx,
  by: Actor,
  { id, sealer, overlap_hours }: { id: number; sealer: Sealer; overlap_hours: number },
) =>
  changing<{ webhook: Webhook; secret: string }, 'webhook_unknown'>(tx, by, async () => {
    const before = await lockWebhook(tx, id);
    if (!before) return { kind: 'webhook_unknown', webhook_id: id };
    const secret = await addWebhookSecret(tx, sealer, id, overlap_hours * HOUR_S);
    return {
      done: { webhook: (await findWebhook(tx, id)) ?? before, secret },
      audit: {
        action: 'webhook.rotate_secret',
        subject: `webhook:${id}`,
        before: null,
        after: { overlap_hours },
      },
      journal: null,
    };
  });

/** The delivery is sent after the commit. */
export const requestWebhookTest = (tx: Tx, by: Actor, { id }: { id: number }) =>
  changing<{ webhook: Webhook; delivery: Delivery }, 'webhook_unknown'>(tx, by, async () => {
    const webhook = await lockWebhook(tx, id);
    if (!webhook) return { kind: 'webhook_unknown', webhook_id: id };
    const delivery = await insertTestDelivery(tx, id, WEBHOOK_TEST);
    return {
      done: { webhook, delivery },
      audit: {
        action: 'webhook.test',
        subject: `webhook:${id}`,
        before: null,
        after: { delivery_id: delivery.id },
      },
      journal: null,
    };
  });

/** The delivery is sent again after the commit. */
export const requestResend = (tx: Tx, by: Actor, { id, delivery_id }: { id: number; delivery_id: number }) =>
  changing<{ webhook: Webhook; delivery: Delivery }, 'webhook_unknown' | 'delivery_unknown'>(
    tx,
    by,
    async () => {
      const webhook = await findWebhook(tx, id);
      if (!webhook) return { kind: 'webhook_unknown', webhook_id: id };
      const delivery = await findDelivery(tx, id, delivery_id);
      if (!delivery) return { kind: 'delivery_unknown', webhook_id: id, delivery_id };
      return {
        done: { webhook, delivery },
        audit: { action: 'webhook.resend', subject: `webhook:${id}`, before: null, after: { delivery_id } },
        journal: null,
      };
    },
  );

const SERVICE: Actor = { actor: 'service', request_id: null };

/** Called by the service, not by an operator. */
export const pauseFailingWebhook = (tx: Tx, { id, reason }: { id: number; reason: 'failing' | 'gone' }) =>
  changing<object, 'webhook_unknown'>(tx, SERVICE, async () => {
    const before = await lockWebhook(tx, id);
    if (!before) return { kind: 'webhook_unknown', webhook_id: id };
    if (!before.is_active) return { done: {}, audit: 'nothing_changed' };
    await pauseWebhook(tx, id, reason);
    return {
      done: {},
      audit: {
        action: 'webhook.pause',
        subject: `webhook:${id}`,
        before: { is_active: true },
        after: { is_active: false, pause_reason: reason },
      },
      journal: null,
    };
  });
