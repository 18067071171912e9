import type { Feature } from '../../core/assembly/feature.ts';

export const shipping: Feature = {
  name: 'shipping',
  load: () => import('./service.ts'),
};
