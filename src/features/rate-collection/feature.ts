import type { Feature } from '../../core/assembly/feature.ts';

export const rateCollection: Feature = {
  name: 'rate-collection',
  load: () => import('./service.ts'),
};
