import type { Feature } from '../../core/assembly/feature.ts';

export const orderReads: Feature = {
  name: 'order-reads',
  needs: ['order-feed'],
  load: () => import('./service.ts'),
};
