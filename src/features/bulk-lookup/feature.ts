import type { Feature } from '../../core/assembly/feature.ts';

export const bulkLookup: Feature = {
  name: 'bulk-lookup',
  load: () => import('./service.ts'),
};
