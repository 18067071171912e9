// The command line of the failover drill.
import { count, oneOf, optionsOf, seed, someOf } from '../../kit/command-line.ts';
import { CLUSTER_FAULTS, FAULT_NAMES } from './faults.ts';

const ROUND = 10;

export const HELP = `npm run drill:failover -- [--cycles N] [--seed S] [--only FAULT,…] [--round N] [--synchronous-mode on|off]

PostgreSQL under Patroni with two synchronous standbys, etcd, HAProxy in front and two processes of the service, all
on loopback. A driver sends orders and reports at full speed and keeps its own ledger, while each cycle injects one
fault. At the end every acknowledged command must be stored exactly once. Exit code 1 otherwise.

The programs are Debian's packages, unpacked into a temporary directory and removed with it: nothing is installed.

  --cycles N     number of faults (${FAULT_NAMES.length}: each kind once)
  --seed S       repeats the choice of faults and traffic (default: random)
  --only FAULT   only these kinds, separated by commas
  --round N      check everything after this many faults and continue with a new database (${ROUND}): a run of hours needs no
                 more memory and disk than one round
  --synchronous-mode off
                 control run that must fail: without synchronous replication a failover loses acknowledged orders, most
                 reliably with --only lag. It proves that the drill detects a loss
  --help

${FAULT_NAMES.map((name) => `  ${name.padEnd(11)} ${CLUSTER_FAULTS[name].about}`).join('\n')}
`;

export const readOptions = optionsOf({
  cycles: count(FAULT_NAMES.length),
  seed,
  only: someOf(FAULT_NAMES),
  /** Faults per round; after a round everything is checked, and the next round uses a new database. */
  round: count(ROUND),
  /** off: control run without synchronous replication, in which losses are expected. */
  synchronous_mode: oneOf(['on', 'off'], 'on'),
});

export type Options = NonNullable<ReturnType<typeof readOptions>>;
