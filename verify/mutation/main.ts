// `npm run mutate`: would the tests detect a fault in the rules or the gate?
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { runCommand } from '../kit/command-line.ts';
import { Random } from '../kit/random.ts';
import { faultsOf, readEquivalents } from './equivalent.ts';
import { judge, unjudged } from './judge.ts';
import { readMutants, type Mutant } from './mutants.ts';
import { HELP, readOptions, type Options } from './options.ts';
import { ROUNDS } from './plan.ts';
import { isEnough, scoresOf, survivorsIn, type Result } from './report.ts';

/** A seeded sample: the same seed gives the same mutants. */
function sampled(mutants: readonly Mutant[], count: number, seed: number): Mutant[] {
  const random = new Random(seed);
  const left = [...mutants];
  return Array.from({ length: Math.min(count, left.length) }, () => random.draw(left));
}

function readKilled(file: string): Map<string, Result> {
  if (!existsSync(file)) return new Map();
  const { results } = JSON.parse(readFileSync(file, 'utf8')) as { results: Result[] };
  const killed = results.filter(({ verdict }) => verdict !== 'survived');
  return new Map(killed.map((result) => [JSON.stringify(result.mutant), result]));
}

function showProgress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${line}`);
  else if (/: (?:1|\d*00) of /.test(line)) process.stderr.write(`${line}\n`);
}

async function main(options: Options, signal: AbortSignal): Promise<number> {
  const { files, sample, seed, jobs, fast, json } = options;
  const all = files.flatMap((file) => readMutants(file));
  const mutants = sample === null ? all : sampled(all, sample, seed);
  const known = options.continue && json !== null ? readKilled(json) : new Map<string, Result>();
  const results = mutants.map((mutant) => known.get(JSON.stringify(mutant)) ?? unjudged(mutant));
  const rounds = ROUNDS.map((round) => round.filter((stage) => !fast || !stage.needsDatabase));
  const equivalents = readEquivalents();
  try {
    await judge(results, rounds, { seed, jobs, signal, progress: showProgress });
  } finally {
    if (process.stderr.isTTY) process.stderr.write('\n');
    const scores = scoresOf(results, equivalents);
    if (json !== null) await writeFile(json, `${JSON.stringify({ scores, results }, null, 1)}\n`);
  }
  const faults = faultsOf(equivalents, results, sample === null);
  for (const survivor of survivorsIn(results, equivalents)) console.log(survivor);
  console.table(scoresOf(results, equivalents));
  for (const fault of faults) console.log(`verify/mutation/equivalent.json: ${fault}`);
  return isEnough(scoresOf(results, equivalents)) && faults.length === 0 ? 0 : 1;
}

await runCommand(HELP, readOptions, main);
