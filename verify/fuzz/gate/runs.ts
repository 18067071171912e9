// Runs from one seed; a failing run is shrunk by fast-check, printed, and can be replayed.
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { seedFrom } from '../../kit/command-line.ts';
import { seedOf } from '../../kit/random.ts';
import { anyRun, commandsIn, overcommittedRun, type Group } from './steps.ts';
import type { Tally } from './words.ts';

export const LEVELS = ['rules', 'gate'] as const;
export type LevelName = (typeof LEVELS)[number];

const SIZES = { rules: { groups_max: 24, batch_max: 12 }, gate: { groups_max: 16, batch_max: 48 } };

/** Time limit for shrinking. */
const SHRINK_MS: Record<LevelName, number> = { rules: 20_000, gate: 60_000 };

/** Runs per seed of fast-check; between seeds the search can be interrupted. */
const RUNS_A_SEED = 50;

export interface Level {
  name: LevelName;
  /** Throws if service and model disagree. */
  run(groups: readonly Group[], tally?: Tally): void | Promise<void>;
  /** Only runs about over-commitment. */
  isOvercommitted?: boolean;
}

export interface Progress {
  runs: number;
  commands: number;
}

/** The value of `--replay`: the level, the seed, and fast-check's path to one run. */
export interface Place {
  level: LevelName;
  seed: number;
  path: string;
}

export interface Failure extends Place {
  fault: string;
  groups: readonly Group[];
}

interface Checking {
  seed: number;
  runs: number;
  path?: string;
  shrinks?: boolean;
  tally?: Tally | undefined;
  progress?: Progress;
}

/** Executes this many runs of a seed, or only the run at a path. Returns null if service and model agree. */
export async function check(level: Level, checking: Checking): Promise<Failure | null> {
  const { seed, runs, path, shrinks = true, tally, progress } = checking;
  let until = Infinity;
  const property = fc.asyncProperty(runsOf(level), async (groups) => {
    // Runs after the time limit count as passed.
    if (performance.now() > until) return;
    const isShrinking = until < Infinity;
    if (progress && !isShrinking) {
      progress.runs += 1;
      progress.commands += commandsIn(groups);
    }
    try {
      await level.run(groups, isShrinking ? undefined : tally);
    } catch (error) {
      until = Math.min(until, performance.now() + SHRINK_MS[level.name]);
      throw error;
    }
  });
  const at = path === undefined ? {} : { path };
  const details = await fc.check(property, { seed, numRuns: runs, endOnFailure: !shrinks, ...at });
  if (!details.failed) return null;
  const { errorInstance, counterexample, counterexamplePath } = details;
  const fault = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  return {
    level: level.name,
    seed,
    path: counterexamplePath ?? '',
    fault,
    groups: counterexample?.[0] ?? [],
  };
}

const runsOf = ({ name, isOvercommitted = false }: Level): fc.Arbitrary<Group[]> =>
  isOvercommitted ? overcommittedRun(SIZES[name]) : anyRun(SIZES[name]);

/** Runs until it is stopped or a run fails. */
export async function firstFailure(
  level: Level,
  seed: number,
  progress: Progress,
  shouldContinue: () => boolean,
  tally?: Tally,
): Promise<Failure | null> {
  for (let part = 0; shouldContinue(); part++) {
    // The rules level does no I/O, so nothing could interrupt it without this pause.
    await nextTurn();
    const failure = await check(level, { seed: seedOf(seed, part) | 0, runs: RUNS_A_SEED, tally, progress });
    if (failure) return failure;
  }
  return null;
}

const placeOf = ({ level, seed, path }: Place): string => `${level}:${seed}:${path}`;

/** Returns null if the text is not a valid place. */
export function readPlace(text: string): Place | null {
  const [, name, seed, path = ''] = /^(\w+):(-?\d+):(\d+(?::\d+)*)$/.exec(text) ?? [];
  const level = LEVELS.find((one) => one === name);
  return level ? { level, seed: Number(seed), path } : null;
}

export function describe(failure: Failure): string {
  const { level, fault, groups } = failure;
  const lines = groups.map((group) =>
    Array.isArray(group)
      ? `  batch of ${group.length}\n${group.map((step) => `    ${JSON.stringify(step)}`).join('\n')}`
      : `  back office ${JSON.stringify(group)}`,
  );
  const head = `npm run fuzz -- --replay ${placeOf(failure)}\n${commandsIn(groups)} commands that fail on level ${level}:`;
  return `${head}\n${lines.join('\n')}\n${fault}`;
}

/**
 * For tests: executes this many runs, or throws an error that says how to replay. The mutation tool fixes the seed and
 * does not shrink.
 */
export async function assertRuns(level: Level, runs: number): Promise<void> {
  const { PROPERTY_SEED, PROPERTY_SHRINK } = process.env;
  const seed = seedFrom('PROPERTY_SEED', PROPERTY_SEED) | 0;
  const failure = await check(level, { seed, runs, shrinks: PROPERTY_SHRINK !== '0' });
  if (failure) throw new Error(describe(failure));
}
