import type { Feature } from '../../core/assembly/feature.ts';

export const webhooksFeature: Feature = {
  name: 'webhooks',
  needs: ['order-feed', 'alerts'],
  load: () => import('./service.ts'),
};
