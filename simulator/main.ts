// `npm run simulate`: sales channels with customers, against a service of its own or a running one.
import { runCommand } from '../fuzz/arguments.ts';
import { HELP, readOptions } from './options.ts';
import { simulate } from './simulate.ts';

await runCommand(HELP, async (args, signal) => {
  const options = readOptions(args, process.env['SLUICE_ADMIN_TOKEN']);
  if (options !== null) return simulate(options, process.stdout, signal);
  console.log(HELP);
  return 0;
});
