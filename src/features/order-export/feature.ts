import type { Feature } from '../../core/assembly/feature.ts';

export const orderExport: Feature = {
  name: 'order-export',
  needs: ['returns-and-notes'],
  load: () => import('./service.ts'),
};
