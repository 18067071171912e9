import type { Feature } from '../../core/assembly/feature.ts';

export const allocationMatrix: Feature = {
  name: 'allocation-matrix',
  load: () => import('./service.ts'),
};
