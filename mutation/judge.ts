// Runs every mutant against the tests that reach its code, stage by stage, until one of them notices it.
import { resolve } from 'node:path';
import type { Coverage } from './coverage.ts';
import type { DatabaseForTests } from './database.ts';
import { ROOT, type Mutant } from './mutants.ts';
import { isAskedOf, withinReason, type Stage } from './plan.ts';
import type { Result } from './report.ts';
import { runTests } from './test-run.ts';

export interface Court {
  coverage: Coverage;
  seed: number;
  jobs: number;
  /** Where the engine keeps compiled code: half of a short run is reading the same files again. */
  compileCache: string;
  /** null: no stage needs one */
  database: DatabaseForTests | null;
  /** Ends the test processes that run, and the judging. */
  signal: AbortSignal;
  progress: (line: string) => void;
}

/** Nothing is known of it yet. */
export const unjudged = (mutant: Mutant): Result => ({
  mutant,
  verdict: 'survived',
  by: null,
  unreached: true,
});

/** Writes its verdicts into the results as they come. */
export async function judge(
  results: readonly Result[],
  stages: readonly Stage[],
  court: Court,
): Promise<void> {
  for (const [index, stage] of stages.entries()) {
    const open = results.filter(
      ({ mutant, verdict }) => verdict === 'survived' && isAskedOf(stage, mutant.file),
    );
    if (open.length === 0) continue;
    if (stage.needsDatabase) await court.database?.open();
    await court.coverage.measure(stage, court.signal);
    const name = `stage ${index + 1} of ${stages.length}, ${stage.tests.at(-1)}`;
    await judgeStage(open, stage, court, name);
  }
}

async function judgeStage(open: readonly Result[], stage: Stage, court: Court, name: string): Promise<void> {
  const waiting = open.values();
  let done = 0;
  let caught = 0;
  const work = async (): Promise<void> => {
    for (const result of waiting) {
      court.signal.throwIfAborted();
      await judgeOne(result, stage, court);
      done += 1;
      if (result.verdict !== 'survived') caught += 1;
      court.progress(`${name}: ${done} of ${open.length} mutants, ${caught} killed`);
    }
  };
  await Promise.all(Array.from({ length: court.jobs }, work));
}

async function judgeOne(result: Result, stage: Stage, court: Court): Promise<void> {
  const { mutant } = result;
  const tests = stage.tests.filter((test) => court.coverage.reaches(test, mutant));
  if (tests.length === 0) return;
  result.unreached = false;
  const job = { path: resolve(ROOT, mutant.file), change: mutant, seed: court.seed };
  const env = { NODE_COMPILE_CACHE: court.compileCache };
  const limited = withinReason(stage, court.coverage.secondsOf(tests));
  const { verdict, by, pid } = await runTests(tests, { stage: limited, job, env, signal: court.signal });
  if (stage.needsDatabase) await court.database?.dropOf(pid);
  result.verdict = verdict;
  result.by = by;
}
