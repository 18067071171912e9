// The command line of the network drill.
import { count, optionsOf, seed, yes } from '../kit/command-line.ts';
import { FAULTS } from '../kit/proxy.ts';

const faults = Object.entries(FAULTS)
  .map(([name, words]) => `  ${name.padEnd(8)} ${words}`)
  .join('\n');

export const HELP = `npm run drill:network -- [options]

Starts two processes of the service over one PostgreSQL, with a proxy in between that parses the protocol, drives
them at full speed, breaks a connection at a chosen message, and compares the stored data with the driver's ledger.
Half of the faults are at COMMIT: before it reaches the server, before its answer reaches the service, or in the middle
of one of the two.

${faults}

  --rounds N          number of faults (default 50)
  --seed S            repeats the choices of an earlier run (default: random; printed)
  --connections N     concurrent requests (default 24)
  --check-every N     settle and check after this many rounds (default 50), and at the end
  --keep              keep the directory with the database and the ledger
  --help

Exit code 0: everything acknowledged is stored once, and every counter matches. 1: violations were found; they
name lines of the ledger, which is kept.`;

export const readOptions = optionsOf({
  rounds: count(50),
  seed,
  connections: count(24),
  check_every: count(50),
  keep: yes,
});

export type Options = NonNullable<ReturnType<typeof readOptions>>;
