// `npm run simulate`: sales channels with customers, against a service of its own or a running one.
import { runCommand } from '../../verify/kit/command-line.ts';
import { HELP, readOptions } from './options.ts';
import { simulate } from './simulate.ts';

await runCommand(
  HELP,
  (args) => readOptions(args, process.env['SLUICE_ADMIN_TOKEN']),
  (options, signal) => simulate(options, process.stdout, signal),
);
