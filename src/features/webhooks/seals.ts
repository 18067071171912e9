// The sealed secrets of webhooks.
import { sealedOf, type SealedColumn } from '../../platform/secrets/sealed-column.ts';

/** Authenticated context of a sealed secret. */
export const webhookContext = (webhookId: number): string => `webhook:${webhookId}`;

export const webhookSecrets: SealedColumn = {
  name: 'webhook_secret',
  table: 'webhook_secret',
  owner: 'webhook_id',
  sealed: 'secret_sealed',
  context: webhookContext,
  closed: {
    log: (closed) =>
      `the secret does not open the secrets of ${closed} webhooks: nothing is sent to them. Start with the right secret, or rotate theirs`,
    owners: 'webhooks',
    values: (owners) => sealedOf(owners, 'secret', 'webhook'),
    otherwise: 'rotate the secrets of these webhooks',
  },
};
