import type { Feature } from '../../core/assembly/feature.ts';

export const rateCollection: Feature = {
  name: 'rate-collection',
  seals: async () => [(await import('./seals.ts')).rateSourceKey],
  load: () => import('./service.ts'),
};
