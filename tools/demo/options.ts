// The command line of the demo.
import { optionsOf, yes } from '../../verify/kit/command-line.ts';

export const HELP = `npm run demo -- [options]

The service with a demo catalogue, channels in Korea, Japan and the United States, and simulated customers.
Its data is kept in .data/demo or SLUICE_DATA_DIR, and used again at the next start.

  --reset   delete the data first
  --help

PORT, HOST, SLUICE_ADMIN_TOKEN and the other settings of the service apply here too, except DATABASE_URL, which must
not be set: the demo has a database of its own. Ctrl-C stops the demo.`;

/** Returns null for --help. */
export const readOptions = optionsOf({ reset: yes });
