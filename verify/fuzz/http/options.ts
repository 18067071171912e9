// The command line.
import { count, maybe, optionsOf, seed, UsageError, type Option } from '../../kit/command-line.ts';

export const HELP = `npm run fuzz:http -- [options]

Sends requests to a separate service with its own PostgreSQL. They are generated from the OpenAPI documents: valid ones
and malformed ones. Fails on an unspecified server error, a missing answer, an undocumented answer, a
change without a success, counters that do not reconcile, growing memory, or an exit of the process. Between them it
sends orders of channels with prefixes of order numbers and with limits, whose answers a model predicts.

  --requests N          stop after N requests (default 20000)
  --seed S              the same seed sends the same requests (default: random)
  --replay SEED:INDEX   only this request, as printed by a failure
  --help

Exit code 0: no failures. 1: failures, each printed with the smallest request that causes it. 2: a wrong
option.`;

const replayed: Option<{ seed: number; index: number }> = {
  read: (name, given = '') => {
    const found = /^(\d+):(\d+)$/.exec(given);
    if (!found) throw new UsageError(`${name} must be SEED:INDEX, such as 7:123`);
    return { seed: seed.read(name, found[1]), index: Number(found[2]) };
  },
};
const read = optionsOf({ requests: count(20_000), seed, replay: maybe(replayed) });

/** Returns null for --help. `replay`: the index of the only request, or null. */
export function readOptions(args: readonly string[]) {
  const given = read(args);
  return given && { ...given, seed: given.replay?.seed ?? given.seed, replay: given.replay?.index ?? null };
}

export type Options = NonNullable<ReturnType<typeof readOptions>>;
