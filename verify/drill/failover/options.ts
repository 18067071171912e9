// The command line of the failover drill.
import { FLAG, positiveInteger, readFlags, seedFrom, TEXT, UsageError } from '../../kit/command-line.ts';
import { FAULTS, FAULT_NAMES, type FaultName } from './faults.ts';

export interface Options {
  cycles: number;
  seed: number;
  faults: FaultName[];
  /** Faults until everything is checked and the next ones strike a new database. */
  round: number;
  /** False: the counter-proof, without synchronous replication. */
  synchronous: boolean;
}

const ROUND = 10;

export const HELP = `npm run drill:failover -- [--cycles N] [--seed S] [--only FAULT,…] [--round N] [--synchronous-mode on|off]

PostgreSQL under Patroni with two synchronous standbys, etcd beside them, HAProxy in front and two processes of the
service over it, all on loopback. A driver sends orders and reports at full speed and keeps its own ledger, while in each
cycle one thing breaks. In the end every acknowledged command must be there once. Exit code 1 when one is not.

The programs are Debian's packages, unpacked into a temporary directory and removed with it: nothing is installed.

  --cycles N     how many faults strike (${FAULT_NAMES.length}: each kind once)
  --seed S       repeats the choice of faults and traffic (otherwise by chance)
  --only FAULT   only these kinds, separated by commas
  --round N      check everything after this many faults and go on with a new database (${ROUND}): a run of hours needs no
                 more memory and disk than one round
  --synchronous-mode off
                 the drill must fail: without synchronous replication a failover loses acknowledged orders, most surely
                 with --only lag. Seeing that shows that the drill would notice a loss
  --help

${FAULT_NAMES.map((name) => `  ${name.padEnd(11)} ${FAULTS[name].about}`).join('\n')}
`;

/** null: help was asked for. */
export function readOptions(argv: readonly string[]): Options | null {
  const values = readFlags(argv, {
    cycles: TEXT,
    seed: TEXT,
    only: TEXT,
    round: TEXT,
    'synchronous-mode': TEXT,
    help: FLAG,
  });
  if (values.help) return null;
  return {
    cycles: positiveInteger('--cycles', values.cycles, FAULT_NAMES.length),
    seed: seedFrom('--seed', values.seed),
    faults: (values.only?.split(',') ?? FAULT_NAMES).map(faultName),
    round: positiveInteger('--round', values.round, ROUND),
    synchronous: isSynchronous(values['synchronous-mode'] ?? 'on'),
  };
}

function isSynchronous(text: string): boolean {
  if (text !== 'on' && text !== 'off') throw new UsageError('--synchronous-mode must be "on" or "off".');
  return text === 'on';
}

function faultName(text: string): FaultName {
  const name = FAULT_NAMES.find((one) => one === text);
  if (name === undefined) throw new UsageError(`--only knows ${FAULT_NAMES.join(', ')}, not "${text}".`);
  return name;
}
