// Many runs after each other from one seed, and what becomes of one that fails: named, made small, repeatable.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { seedFrom } from '../../kit/command-line.ts';
import { seedOf } from '../../kit/random.ts';
import { shrink } from './shrink.ts';
import { commandsIn, generateRun, type Group, type RunSize } from './steps.ts';
import type { Tally } from './words.ts';

export type LevelName = 'rules' | 'gate';

export const SIZES: Record<LevelName, RunSize> = {
  rules: { steps_max: 120, batch_max: 12 },
  gate: { steps_max: 240, batch_max: 48 },
};

/** Making it smaller is worth so much time. */
const SHRINK_MS: Record<LevelName, number> = { rules: 20_000, gate: 60_000 };

const RUNS_A_PAUSE = 100;

export interface Level {
  name: LevelName;
  /** Throws where service and model disagree. */
  run(groups: readonly Group[], tally?: Tally): void | Promise<void>;
  /** Narrows the runs down to some, by their seeds. */
  seed?(seed: number): number;
}

export interface Failure {
  level: LevelName;
  /** Of this run alone; null: it was read from a file. */
  seed: number | null;
  fault: string;
  groups: readonly Group[];
}

export async function faultOf(level: Level, groups: readonly Group[], tally?: Tally): Promise<string | null> {
  try {
    await level.run(groups, tally);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Counts what has been run, also when the last one failed. */
export interface Progress {
  runs: number;
  commands: number;
}

/** Runs until told to stop; the first that fails ends it. */
export async function firstFailure(
  level: Level,
  seed: number,
  progress: Progress,
  goesOn: () => boolean,
  tally?: Tally,
): Promise<Failure | null> {
  while (goesOn()) {
    // The rules never wait for anything; without a pause nobody could interrupt them.
    if (progress.runs % RUNS_A_PAUSE === 0) await nextTurn();
    const anySeed = seedOf(seed, progress.runs);
    const runSeed = level.seed?.(anySeed) ?? anySeed;
    const groups = generateRun(runSeed, SIZES[level.name]);
    const fault = await faultOf(level, groups, tally);
    progress.runs += 1;
    progress.commands += commandsIn(groups);
    if (fault !== null) return { level: level.name, seed: runSeed, fault, groups };
  }
  return null;
}

/** The same fault in fewer steps, or as it was. */
export async function shrunk(level: Level, failure: Failure): Promise<Failure> {
  const faults = new Map<readonly Group[], string>();
  const groups = await shrink(
    failure.groups,
    async (candidate) => {
      const fault = await faultOf(level, candidate);
      if (fault !== null) faults.set(candidate, fault);
      return fault;
    },
    SHRINK_MS[level.name],
  );
  return { ...failure, groups, fault: faults.get(groups) ?? failure.fault };
}

export function describe({ level, seed, fault, groups }: Failure): string {
  const lines = groups.map((group) =>
    Array.isArray(group)
      ? `  batch of ${group.length}\n${group.map((step) => `    ${JSON.stringify(step)}`).join('\n')}`
      : `  desk ${JSON.stringify(group)}`,
  );
  const again = seed === null ? '' : `npm run fuzz -- --level ${level} --replay ${seed}\n`;
  return `${again}${commandsIn(groups)} commands that fail on the level of the ${level}:\n${lines.join('\n')}\n${fault}`;
}

/**
 * For tests: so many runs, or an error that says how to see it again. Whoever wants the same runs every time, and no
 * time spent on making a failure smaller, says so in the environment.
 */
export async function assertRuns(level: Level, runs: number): Promise<void> {
  const { PROPERTY_SEED, PROPERTY_SHRINK } = process.env;
  const progress = { runs: 0, commands: 0 };
  const seed = seedFrom('PROPERTY_SEED', PROPERTY_SEED);
  const failure = await firstFailure(level, seed, progress, () => progress.runs < runs);
  if (failure) throw new Error(describe(PROPERTY_SHRINK === '0' ? failure : await shrunk(level, failure)));
}
