// What is refused about webhooks and their deliveries.
import { refusal, type Id } from '../../platform/admin-api/refused.ts';

export const WEBHOOK_REFUSALS = {
  webhook_unknown: refusal<{ webhook_id: Id }>({
    status: 404,
    words: ({ webhook_id }) => `Webhook ${webhook_id} was not found.`,
  }),
  webhooks_full: refusal<{ webhooks_max: number }>({
    status: 422,
    words: ({ webhooks_max }) => `There are ${webhooks_max} webhooks already: remove one first.`,
  }),
  delivery_unknown: refusal<{ webhook_id: Id; delivery_id: Id }>({
    status: 404,
    words: ({ webhook_id, delivery_id }) => `Delivery ${delivery_id} of webhook ${webhook_id} was not found.`,
  }),
};

type Own = typeof WEBHOOK_REFUSALS;
declare module '../../platform/admin-api/refused.ts' {
  interface Refusals extends Own {}
}
