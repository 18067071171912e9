import type { Feature } from '../../core/assembly/feature.ts';

export const orderImport: Feature = {
  name: 'order-import',
};
