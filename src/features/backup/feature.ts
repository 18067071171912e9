import type { Feature } from '../../core/assembly/feature.ts';

export const backup: Feature = {
  name: 'backup',
  commands: {
    backup: async () => [(await import('./backup-command.ts')).backupCommand],
    restore: async () => [(await import('./restore-command.ts')).restoreCommand],
  },
};
