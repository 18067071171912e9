import type { Feature } from '../../core/assembly/feature.ts';

export const backorders: Feature = {
  name: 'backorders',
  load: () => import('./service.ts'),
};
