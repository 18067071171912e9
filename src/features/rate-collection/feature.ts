import type { Feature } from '../../core/assembly/feature.ts';

export const rateCollection: Feature = {
  name: 'rate-collection',
  seals: async () => [(await import('./seals.ts')).rateSourceKey],
  refusals: async () => (await import('./refusals.ts')).RATE_COLLECTION_REFUSALS,
  load: () => import('./service.ts'),
};
