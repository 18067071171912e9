// The command line.
import {
  amount,
  callersPath,
  count,
  fileToWrite,
  maybe,
  optionsOf,
  someOf,
  UsageError,
  yes,
} from '../../verify/kit/command-line.ts';
import { TARGETS } from './targets.ts';

export const HELP = `npm run bench -- [options]

  --quick            short runs, under three minutes; without the grown database and the ten channels
  --rounds N         how often each pair is measured (at least 3; default 3, full run 5)
  --seconds S        duration of each measurement (default 1 with --quick, else 4)
  --only NAME,NAME   only these targets
  --json FILE        write ratios and figures to FILE
  --strict           exit code 1 if a target is missed
  --soak             only the soak: hot intake for --minutes (default 10)
  --minutes M
  --workers N        number of processes of service and baselines (default 1); above 1, compared with one process
  --profile DIR      the service writes a CPU profile into DIR
  --help

Names: ${TARGETS.map(({ name }) => name).join(', ')}

Exit code 0: the run is valid, even if targets are missed. 1: it is not (an unexpected answer, a lost request, a counter
that does not reconcile), or --strict and a missed target.`;

const ROUNDS_MIN = 3;
const QUICK = { rounds: 3, seconds: 1, warmup_s: 0.3 };
const FULL = { rounds: 5, seconds: 4, warmup_s: 1 };

const read = optionsOf({
  quick: yes,
  json: fileToWrite,
  rounds: maybe(count(1)),
  seconds: maybe(amount(1)),
  /** null: all */
  only: maybe(someOf(TARGETS.map(({ name }) => name))),
  soak: yes,
  minutes: amount(10),
  strict: yes,
  /** Directory for a CPU profile of the service; null: no profile. */
  profile: callersPath,
  /** Processes of the service, and of the baselines. */
  workers: count(1),
});

export type Options = NonNullable<ReturnType<typeof readOptions>>;

/** Returns null for --help. */
export function readOptions(args: readonly string[]) {
  const given = read(args);
  if (given === null) return null;
  const defaults = given.quick ? QUICK : FULL;
  const rounds = given.rounds ?? defaults.rounds;
  if (rounds < ROUNDS_MIN) throw new UsageError(`--rounds must be at least ${ROUNDS_MIN}`);
  return { ...defaults, ...given, rounds, seconds: given.seconds ?? defaults.seconds };
}
