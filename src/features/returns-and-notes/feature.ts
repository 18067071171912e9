import type { Feature } from '../../core/assembly/feature.ts';

export const returnsAndNotes: Feature = {
  name: 'returns-and-notes',
  load: () => import('./service.ts'),
};
