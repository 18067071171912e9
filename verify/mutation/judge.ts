// Runs every mutant against the tests that execute its code, round by round, until one fails.
import { resolve } from 'node:path';
import type { Coverage } from './coverage.ts';
import type { DatabaseForTests } from './database.ts';
import { ROOT, type Mutant } from './mutants.ts';
import { isAskedOf, withinReason, type Round, type Stage } from './plan.ts';
import type { Result } from './report.ts';
import { runTests } from './test-run.ts';

export interface JudgeContext {
  coverage: Coverage;
  seed: number;
  jobs: number;
  /** V8's compile cache: loading the same files takes half of a short run. */
  compileCache: string;
  /** null: no stage needs one */
  database: DatabaseForTests | null;
  /** Aborts the running test processes and stops the judging. */
  signal: AbortSignal;
  progress: (line: string) => void;
}

/** A result without a verdict. */
export const unjudged = (mutant: Mutant): Result => ({
  mutant,
  verdict: 'survived',
  by: null,
  unreached: true,
});

/** Writes verdicts into the results as they arrive. */
export async function judge(
  results: readonly Result[],
  rounds: readonly Round[],
  context: JudgeContext,
): Promise<void> {
  for (const [index, round] of rounds.entries()) {
    const open = results.filter(
      ({ mutant, verdict }) => verdict === 'survived' && round.some((stage) => isAskedOf(stage, mutant.file)),
    );
    if (open.length === 0) continue;
    for (const stage of round) {
      if (stage.needsDatabase) await context.database?.open();
      await context.coverage.measure(stage, context.signal);
    }
    await judgeRound(open, round, context, `round ${index + 1} of ${rounds.length}`);
  }
}

async function judgeRound(
  open: readonly Result[],
  round: Round,
  context: JudgeContext,
  name: string,
): Promise<void> {
  const waiting = open.values();
  const kills = new Kills();
  let done = 0;
  let caught = 0;
  const work = async (): Promise<void> => {
    for (const result of waiting) {
      for (const stage of kills.bestFirst(round, result.mutant.file)) {
        context.signal.throwIfAborted();
        await judgeOne(result, stage, context);
        if (result.verdict === 'survived') continue;
        kills.add(stage, result.mutant.file);
        caught += 1;
        break;
      }
      done += 1;
      context.progress(`${name}: ${done} of ${open.length} mutants, ${caught} killed`);
    }
  };
  await Promise.all(Array.from({ length: context.jobs }, work));
}

/** The test file that killed the most mutants of a source file runs first for its next mutant. */
class Kills {
  readonly #counts = new Map<Stage, Map<string, number>>();

  bestFirst(round: Round, file: string): Stage[] {
    const count = (stage: Stage): number => this.#counts.get(stage)?.get(file) ?? 0;
    return round.filter((stage) => isAskedOf(stage, file)).toSorted((a, b) => count(b) - count(a));
  }

  add(stage: Stage, file: string): void {
    const counts = this.#counts.get(stage) ?? new Map<string, number>();
    this.#counts.set(stage, counts.set(file, (counts.get(file) ?? 0) + 1));
  }
}

async function judgeOne(result: Result, stage: Stage, context: JudgeContext): Promise<void> {
  const { mutant } = result;
  const tests = stage.tests.filter((test) => context.coverage.reaches(test, mutant));
  if (tests.length === 0) return;
  result.unreached = false;
  const job = { path: resolve(ROOT, mutant.file), change: mutant, seed: context.seed };
  const env = { NODE_COMPILE_CACHE: context.compileCache };
  const limited = withinReason(stage, context.coverage.secondsOf(tests));
  const { verdict, by, pid } = await runTests(tests, { stage: limited, job, env, signal: context.signal });
  if (stage.needsDatabase) await context.database?.dropOf(pid);
  // A run that was aborted has no verdict.
  context.signal.throwIfAborted();
  result.verdict = verdict;
  result.by = by;
}
