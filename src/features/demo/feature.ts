import type { Feature } from '../../core/assembly/feature.ts';

export const demo: Feature = {
  name: 'demo',
  commands: {
    seed: async () => [(await import('./command.ts')).seedCommand],
  },
  refusals: async () => (await import('./refusals.ts')).DEMO_REFUSALS,
};
