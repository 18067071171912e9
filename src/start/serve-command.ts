// `sluice serve`: bin/sluice starts the service directly, so that signals reach it and no second process remains.
import { VARIABLES } from '../platform/config/config.ts';
import { UsageError, type CliCommand } from '../platform/cli/command.ts';

export const serveCommand: CliCommand = {
  name: 'serve',
  summary: 'run the service until it is stopped by a signal',
  isSilent: true,
  about: [
    'It is configured by the environment. docs/operations.md explains these variables and their defaults:',
    '',
    ...VARIABLES.map((line) => `  ${line}`),
    '',
    'Each secret can also be in a file, named by the variable with _FILE: DATABASE_URL_FILE, SLUICE_SECRET_FILE, …',
  ],
  examples: ['sluice serve'],
  run: () => {
    throw new UsageError('The service is started by the program "bin/sluice".', 'Run "bin/sluice serve".');
  },
};
