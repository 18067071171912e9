// Runs from one seed; a failing run is shrunk by fast-check, printed, and can be replayed.
import fc from 'fast-check';
import { anyRun, commandsIn, overcommittedRun, type Group, type RunSize } from './random-runs.ts';

export const LEVELS = ['rules', 'gate'] as const;
export type LevelName = (typeof LEVELS)[number];

const SIZES: Record<LevelName, RunSize> = {
  rules: { groups_max: 24, batch_max: 12 },
  gate: { groups_max: 16, batch_max: 48 },
};

/** Time limit for shrinking. */
const SHRINK_MS: Record<LevelName, number> = { rules: 20_000, gate: 60_000 };

export interface Level {
  name: LevelName;
  /** Throws if service and model disagree; returns the answers. */
  run(groups: readonly Group[]): string[] | Promise<string[]>;
  /** Only runs about over-commitment. */
  isOvercommitted?: boolean;
}

export class RunTally {
  runs = 0;
  commands = 0;
  /** Answers by kind: a generator that never produces a kind proves nothing about it. */
  readonly kinds = new Map<string, number>();

  addAnswer(words: string): void {
    const [kind = ''] = words.split(' ', 1);
    this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
  }
}

/** The value of `--replay`: the level, the seed, and fast-check's path to one run. */
export interface Replay {
  level: LevelName;
  seed: number;
  path: string;
}

export interface FailedRun extends Replay {
  fault: string;
  groups: readonly Group[];
}

/** Executes this many runs of a seed, or only the run at a path. Returns null if service and model agree. */
export async function checkLevel(
  level: Level,
  which: { numRuns: number; seed?: number; path?: string },
  progress = new RunTally(),
): Promise<FailedRun | null> {
  let until = Infinity;
  const property = fc.asyncProperty(runsOf(level), async (groups) => {
    // Runs after the time limit count as passed.
    if (performance.now() > until) return;
    const isShrinking = until < Infinity;
    try {
      const answers = await level.run(groups);
      if (isShrinking) return;
      progress.runs += 1;
      progress.commands += commandsIn(groups);
      for (const answer of answers) progress.addAnswer(answer);
    } catch (error) {
      until = Math.min(until, performance.now() + SHRINK_MS[level.name]);
      throw error;
    }
  });
  const { failed, seed, errorInstance, counterexample, counterexamplePath } = await fc.check(property, which);
  if (!failed) return null;
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

const replayOf = ({ level, seed, path }: Replay): string => `${level}:${seed}:${path}`;

/** Returns null if the text is not a valid replay. */
export function readReplay(text: string): Replay | null {
  const [, name, seed, path = ''] = /^(\w+):(-?\d+):(\d+(?::\d+)*)$/.exec(text) ?? [];
  const level = LEVELS.find((one) => one === name);
  return level ? { level, seed: Number(seed), path } : null;
}

export function describe(failure: FailedRun): string {
  const { level, fault, groups } = failure;
  const lines = groups.map((group) =>
    Array.isArray(group)
      ? `  batch of ${group.length}\n${group.map((step) => `    ${JSON.stringify(step)}`).join('\n')}`
      : `  back office ${JSON.stringify(group)}`,
  );
  const head = `npm run fuzz -- --replay ${replayOf(failure)}\n${commandsIn(groups)} commands that fail on level ${level}:`;
  return `${head}\n${lines.join('\n')}\n${fault}`;
}

/** For tests: executes this many runs of a new seed, or throws an error that says how to replay. */
export async function assertRuns(level: Level, numRuns: number): Promise<void> {
  const failure = await checkLevel(level, { numRuns });
  if (failure) throw new Error(describe(failure));
}
