// The command line of the demo.
import { FLAG, readFlags } from '../../verify/kit/command-line.ts';

export const HELP = `npm run demo -- [options]

The service with a demo catalogue, channels in Korea, Japan and the United States, and customers who keep coming.
Its data are in .data/demo, or where SLUICE_DATA_DIR says; the next start goes on with them.

  --reset   throws the data away first
  --help

PORT, HOST, SLUICE_ADMIN_TOKEN and the other settings of the service hold here too. Ctrl-C ends it.`;

export interface Options {
  reset: boolean;
}

/** null: help was asked for. */
export function readOptions(args: readonly string[]): Options | null {
  const values = readFlags(args, { reset: FLAG, help: FLAG });
  return values.help ? null : { reset: values.reset };
}
