import type { Feature } from '../../core/assembly/feature.ts';

export const demo: Feature = {
  name: 'demo',
  commands: {
    seed: async () => [(await import('./command.ts')).seedCommand],
  },
};
