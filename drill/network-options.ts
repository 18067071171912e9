// The command line of the network drill.
import { parseArgs } from 'node:util';
import { FAULTS } from '../test/kit/proxy.ts';

export interface Options {
  rounds: number;
  seed: number;
  connections: number;
  check_every: number;
  keep: boolean;
}

export class UsageError extends Error {}

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

const NUMBER_MAX = 2 ** 31 - 1;

/** null: help was asked for. */
export function readOptions(args: readonly string[]): Options | null {
  const { values } = parse(args);
  if (values.help) return null;
  return {
    rounds: whole('--rounds', values.rounds ?? '50'),
    seed: whole('--seed', values.seed ?? String(1 + Math.floor(Math.random() * (NUMBER_MAX - 1)))),
    connections: whole('--connections', values.connections ?? '24'),
    check_every: whole('--check-every', values['check-every'] ?? '50'),
    keep: values.keep,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        rounds: { type: 'string' },
        seed: { type: 'string' },
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

function whole(name: string, text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > NUMBER_MAX)
    throw new UsageError(`${name} must be a whole number above 0, not "${text}".`);
  return value;
}
