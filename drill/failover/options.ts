import { parseArgs } from 'node:util';
import { FAULTS, FAULT_NAMES, type FaultName } from './faults.ts';

/** A flag that is not understood: one line, no stack. */
export class UsageError extends Error {}

export interface Options {
  cycles: number;
  seed: number;
  faults: FaultName[];
}

export const HELP = `npm run drill:failover -- [--cycles N] [--seed S] [--only FAULT,…]

PostgreSQL under Patroni with two synchronous standbys, etcd beside them, HAProxy in front and two processes of the
service over it, all on loopback. A driver sends orders and reports at full speed and keeps its own ledger, while in each
cycle one thing breaks. In the end every acknowledged command must be there once. Exit code 1 when one is not.

The programs are Debian's packages, unpacked into a temporary directory and removed with it: nothing is installed.

  --cycles N     how many faults strike (${FAULT_NAMES.length}: each kind once)
  --seed S       repeats the choice of faults and traffic (otherwise by chance)
  --only FAULT   only these kinds, separated by commas
  --help

${FAULT_NAMES.map((name) => `  ${name.padEnd(11)} ${FAULTS[name].about}`).join('\n')}
`;

const SEED_MAX = 2 ** 31 - 1;

/** null: help was asked for. */
export function readOptions(argv: readonly string[]): Options | null {
  const { values } = parse(argv);
  if (values.help) return null;
  return {
    cycles: wholeNumber('--cycles', values.cycles ?? String(FAULT_NAMES.length), 10_000),
    seed:
      values.seed === undefined
        ? Math.ceil(Math.random() * SEED_MAX)
        : wholeNumber('--seed', values.seed, SEED_MAX),
    faults: (values.only?.split(',') ?? FAULT_NAMES).map(faultName),
  };
}

function parse(argv: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...argv],
      options: { cycles: text, seed: text, only: text, help: { type: 'boolean' } },
    });
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split('\n')[0]} --help lists the flags.`, {
      cause: error,
    });
  }
}

function wholeNumber(flag: string, text: string, max: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > max)
    throw new UsageError(`${flag} must be a whole number from 1 to ${max}, not "${text}".`);
  return value;
}

function faultName(text: string): FaultName {
  const name = FAULT_NAMES.find((one) => one === text);
  if (name === undefined) throw new UsageError(`--only knows ${FAULT_NAMES.join(', ')}, not "${text}".`);
  return name;
}
