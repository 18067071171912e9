import type { Feature } from '../../core/assembly/feature.ts';

export const erasure: Feature = {
  name: 'erasure',
  commands: {
    erase: async () => [(await import('./command.ts')).eraseCommand],
  },
};
