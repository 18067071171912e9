// The command line.
import { parseArgs } from 'node:util';
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
  /** Where the service writes a CPU profile when it ends; null: no profile. */
  profile: string | null;
}

export class UsageError extends Error {}

export const HELP = `npm run bench -- [options]

  --quick            short runs, under three minutes; without the grown database and the ten channels
  --rounds N         how often each pair is measured (at least 3; default 3, full run 5)
  --seconds S        how long each run counts (default 1 with --quick, else 4)
  --only NAME,NAME   only these targets
  --json FILE        write ratios and figures to FILE
  --strict           a missed target ends with exit code 1
  --soak             only the soak: hot intake for --minutes (default 10)
  --minutes M
  --profile DIR      the service writes a CPU profile into DIR
  --help

Names: ${TARGETS.map(({ name }) => name).join(', ')}

Exit code 0: the run is valid, whatever it measured. 1: it is not (an unexpected answer, a lost request, a counter
that does not reconcile), or --strict and a missed target.`;

const ROUNDS_MIN = 3;
const QUICK = { rounds: 3, seconds: 1, warmup_s: 0.3 };
const FULL = { rounds: 5, seconds: 4, warmup_s: 1 };

/** null: help was asked for. */
export function readOptions(args: readonly string[]): Options | null {
  const { values } = parse(args);
  if (values.help) return null;
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
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        quick: { type: 'boolean', default: false },
        json: { type: 'string' },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        only: { type: 'string' },
        soak: { type: 'boolean', default: false },
        minutes: { type: 'string' },
        strict: { type: 'boolean', default: false },
        profile: { type: 'string' },
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

function namesOf(list: string): ReadonlySet<string> {
  const names = list.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !TARGETS.some((target) => target.name === name));
  if (unknown.length > 0) throw new UsageError(`no such name: ${unknown.join(', ')}`);
  return new Set(names);
}
