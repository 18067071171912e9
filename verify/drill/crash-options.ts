// The command line of the crash drill.
import { amount, count, optionsOf, seed, yes } from '../kit/command-line.ts';

export const HELP = `npm run drill:crash -- [options]

Starts the service with its embedded PostgreSQL on a fresh directory, drives it at full speed, kills -9 the service,
a database backend, the postmaster or everything at random moments, and holds what is there against a ledger kept
outside.

  --cycles N               how many kills (default 20)
  --seed S                 repeats the choices of an earlier run (default: random; printed)
  --seconds-per-cycle S    a kill comes within this time (default 3)
  --connections N          requests under way at once (default 32)
  --check-every N          settle and check after this many cycles (default 10); at the end in any case
  --keep                   keep the directory with the database and the ledger
  --help

Exit code 0: everything acknowledged is there once, and every number follows from it. 1: it does not; the ledger
is kept, and the violations name its lines.`;

export const readOptions = optionsOf({
  cycles: count(20),
  seed,
  /** A kill comes at a random moment within this time. */
  seconds_per_cycle: amount(3),
  connections: count(32),
  check_every: count(10),
  keep: yes,
});

export type Options = NonNullable<ReturnType<typeof readOptions>>;
