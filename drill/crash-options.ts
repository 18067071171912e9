// The command line of the crash drill.
import { parseArgs } from 'node:util';

export interface Options {
  cycles: number;
  seed: number;
  /** A kill comes at a random moment within this time. */
  seconds_per_cycle: number;
  connections: number;
  check_every: number;
  keep: boolean;
}

export class UsageError extends Error {}

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

const SEED_MAX = 2 ** 31 - 1;

/** null: help was asked for. */
export function readOptions(args: readonly string[]): Options | null {
  const { values } = parse(args);
  if (values.help) return null;
  const random = Math.floor(Math.random() * SEED_MAX);
  return {
    cycles: whole('--cycles', values.cycles, 20),
    seed: values.seed === undefined ? random : whole('--seed', values.seed, random),
    seconds_per_cycle: positive('--seconds-per-cycle', values['seconds-per-cycle'], 3),
    connections: whole('--connections', values.connections, 32),
    check_every: whole('--check-every', values['check-every'], 10),
    keep: values.keep,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        cycles: { type: 'string' },
        seed: { type: 'string' },
        'seconds-per-cycle': { type: 'string' },
        connections: { type: 'string' },
        'check-every': { type: 'string' },
        keep: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function positive(name: string, text: string | undefined, fallback: number): number {
  const value = text === undefined ? fallback : Number(text);
  if (!(value > 0 && Number.isFinite(value))) throw new UsageError(`${name} must be a number above 0`);
  return value;
}

function whole(name: string, text: string | undefined, fallback: number): number {
  const value = positive(name, text, fallback);
  if (!Number.isInteger(value) || value > SEED_MAX) throw new UsageError(`${name} must be a whole number`);
  return value;
}
