// What is reported of a run.
import { isEquivalent, type Equivalent } from './equivalent.ts';
import type { Mutant } from './mutants.ts';
import type { MutantVerdict } from './test-run.ts';

export interface Result {
  mutant: Mutant;
  verdict: MutantVerdict;
  /** the test that killed it */
  by: string | null;
  /** No test executes this code. */
  unreached: boolean;
}

export interface FileScore {
  file: string;
  mutants: number;
  killed: number;
  timeouts: number;
  survived: number;
  equivalent: number;
  /** of those that are not equivalent, in percent */
  score: number;
}

const SCORE_MIN = 90;

export const isEnough = (scores: readonly FileScore[]): boolean =>
  scores.every(({ score }) => score >= SCORE_MIN);

export function scoresOf(results: readonly Result[], equivalents: readonly Equivalent[]): FileScore[] {
  return [...Map.groupBy(results, ({ mutant }) => mutant.file)].map(([file, own]) => {
    const counted = own.filter(({ mutant }) => !isEquivalent(mutant, equivalents));
    const count = (verdict: MutantVerdict): number => counted.filter((one) => one.verdict === verdict).length;
    const [killed, timeouts, survived] = [count('killed'), count('timeout'), count('survived')];
    return {
      file,
      mutants: own.length,
      killed,
      timeouts,
      survived,
      equivalent: own.length - counted.length,
      score: counted.length === 0 ? 100 : ((killed + timeouts) / counted.length) * 100,
    };
  });
}

export const survivorsIn = (results: readonly Result[], equivalents: readonly Equivalent[]): string[] =>
  results
    .filter(({ mutant, verdict }) => verdict === 'survived' && !isEquivalent(mutant, equivalents))
    .map(
      ({ mutant, unreached }) =>
        `${mutant.file}:${mutant.line} ${mutant.operator} in ${mutant.inside}${unreached ? ', which no test runs' : ''}\n  - ${mutant.before}\n  + ${mutant.after}\n`,
    );
