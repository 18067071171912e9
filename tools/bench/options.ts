// The command line.
import { FLAG, positive, readFlags, TEXT, UsageError } from '../../verify/kit/command-line.ts';
import { TARGETS } from './targets.ts';

export interface Options {
  quick: boolean;
  json: string | null;
  rounds: number;
  seconds: number;
  warmup_s: number;
  /** null: all */
  only: ReadonlySet<string> | null;
  soak: boolean;
  minutes: number;
  strict: boolean;
  /** Directory for a CPU profile of the service; null: no profile. */
  profile: string | null;
  /** Processes of the service, and of the baselines. */
  workers: number;
}

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

const FLAGS = {
  quick: FLAG,
  json: TEXT,
  rounds: TEXT,
  seconds: TEXT,
  only: TEXT,
  soak: FLAG,
  minutes: TEXT,
  strict: FLAG,
  profile: TEXT,
  workers: TEXT,
  help: FLAG,
} as const;

/** Returns null for --help. */
export function readOptions(args: readonly string[]): Options | null {
  const values = readFlags(args, FLAGS);
  if (values.help) return null;
  const workers = positive('--workers', values.workers, 1);
  if (!Number.isInteger(workers)) throw new UsageError('--workers must be a whole number');
  const defaults = values.quick ? QUICK : FULL;
  const rounds = positive('--rounds', values.rounds, defaults.rounds);
  if (!Number.isInteger(rounds) || rounds < ROUNDS_MIN)
    throw new UsageError(`--rounds must be a whole number of at least ${ROUNDS_MIN}`);
  return {
    quick: values.quick,
    json: values.json ?? null,
    rounds,
    seconds: positive('--seconds', values.seconds, defaults.seconds),
    warmup_s: defaults.warmup_s,
    only: values.only === undefined ? null : namesOf(values.only),
    soak: values.soak,
    minutes: positive('--minutes', values.minutes, 10),
    strict: values.strict,
    profile: values.profile ?? null,
    workers,
  };
}

function namesOf(list: string): ReadonlySet<string> {
  const names = list.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !TARGETS.some((target) => target.name === name));
  if (unknown.length > 0) throw new UsageError(`no such name: ${unknown.join(', ')}`);
  return new Set(names);
}
