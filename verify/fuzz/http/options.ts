// The command line.
import {
  FLAG,
  positive,
  positiveInteger,
  readFlags,
  seedFrom,
  TEXT,
  UsageError,
} from '../../kit/command-line.ts';

export interface Options {
  seed: number;
  requests: number;
  minutes: number;
  /** null: a whole run */
  replay: number | null;
}

const REQUESTS_DEFAULT = 20_000;

export const HELP = `npm run fuzz:http -- [options]

Shoots requests at a service of its own, over a PostgreSQL of its own: made from the OpenAPI documents, good ones and
broken ones. Fails on a server error that is not specified, on silence, on an answer that is not as documented, on a
change without a success, on counters that do not reconcile, on growing memory and on the end of the process.

  --requests N          stop after N requests (default ${REQUESTS_DEFAULT}, without --minutes)
  --minutes M           stop after M minutes
  --seed S              the same seed sends the same requests (default: a new one)
  --replay SEED:INDEX   only this request of that seed, as a failure names it
  --help

Exit code 0: nothing found. 1: something was; each failure is printed with the smallest request that shows it. 2: a
wrong option.`;

/** null: help was asked for. */
export function readOptions(args: readonly string[]): Options | null {
  const values = readFlags(args, { requests: TEXT, minutes: TEXT, seed: TEXT, replay: TEXT, help: FLAG });
  if (values.help) return null;
  const replay = values.replay === undefined ? null : /^(\d+):(\d+)$/.exec(values.replay);
  if (values.replay !== undefined && !replay)
    throw new UsageError('--replay must be SEED:INDEX, such as 7:123');
  const isTimed = values.minutes !== undefined;
  return {
    seed: replay ? seedFrom('--replay', replay[1]) : seedFrom('--seed', values.seed),
    requests:
      isTimed && values.requests === undefined
        ? Infinity
        : positiveInteger('--requests', values.requests, REQUESTS_DEFAULT),
    minutes: isTimed ? positive('--minutes', values.minutes, 1) : Infinity,
    replay: replay ? Number(replay[2]) : null,
  };
}
