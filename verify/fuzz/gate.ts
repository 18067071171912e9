// `npm run fuzz`: compares the rules and the gate with the naive model on random commands.
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  amount,
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
import { seedOf } from '../kit/random.ts';
import { openService } from '../kit/service.ts';
import { runOnDatabase } from './gate/database.ts';
import { runOnRules } from './gate/rules.ts';
import {
  checkLevel,
  describe,
  LEVELS,
  RunTally,
  readReplay,
  type FailedRun,
  type Level,
  type LevelName,
  type Replay,
} from './gate/runs.ts';
import { onTestServer, reporting } from './program.ts';

const HELP = `npm run fuzz -- [options]

  --minutes M     duration of both levels together (default 1)
  --seed S        the same seed gives the same commands (default: random)
  --level NAME    rules: the pure decisions; gate: the gate on PostgreSQL (default: both)
  --replay PLACE  repeat one run: LEVEL:SEED:PATH as printed by a failure
  --help

Exit code 0: service and model agree. 1: they do not; the smallest failing commands are printed with the PLACE for
--replay. 2: a wrong option.`;

/** Between seeds of fast-check the search can be interrupted. */
const RUNS_A_SEED = 50;
/** After this many runs a new empty database is used, so that reconciling stays fast. */
const RUNS_A_DATABASE = 50;

const replayed: Option<Replay> = {
  read: (name, given = '') => {
    const found = readReplay(given);
    if (!found) throw new UsageError(`${name} must be LEVEL:SEED:PATH, such as rules:7:12:0:1`);
    return found;
  },
};
const readOptions = optionsOf({
  minutes: amount(1),
  seed,
  level: someOf(LEVELS),
  replay: maybe(replayed),
});

type Options = NonNullable<ReturnType<typeof readOptions>>;

/** The gate level needs a database server, the rules level does not. */
const withLevel = <T>(name: LevelName, work: (level: Level) => Promise<T>): Promise<T> =>
  name === 'rules'
    ? work({ name, run: runOnRules })
    : onTestServer(async () => {
        let service = await openService();
        let runs = 0;
        const run: Level['run'] = async (groups) => {
          if (runs++ >= RUNS_A_DATABASE) {
            await service.close();
            service = await openService();
            runs = 1;
          }
          try {
            return await runOnDatabase(service, groups);
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
        }
      });

/** Runs until a run fails, or the time is used up. */
async function search(level: Level, options: Options, signal: AbortSignal): Promise<FailedRun | null> {
  const progress = new RunTally();
  const until = performance.now() + (options.minutes * 60_000) / options.level.length;
  const tell = (seconds: number): void =>
    say(
      `${level.name}: ${grouped(progress.commands)} commands in ${grouped(progress.runs)} runs, ${grouped(progress.commands / seconds)} a second`,
    );
  const failure = await reporting(tell, async () => {
    for (let part = 0; performance.now() < until && !signal.aborted; part++) {
      // The rules level does no I/O, so nothing could interrupt it without this pause.
      await nextTurn();
      const which = { seed: seedOf(options.seed, part), numRuns: RUNS_A_SEED };
      const found = await checkLevel(level, which, progress);
      if (found) return found;
    }
    return null;
  });
  const kinds = [...progress.kinds].toSorted((a, b) => b[1] - a[1]);
  say(`${level.name}: ${kinds.map(([kind, times]) => `${kind} ${grouped(times)}`).join(', ')}`);
  return failure;
}

await runCommand(HELP, readOptions, async (options, signal) => {
  const { replay } = options;
  if (replay === null) say(`seed ${options.seed}`);
  for (const name of replay ? [replay.level] : options.level) {
    const failure = await withLevel(name, (level) =>
      replay ? checkLevel(level, { ...replay, numRuns: 1 }) : search(level, options, signal),
    );
    if (failure !== null) {
      console.log(`\n${describe(failure)}`);
      return 1;
    }
    if (replay) say(`${name}: service and model agree`);
  }
  return 0;
});
