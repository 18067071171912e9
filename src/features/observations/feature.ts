import type { Feature } from '../../core/assembly/feature.ts';

export const observationsFeature: Feature = {
  name: 'observations',
  load: () => import('./service.ts'),
};
