import type { Feature } from '../../core/assembly/feature.ts';

export const prepaymentExpiry: Feature = {
  name: 'prepayment-expiry',
  load: () => import('./service.ts'),
};
