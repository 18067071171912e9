import type { Feature } from '../../core/assembly/feature.ts';

export const observationsFeature: Feature = {
  name: 'observations',
  refusals: async () => (await import('./refusals.ts')).OBSERVATION_REFUSALS,
  load: () => import('./service.ts'),
};
