// The command line of the crash drill.
import { amount, count, optionsOf, seed, yes } from '../kit/command-line.ts';

export const HELP = `npm run drill:crash -- [options]

Starts the service with its embedded PostgreSQL on a fresh directory, drives it at full speed, kills -9 the service,
a database backend, the postmaster or everything at random moments, and compares the stored data with the
driver's ledger.

  --workers N              number of workers (default 1); above 1, single workers are killed too
  --cycles N               number of kills (default 20)
  --seed S                 repeats the choices of an earlier run (default: random; printed)
  --seconds-per-cycle S    kill within this time (default 3)
  --connections N          concurrent requests (default 32)
  --check-every N          settle and check after this many cycles (default 10), and at the end
  --keep                   keep the directory with the database and the ledger
  --help

Exit code 0: everything acknowledged is stored once, and every counter matches. 1: violations were found; they
name lines of the ledger, which is kept.`;

export const readOptions = optionsOf({
  cycles: count(20),
  workers: count(1),
  seed,
  /** The kill happens at a random moment within this time. */
  seconds_per_cycle: amount(3),
  connections: count(32),
  check_every: count(10),
  keep: yes,
});

export type Options = NonNullable<ReturnType<typeof readOptions>>;
