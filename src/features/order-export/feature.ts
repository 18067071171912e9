import type { Feature } from '../../core/assembly/feature.ts';

export const orderExport: Feature = {
  name: 'order-export',
  load: () => import('./service.ts'),
};
