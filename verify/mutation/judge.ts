// Runs every mutant against the tests that execute its code, round by round, until one fails.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { connected } from '../kit/connection.ts';
import { globalSetup, globalTeardown } from '../kit/global-setup.ts';
import { Coverage } from './coverage.ts';
import { ROOT, type Mutant } from './mutants.ts';
import { isAskedOf, withinReason, type Round, type Stage } from './plan.ts';
import type { Result } from './report.ts';
import { runTests } from './test-run.ts';

export interface JudgeOptions {
  seed: number;
  jobs: number;
  /** Aborts the running test processes and stops the judging. */
  signal: AbortSignal;
  progress: (line: string) => void;
}

interface Context extends JudgeOptions {
  coverage: Coverage;
  /** V8's compile cache: loading the same files takes half of a short run. */
  compileCache: string;
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
  options: JudgeOptions,
): Promise<void> {
  const coverage = new Coverage(options.seed);
  let hasDatabase = false;
  const compileCache = await mkdtemp(join(tmpdir(), 'sluice-mutation-'));
  try {
    for (const [index, round] of rounds.entries()) {
      const open = results.filter(
        ({ mutant, verdict }) =>
          verdict === 'survived' && round.some((stage) => isAskedOf(stage, mutant.file)),
      );
      if (open.length === 0) continue;
      for (const stage of round) {
        if (stage.needsDatabase && !hasDatabase) await globalSetup();
        hasDatabase ||= stage.needsDatabase;
        await coverage.measure(stage, options.signal);
      }
      const context = { ...options, coverage, compileCache };
      await judgeRound(open, round, context, `round ${index + 1} of ${rounds.length}`);
    }
  } finally {
    if (hasDatabase) await globalTeardown();
    await rm(compileCache, { recursive: true, force: true });
  }
}

async function judgeRound(
  open: readonly Result[],
  round: Round,
  context: Context,
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
  readonly #counts = new Map<string, number>();

  readonly #key = (stage: Stage, file: string): string => `${stage.tests.join()} ${file}`;

  bestFirst(round: Round, file: string): Stage[] {
    const count = (stage: Stage): number => this.#counts.get(this.#key(stage, file)) ?? 0;
    return round.filter((stage) => isAskedOf(stage, file)).toSorted((a, b) => count(b) - count(a));
  }

  add(stage: Stage, file: string): void {
    const key = this.#key(stage, file);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }
}

async function judgeOne(result: Result, stage: Stage, context: Context): Promise<void> {
  const { mutant } = result;
  const tests = stage.tests.filter((test) => context.coverage.reaches(test, mutant));
  if (tests.length === 0) return;
  result.unreached = false;
  const job = { seed: context.seed, mutant: { ...mutant, path: resolve(ROOT, mutant.file) } };
  const env = { NODE_COMPILE_CACHE: context.compileCache };
  const limited = withinReason(stage, context.coverage.secondsOf(tests));
  const { verdict, by, pid } = await runTests(tests, { stage: limited, job, env, signal: context.signal });
  if (stage.needsDatabase) await dropDatabasesOf(pid);
  // A run that was aborted has no verdict.
  context.signal.throwIfAborted();
  result.verdict = verdict;
  result.by = by;
}

/** The databases of a test process that ended at its first failure and did not clean up. */
const dropDatabasesOf = (pid: number): Promise<void> =>
  connected(process.env['TEST_DATABASE_ADMIN_URL'] ?? '', async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select datname as name from pg_database where datname like $1`,
      [`t\\_${pid}\\_%`],
    );
    for (const { name } of rows) await client.query(`drop database if exists ${name} with (force)`);
  });
