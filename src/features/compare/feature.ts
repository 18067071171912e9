import type { Feature } from '../../core/assembly/feature.ts';

export const compare: Feature = {
  name: 'compare',
  commands: {
    compare: async () => [(await import('./command.ts')).compareCommand],
  },
};
