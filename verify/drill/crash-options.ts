// The command line of the crash drill.
import { FLAG, positive, positiveInteger, readFlags, seedFrom, TEXT } from '../kit/command-line.ts';

export interface Options {
  cycles: number;
  seed: number;
  /** A kill comes at a random moment within this time. */
  seconds_per_cycle: number;
  connections: number;
  check_every: number;
  keep: boolean;
}

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

const FLAGS = {
  cycles: TEXT,
  seed: TEXT,
  'seconds-per-cycle': TEXT,
  connections: TEXT,
  'check-every': TEXT,
  keep: FLAG,
  help: FLAG,
} as const;

/** null: help was asked for. */
export function readOptions(args: readonly string[]): Options | null {
  const values = readFlags(args, FLAGS);
  if (values.help) return null;
  return {
    cycles: positiveInteger('--cycles', values.cycles, 20),
    seed: seedFrom('--seed', values.seed),
    seconds_per_cycle: positive('--seconds-per-cycle', values['seconds-per-cycle'], 3),
    connections: positiveInteger('--connections', values.connections, 32),
    check_every: positiveInteger('--check-every', values['check-every'], 10),
    keep: values.keep,
  };
}
