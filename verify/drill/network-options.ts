// The command line of the network drill.
import { FLAG, positiveInteger, readFlags, seedFrom, TEXT } from '../kit/command-line.ts';
import { FAULTS } from '../kit/proxy.ts';

export interface Options {
  rounds: number;
  seed: number;
  connections: number;
  check_every: number;
  keep: boolean;
}

const faults = Object.entries(FAULTS)
  .map(([name, words]) => `  ${name.padEnd(8)} ${words}`)
  .join('\n');

export const HELP = `npm run drill:network -- [options]

Starts two processes of the service over one PostgreSQL, with a proxy between that understands the protocol, drives
them at full speed, breaks a connection at a chosen message, and holds what is there against a ledger kept outside.
Half of the faults are at COMMIT: before it reached the server, after it did and before its answer came back, in the
middle of it, in the middle of its answer.

${faults}

  --rounds N          how many faults (default 50)
  --seed S            repeats the choices of an earlier run (default: random; printed)
  --connections N     requests under way at once (default 24)
  --check-every N     settle and check after this many rounds (default 50); at the end in any case
  --keep              keep the directory with the database and the ledger
  --help

Exit code 0: everything acknowledged is there once, and every number follows from it. 1: it does not; the ledger
is kept, and the violations name its lines.`;

const FLAGS = {
  rounds: TEXT,
  seed: TEXT,
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
    rounds: positiveInteger('--rounds', values.rounds, 50),
    seed: seedFrom('--seed', values.seed),
    connections: positiveInteger('--connections', values.connections, 24),
    check_every: positiveInteger('--check-every', values['check-every'], 50),
    keep: values.keep,
  };
}
