import type { Feature } from '../../core/assembly/feature.ts';

export const orderFeed: Feature = {
  name: 'order-feed',
  load: () => import('./service.ts'),
};
