// `npm run fuzz`: compares the rules and the gate with the naive model on random commands.
import { globalSetup, globalTeardown } from '../kit/global-setup.ts';
import { openService } from '../kit/service.ts';
import {
  amount,
  count,
  grouped,
  maybe,
  optionsOf,
  runCommand,
  say,
  seed,
  someOf,
  UsageError,
  type Option,
} from '../kit/command-line.ts';
import { reconciled, runOnDatabase } from './gate/database.ts';
import { runOnRules } from './gate/rules.ts';
import {
  check,
  describe,
  firstFailure,
  LEVELS,
  readPlace,
  type Failure,
  type Level,
  type LevelName,
  type Place,
} from './gate/runs.ts';
import type { Group } from './gate/steps.ts';
import { Tally } from './gate/words.ts';

const HELP = `npm run fuzz -- [options]

  --minutes M     duration of both levels together (default 1)
  --commands N    this many commands on each level instead
  --seed S        the same seed gives the same commands (default: random)
  --level NAME    rules: the pure decisions; gate: the gate on PostgreSQL (default: both)
  --replay PLACE  repeat one run: LEVEL:SEED:PATH as printed by a failure
  --help

Exit code 0: service and model agree. 1: they do not; the smallest failing commands are printed with the PLACE for
--replay. 2: a wrong option.`;

const PROGRESS_MS = 5_000;
/** After this many runs a new empty database is used, so that reconciling stays fast. */
const RUNS_A_DATABASE = 50;

interface Options {
  levels: readonly LevelName[];
  seed: number;
  /** per level */
  ms: number;
  commands_max: number;
  replay: Place | null;
}

const place: Option<Place> = {
  read: (name, given = '') => {
    const found = readPlace(given);
    if (!found) throw new UsageError(`${name} must be LEVEL:SEED:PATH, such as rules:7:12:0:1`);
    return found;
  },
};
const read = optionsOf({
  minutes: maybe(amount(1)),
  commands: maybe(count(1)),
  seed,
  level: someOf(LEVELS),
  replay: maybe(place),
});

function readOptions(args: readonly string[]): Options | null {
  const given = read(args);
  if (given === null) return null;
  const { minutes, commands, level, replay } = given;
  return {
    levels: level,
    seed: given.seed,
    ms: minutes === null && commands !== null ? Infinity : ((minutes ?? 1) * 60_000) / level.length,
    commands_max: commands ?? Infinity,
    replay,
  };
}

/** The gate level needs a database server, the rules level does not. */
async function withLevel<T>(name: LevelName, work: (level: Level) => Promise<T>): Promise<T> {
  if (name === 'rules') return work({ name, run: runOnRules });
  await globalSetup();
  let service = await openService();
  let runs = 0;
  const run = async (groups: readonly Group[], tally?: Tally): Promise<void> => {
    if (runs++ >= RUNS_A_DATABASE) {
      await service.close();
      service = await openService();
      runs = 1;
    }
    try {
      await runOnDatabase(service, groups, tally);
      await reconciled(service);
    } catch (error) {
      // Use a new database for the next run, so that it does not report the same fault again.
      runs = RUNS_A_DATABASE;
      throw error;
    }
  };
  try {
    return await work({ name, run });
  } finally {
    await service.close();
    await globalTeardown();
  }
}

async function search(
  level: Level,
  { seed: chosen, ms, commands_max }: Options,
  signal: AbortSignal,
): Promise<Failure | null> {
  const started = performance.now();
  const progress = { runs: 0, commands: 0 };
  const tally = new Tally();
  const seconds = (): number => (performance.now() - started) / 1000;
  const tell = (): void => {
    const rate = grouped(progress.commands / seconds());
    say(
      `${level.name}: ${grouped(progress.commands)} commands in ${grouped(progress.runs)} runs, ${rate} a second`,
    );
  };
  let next = PROGRESS_MS;
  const failure = await firstFailure(
    level,
    chosen,
    progress,
    () => {
      const passed = performance.now() - started;
      if (passed >= next) {
        next = passed + PROGRESS_MS;
        tell();
      }
      return passed < ms && progress.commands < commands_max && !signal.aborted;
    },
    tally,
  );
  tell();
  const counts = [...tally.counts].toSorted((a, b) => b[1] - a[1]);
  say(`${level.name}: ${counts.map(([kind, times]) => `${kind} ${grouped(times)}`).join(', ')}`);
  return failure;
}

await runCommand(HELP, readOptions, async (options, signal) => {
  const { replay } = options;
  if (replay === null) say(`seed ${options.seed}`);
  for (const name of replay ? [replay.level] : options.levels) {
    const failure = await withLevel(name, (level) =>
      replay ? check(level, { ...replay, runs: 1 }) : search(level, options, signal),
    );
    if (failure !== null) {
      console.log(`\n${describe(failure)}`);
      return 1;
    }
    if (replay) say(`${name}: service and model agree`);
  }
  return 0;
});
