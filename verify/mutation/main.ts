// `npm run mutate`: would the tests detect a fault in the rules or the gate?
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Coverage } from './coverage.ts';
import { databaseForTests } from './database.ts';
import { faultsOf, readEquivalents } from './equivalent.ts';
import { judge, unjudged } from './judge.ts';
import { readMutants, type Mutant } from './mutants.ts';
import { runCommand } from '../kit/command-line.ts';
import { Random } from '../kit/random.ts';
import { HELP, readOptions, type Options } from './options.ts';
import { ROUNDS } from './plan.ts';
import { asText, isEnough, scoresOf, type Result } from './report.ts';

/** A seeded sample: the same seed gives the same mutants. */
function sampled(mutants: readonly Mutant[], count: number, seed: number): Mutant[] {
  const random = new Random(seed);
  const ranked = mutants.map((mutant) => ({ mutant, rank: random.next() }));
  const drawn = ranked.toSorted((a, b) => a.rank - b.rank).slice(0, count);
  return drawn.map(({ mutant }) => mutant);
}

const keyOf = (mutant: Mutant): string =>
  JSON.stringify(Object.entries(mutant).toSorted(([a], [b]) => (a < b ? -1 : 1)));

function readKilled(file: string): Map<string, Result> {
  if (!existsSync(file)) return new Map();
  const { results } = JSON.parse(readFileSync(file, 'utf8')) as { results: Result[] };
  const killed = results.filter(({ verdict }) => verdict !== 'survived');
  return new Map(killed.map((result) => [keyOf(result.mutant), result]));
}

function showProgress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001B[K${line}`);
  else if (/: (?:1|\d*00) of /.test(line)) process.stderr.write(`${line}\n`);
}

async function judgeAll(
  results: readonly Result[],
  { fast, jobs, seed }: Options,
  signal: AbortSignal,
): Promise<void> {
  const rounds = ROUNDS.map((round) => round.filter((stage) => !fast || !stage.needsDatabase));
  const database = databaseForTests();
  const compileCache = await mkdtemp(join(tmpdir(), 'sluice-mutation-'));
  try {
    await judge(results, rounds, {
      coverage: new Coverage(seed),
      seed,
      jobs,
      compileCache,
      database,
      signal,
      progress: showProgress,
    });
  } finally {
    await database.close();
    await rm(compileCache, { recursive: true, force: true });
    if (process.stderr.isTTY) process.stderr.write('\n');
  }
}

async function main(options: Options, signal: AbortSignal): Promise<number> {
  const { files, operators, sample, seed, json } = options;
  const all = files.flatMap((file) => readMutants(file, operators));
  const mutants = sample === null ? all : sampled(all, sample, seed);
  const known = options.continue && json !== null ? readKilled(json) : new Map<string, Result>();
  const results = mutants.map((mutant) => known.get(keyOf(mutant)) ?? unjudged(mutant));
  const equivalents = readEquivalents();
  try {
    await judgeAll(results, options, signal);
  } finally {
    const scores = scoresOf(results, equivalents);
    if (json !== null) await writeFile(json, `${JSON.stringify({ scores, results }, null, 1)}\n`);
  }
  const faults = faultsOf(equivalents, results, operators === null && sample === null);
  console.log(asText(results, equivalents));
  for (const fault of faults) console.log(`verify/mutation/equivalent.json: ${fault}`);
  return isEnough(scoresOf(results, equivalents)) && faults.length === 0 ? 0 : 1;
}

await runCommand(HELP, readOptions, main);
