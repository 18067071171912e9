import type { Feature } from '../../core/assembly/feature.ts';

export const alertsFeature: Feature = {
  name: 'alerts',
  needs: ['webhooks'],
  load: () => import('./service.ts'),
};
