// `sluice serve`: bin/sluice starts the service directly, so that signals reach it and no second process remains.
import { UsageError, type CliCommand } from './command.ts';

export const serveCommand: CliCommand = {
  name: 'serve',
  summary: 'run the service until it is stopped by a signal',
  about: ['It is configured by the environment: see docs/operations.md.'],
  examples: ['sluice serve'],
  run: () => {
    throw new UsageError('The service is started by the program "bin/sluice".', 'Run "bin/sluice serve".');
  },
};
