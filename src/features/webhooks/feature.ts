import type { Feature } from '../../core/assembly/feature.ts';

export const webhooksFeature: Feature = {
  name: 'webhooks',
  needs: ['order-feed', 'alerts'],
  seals: async () => [(await import('./seals.ts')).webhookSecrets],
  refusals: async () => (await import('./refusals.ts')).WEBHOOK_REFUSALS,
  load: () => import('./service.ts'),
};
