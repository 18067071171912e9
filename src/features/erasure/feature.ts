import type { Feature } from '../../core/assembly/feature.ts';

export const erasure: Feature = {
  name: 'erasure',
  commands: {
    erase: async () => [(await import('./command.ts')).eraseCommand],
  },
  refusals: async () => (await import('./refusals.ts')).ERASURE_REFUSALS,
};
