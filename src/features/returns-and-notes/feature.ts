import type { Feature } from '../../core/assembly/feature.ts';

export const returnsAndNotes: Feature = {
  name: 'returns-and-notes',
  refusals: async () => (await import('./refusals.ts')).RETURN_REFUSALS,
  load: () => import('./service.ts'),
};
