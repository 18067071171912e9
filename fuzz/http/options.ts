// The command line.
import { parseArgs } from 'node:util';

export interface Options {
  seed: number;
  requests: number;
  minutes: number;
  /** null: a whole run */
  replay: number | null;
}

export class UsageError extends Error {}

const REQUESTS_DEFAULT = 20_000;

export const HELP = `npm run fuzz:http -- [options]

Shoots requests at a service of its own, over a PostgreSQL of its own: made from the OpenAPI documents, good ones and
broken ones. Fails on a server error that is not specified, on silence, on an answer that is not as documented, on a
change without a success, on counters that do not reconcile, on growing memory and on the end of the process.

  --requests N          stop after N requests (default ${REQUESTS_DEFAULT}, without --minutes)
  --minutes M           stop after M minutes
  --seed S              a whole number; the same seed sends the same requests (default: by the clock)
  --replay SEED:INDEX   only this request of that seed, as a failure names it
  --help

Exit code 0: nothing found. 1: something was; each failure is printed with the smallest request that shows it.`;

/** null: help was asked for. */
export function readOptions(args: readonly string[], now: number): Options | null {
  const values = parse(args);
  if (values.help) return null;
  const replay = values.replay === undefined ? null : /^(\d+):(\d+)$/.exec(values.replay);
  if (values.replay !== undefined && !replay)
    throw new UsageError('--replay must be SEED:INDEX, such as 7:123');
  const minutes = numberOf('--minutes', values.minutes) ?? Infinity;
  return {
    seed: Number(replay?.[1] ?? wholeNumberOf('--seed', values.seed) ?? now % 1_000_000_000),
    requests:
      wholeNumberOf('--requests', values.requests) ?? (minutes === Infinity ? REQUESTS_DEFAULT : Infinity),
    minutes,
    replay: replay ? Number(replay[2]) : null,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        requests: { type: 'string' },
        minutes: { type: 'string' },
        seed: { type: 'string' },
        replay: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function numberOf(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (!(value > 0 && Number.isFinite(value))) throw new UsageError(`${name} must be a number above 0`);
  return value;
}

function wholeNumberOf(name: string, text: string | undefined): number | null {
  const value = numberOf(name, text);
  if (value !== null && !Number.isSafeInteger(value)) throw new UsageError(`${name} must be a whole number`);
  return value;
}
