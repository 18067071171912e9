import type { Feature } from '../../core/assembly/feature.ts';

export const alertsFeature: Feature = {
  name: 'alerts',
  refusals: async () => (await import('./refusals.ts')).ALERT_REFUSALS,
  load: () => import('./service.ts'),
};
