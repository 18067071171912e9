import type { Feature } from '../../core/assembly/feature.ts';

export const stockPages: Feature = {
  name: 'stock-pages',
  load: () => import('./service.ts'),
};
