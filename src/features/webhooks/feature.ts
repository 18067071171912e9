import type { Feature } from '../../core/assembly/feature.ts';

export const webhooksFeature: Feature = {
  name: 'webhooks',
  needs: ['order-feed', 'alerts'],
  seals: async () => [(await import('./seals.ts')).webhookSecrets],
  load: () => import('./service.ts'),
};
