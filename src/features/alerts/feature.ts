import type { Feature } from '../../core/assembly/feature.ts';

export const alertsFeature: Feature = {
  name: 'alerts',
  needs: ['webhooks', 'observations'],
  load: () => import('./service.ts'),
};
