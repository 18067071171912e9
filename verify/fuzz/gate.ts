// `npm run fuzz`: the rules and the gate against the naive model, for any time, from any seed.
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { globalSetup, globalTeardown } from '../kit/global-setup.ts';
import { openService } from '../kit/service.ts';
import {
  FLAG,
  grouped,
  positive,
  positiveInteger,
  readFlags,
  runCommand,
  say,
  seedFrom,
  TEXT,
  UsageError,
} from '../kit/command-line.ts';
import { reconciled, runOnDatabase } from './gate/database.ts';
import { runOnRules } from './gate/rules.ts';
import {
  describe,
  faultOf,
  firstFailure,
  shrunk,
  SIZES,
  type Failure,
  type Level,
  type LevelName,
} from './gate/runs.ts';
import { commandsIn, generateRun, type Group } from './gate/steps.ts';
import { Tally } from './gate/words.ts';

const HELP = `npm run fuzz -- [options]

  --minutes M     how long, both levels together (default 1)
  --commands N    so many commands on each level instead
  --seed S        the same seed makes the same commands (default: a new one)
  --level NAME    rules: the pure decisions; gate: the gate on PostgreSQL (default: both)
  --replay WHAT   one run again: the file that a failure was written to, or the seed of the run
  --help

Exit code 0: service and model agree. 1: they do not; the commands are printed, made as few as possible, and written
to a file for --replay. 2: a wrong option.`;

const LEVELS: readonly LevelName[] = ['rules', 'gate'];
const PROGRESS_MS = 5_000;
/** After so many runs an empty database takes its place, so that reconciling it stays fast. */
const RUNS_A_DATABASE = 50;

interface Options {
  levels: readonly LevelName[];
  seed: number;
  /** of each level */
  ms: number;
  commands_max: number;
  replay: string | null;
}

function readOptions(args: readonly string[]): Options | null {
  const values = readFlags(args, {
    minutes: TEXT,
    commands: TEXT,
    seed: TEXT,
    level: TEXT,
    replay: TEXT,
    help: FLAG,
  });
  if (values.help) return null;
  const levels = LEVELS.filter((name) => values.level === undefined || values.level === name);
  if (levels.length === 0) throw new UsageError('--level must be rules or gate');
  const minutes = positive('--minutes', values.minutes, 1);
  const isCounted = values.commands !== undefined;
  return {
    levels,
    seed: seedFrom('--seed', values.seed),
    ms: isCounted && values.minutes === undefined ? Infinity : (minutes * 60_000) / levels.length,
    commands_max: isCounted ? positiveInteger('--commands', values.commands, 1) : Infinity,
    replay: values.replay ?? null,
  };
}

/** The gate needs a server, the rules need nothing. */
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
      // What is wrong in this database must not be found again in the next run.
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
  { seed, ms, commands_max }: Options,
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
    seed,
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
  say(`${level.name}: ${counts.map(([kind, count]) => `${kind} ${grouped(count)}`).join(', ')}`);
  if (failure === null) return null;
  say(`${level.name}: the run with seed ${failure.seed} failed; making it smaller`);
  return shrunk(level, failure);
}

async function report(failure: Failure): Promise<void> {
  const file = join(tmpdir(), `sluice-fuzz-${failure.level}-${failure.seed ?? 'replay'}.json`);
  await writeFile(file, `${JSON.stringify(failure, null, 1)}\n`);
  console.log(`\n${describe(failure)}\n\nWritten to ${file}: npm run fuzz -- --replay ${file}`);
}

async function readFailure(file: string): Promise<Failure> {
  try {
    const failure = JSON.parse(await readFile(file, 'utf8')) as Failure;
    if (LEVELS.includes(failure.level) && Array.isArray(failure.groups)) return failure;
  } catch {
    // said below
  }
  throw new UsageError(`--replay: ${file} is neither a seed nor the file of a failure`);
}

async function replay(what: string, levels: readonly LevelName[]): Promise<number> {
  const isSeed = /^\d+$/.test(what);
  const stored = isSeed ? null : await readFailure(what);
  let faults = 0;
  for (const name of stored ? [stored.level] : levels) {
    const seed = isSeed ? seedFrom('--replay', what) : null;
    const groups = stored?.groups ?? generateRun(seed ?? 0, SIZES[name]);
    await withLevel(name, async (level) => {
      say(`${name}: ${commandsIn(groups)} commands once more`);
      const fault = await faultOf(level, groups);
      if (fault === null) return say(`${name}: service and model agree`);
      faults += 1;
      await report(await shrunk(level, { level: name, seed, fault, groups }));
    });
  }
  return faults === 0 ? 0 : 1;
}

await runCommand(HELP, readOptions, async (options, signal) => {
  if (options.replay !== null) return replay(options.replay, options.levels);
  say(`seed ${options.seed}`);
  for (const name of options.levels) {
    const failure = await withLevel(name, (level) => search(level, options, signal));
    if (failure === null) continue;
    await report(failure);
    return 1;
  }
  return 0;
});
