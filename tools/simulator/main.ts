// `npm run simulate`: sales channels with customers, against its own or a running service.
import { runCommand, UsageError } from '../../verify/kit/command-line.ts';
import { HELP, readOptions, type Options } from './options.ts';
import { simulate } from './simulate.ts';

/** The run failed. Exit code 1 means violations. */
const NOT_FINISHED = 3;

async function main(options: Options, signal: AbortSignal): Promise<number> {
  try {
    return await simulate(options, process.stdout, signal);
  } catch (error) {
    if (error instanceof UsageError || signal.aborted) throw error;
    console.error('The simulation failed:', error);
    return NOT_FINISHED;
  }
}

await runCommand(HELP, (args) => readOptions(args, process.env['SLUICE_ADMIN_TOKEN']), main);
