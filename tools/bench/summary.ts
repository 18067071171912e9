// Converts rounds to figures: one value per round for each target, then median and spread.
import { availableParallelism } from 'node:os';
import { spreadOf } from '../../verify/kit/spread.ts';
import type { LoadResult } from './job.ts';
import type { Results } from './runs.ts';
import type { RunName, Target } from './targets.ts';

type Spread = ReturnType<typeof spreadOf>;

export interface Outcome extends Spread {
  target: Target;
  met: boolean;
}

export interface Figure {
  ops_s: Spread;
  p50_ms: number;
  p99_ms: number;
  /** CPU microseconds per operation; null if the system does not report them */
  cpu_us: { generator: number; service: number | null; database: number | null };
  /** the share of processor time that other guests of the host took; null if the system does not report it */
  stolen: number | null;
}

/** null: not measured. */
export function outcomeOf(
  target: Target,
  rounds: readonly Results[],
  singles: ReadonlyMap<string, number>,
): Outcome | null {
  const single = singles.get(target.name);
  const values =
    single === undefined ? rounds.flatMap((results) => valueIn(target, results) ?? []) : [single];
  if (values.length === 0) return null;
  const spread = spreadOf(values);
  return { ...spread, target, met: isMet(target, spread.median) };
}

function isMet({ aim }: Target, median: number): boolean {
  if (aim === null) return true;
  return aim.bound === '≥' ? median >= aim.value : median <= aim.value;
}

/** Both runs of a pair come from the same round, so that a disturbance of the machine affects both. */
function valueIn({ measure }: Target, results: Results): number | null {
  if (measure.kind === 'single') return null;
  const of = results.get(measure.of);
  if (!of) return null;
  if (measure.kind === 'p99') return of.p99_ms;
  const against = results.get(measure.against);
  if (!against) return null;
  if (measure.kind === 'cpu') return quotient(cpuOf(of), cpuOf(against));
  return measure.kind === 'throughput' ? of.ops_s / against.ops_s : of.p50_ms / against.p50_ms;
}

/** CPU seconds of service and database for one operation; null if the system does not report them. */
const cpuOf = ({ cpu: { service, database }, counted }: LoadResult): number | null =>
  service === null || database === null ? null : (service + database) / counted;

const quotient = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : one / other;

export function figuresOf(rounds: readonly Results[]): Map<RunName, Figure> {
  const byRun = new Map<RunName, LoadResult[]>();
  for (const results of rounds) {
    for (const [name, result] of results) byRun.set(name, [...(byRun.get(name) ?? []), result]);
  }
  return new Map([...byRun].map(([name, results]) => [name, figureOf(results)]));
}

function figureOf(all: readonly LoadResult[]): Figure {
  const some = all.filter(({ counted }) => counted > 0);
  const results = some.length > 0 ? some : all;
  const middle = (pick: (result: LoadResult) => number) => spreadOf(results.map(pick)).median;
  const perOperation = (part: 'service' | 'database'): number | null =>
    results.some(({ cpu }) => cpu[part] === null)
      ? null
      : middle(({ cpu, counted }) => ((cpu[part] ?? 0) / counted) * 1e6);
  const shares = results.map(stolenShare);
  return {
    ops_s: spreadOf(results.map(({ ops_s }) => ops_s)),
    p50_ms: middle(({ p50_ms }) => p50_ms),
    p99_ms: middle(({ p99_ms }) => p99_ms),
    cpu_us: {
      generator: middle(({ cpu, counted }) => (cpu.generator / counted) * 1e6),
      service: perOperation('service'),
      database: perOperation('database'),
    },
    stolen: shares.includes(null) ? null : spreadOf(shares.map(Number)).median,
  };
}

export const stolenShare = ({ cpu: { stolen }, seconds }: LoadResult): number | null =>
  stolen === null || seconds === 0 ? null : stolen / (seconds * availableParallelism());
