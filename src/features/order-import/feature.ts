import type { Feature } from '../../core/assembly/feature.ts';

export const orderImport: Feature = {
  name: 'order-import',
  imports: async () => [(await import('./offered.ts')).ordersImport],
};
