// The printed and the written report.
import { isEquivalent, type Equivalent } from './equivalent.ts';
import type { Mutant } from './mutants.ts';
import type { Verdict } from './test-run.ts';

export interface Result {
  mutant: Mutant;
  verdict: Verdict;
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
    const count = (verdict: Verdict): number => counted.filter((one) => one.verdict === verdict).length;
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

const COLUMNS = ['mutants', 'killed', 'timeouts', 'survived', 'equivalent'] as const;

export function asText(results: readonly Result[], equivalents: readonly Equivalent[]): string {
  const scores = scoresOf(results, equivalents);
  const width = Math.max(...scores.map(({ file }) => file.length), 4);
  const survivors = results.filter(
    ({ mutant, verdict }) => verdict === 'survived' && !isEquivalent(mutant, equivalents),
  );
  return [
    ...survivors.map(survivorText),
    `${'file'.padEnd(width)} ${COLUMNS.map((name) => name.padStart(11)).join('')}     score`,
    ...scores.map(
      (one) =>
        `${one.file.padEnd(width)} ${COLUMNS.map((name) => String(one[name]).padStart(11)).join('')}${one.score.toFixed(1).padStart(8)} %`,
    ),
  ].join('\n');
}

const survivorText = ({ mutant, unreached }: Result): string =>
  [
    `${mutant.file}:${mutant.line} ${mutant.operator} in ${mutant.inside}${unreached ? ', which no test runs' : ''}`,
    `  - ${mutant.before}`,
    `  + ${mutant.after}`,
    '',
  ].join('\n');
