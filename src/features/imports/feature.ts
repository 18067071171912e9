import type { Feature } from '../../core/assembly/feature.ts';

export const imports: Feature = {
  name: 'imports',
  needs: ['order-import'],
  commands: {
    import: async () => (await import('./command.ts')).importCommands,
  },
  load: () => import('./service.ts'),
};
