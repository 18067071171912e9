import type { Feature } from '../../core/assembly/feature.ts';

export const overviewFeature: Feature = {
  name: 'overview',
  needs: ['observations'],
  load: () => import('./service.ts'),
};
