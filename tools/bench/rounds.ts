// Each round makes every run once, with compared runs next to each other. Every second round is reversed, so that neither
// run of a pair is always first.
import { COPY, MAIN, say, startBaselines, type Aim, type Bench } from './bench.ts';
import { analyzeOrders } from './catalogue.ts';
import { withClient } from './database.ts';
import { addHeldChannels } from './held-channels.ts';
import type { Job, LoadResult } from './job.ts';
import { percent } from './report.ts';
import {
  hotOrders,
  RUNS,
  rowlockOrders,
  STORED_ORDERS,
  storePaid,
  Unsupported,
  type Results,
  type Rig,
} from './runs.ts';
import { stolenShare } from './summary.ts';
import { runsOf, type RoundRun, type RunName, type Target } from './targets.ts';

const GROUPS: readonly (readonly RoundRun[])[] = [
  ['hot_signed', 'hot_one', 'hot', 'hot_limited', 'rowlock_hot', 'rowlock_uniform', 'uniform', 'uniform_one'],
  ['hot_256', 'echo_post_256'],
  ['overload', 'half_load', 'echo_half_load'],
  ['resend', 'echo_post', 'echo_refused', 'soldout'],
  ['status_one', 'status', 'rowlock_status'],
  ['lookup_one', 'lookup', 'echo_get', 'list_304'],
  ['list_warm', 'static'],
  ['static_changed', 'list_changed', 'rowlist_changed'],
  ['lone', 'rowlock_lone'],
];

const POOL_SIZES = [8, 16, 32];

/** Runs that are impossible are added to `unsupported`. */
export async function measureRounds(
  bench: Bench,
  targets: readonly Target[],
  unsupported: Map<RunName, string>,
): Promise<Results[]> {
  const wanted = new Set(targets.flatMap(runsOf));
  const groups = GROUPS.map((group) => group.filter((name) => wanted.has(name)));
  if (groups.every((group) => group.length === 0)) return [];
  const before: Results = new Map();
  const rig = await prepare(bench, wanted, before);
  const rounds: Results[] = [before];
  for (let round = 1; round <= bench.options.rounds; round++) {
    const results: Results = new Map();
    for (const group of groups) {
      for (const name of round % 2 === 1 ? group : group.toReversed()) {
        await runOne(rig, name, round, results, unsupported);
      }
    }
    rounds.push(results);
  }
  return rounds;
}

async function runOne(
  rig: Rig,
  name: RoundRun,
  round: number,
  results: Results,
  unsupported: Map<RunName, string>,
): Promise<void> {
  const { bench } = rig;
  try {
    const job = await RUNS[name](rig, results);
    const measure = () => record(bench, `round ${round} of ${bench.options.rounds}`, name, job);
    results.set(name, await (job.port === rig.baselines.port ? withoutService(bench, measure) : measure()));
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    unsupported.set(name, error.message);
    say(`${name}: not supported (${error.message})`);
  }
}

/**
 * Suspends the service during a baseline: an idle service indexes the orders of earlier runs, and the baseline
 * should have the machine for itself.
 */
async function withoutService<T>({ service }: Bench, work: () => Promise<T>): Promise<T> {
  service.signal('SIGSTOP');
  try {
    return await work();
  } finally {
    service.signal('SIGCONT');
  }
}

/** Below this share, steal time hardly affects a run. */
const STOLEN_SHOWN = 0.02;

/** Runs the job, prints the result, and records faults. */
export async function record(bench: Bench, when: string, name: string, job: Job): Promise<LoadResult> {
  const result = await bench.load(job);
  const { ops_s, p50_ms, p99_ms, statuses, unsent, faults } = result;
  const others = Object.entries(statuses).filter(([status]) => Number(status) !== job.counted);
  const stolen = stolenShare(result) ?? 0;
  const extra = [
    ...(stolen >= STOLEN_SHOWN ? [`${percent(stolen)} of the processors stolen`] : []),
    ...others.map(([status, count]) => `${count} × ${status}`),
    ...(unsent > 0 ? [`${unsent} not sent`] : []),
    ...faults.map((fault) => `INVALID: ${fault}`),
  ];
  const figures = `${ops_s.toFixed(ops_s < 100 ? 1 : 0)}/s  p50 ${p50_ms.toFixed(1)}  p99 ${p99_ms.toFixed(1)} ms`;
  say(`${when}  ${name.padEnd(16)} ${figures}${extra.length > 0 ? `  (${extra.join(', ')})` : ''}`);
  bench.faults.push(...faults.map((fault) => `${name}, ${when}: ${fault}`));
  return result;
}

async function prepare(bench: Bench, wanted: ReadonlySet<RunName>, before: Results): Promise<Rig> {
  const baselines = await startBaselines(bench);
  const stored_prefix = await settle(bench, before);
  const pool = { hot: 16, uniform: 16 };
  if (wanted.has('rowlock_hot') || wanted.has('rowlock_lone'))
    pool.hot = await bestPool(bench, baselines, 'hot');
  if (wanted.has('rowlock_uniform') || wanted.has('rowlock_status'))
    pool.uniform = await bestPool(bench, baselines, 'uniform');
  const one_worker = WITH_ONE_WORKER.some((name) => wanted.has(name)) ? await startOneWorker(bench) : null;
  const held = await addHeldChannels(bench, wanted);
  return { bench, baselines, pool, stored_prefix, held, one_worker };
}

/**
 * Warms up the service, so that code is not compiled in the first round. Then fills both databases with orders
 * and analyzes them. Otherwise the first rounds would use plans for empty tables, and rounds after an
 * autovacuum would use other plans. The figures from before the analysis are only reported for information.
 */
async function settle(bench: Bench, before: Results): Promise<string> {
  const hot = () => brief(hotOrders(bench, bench.service), 2);
  await record(bench, 'warming up', 'hot', hot());
  const prefix = bench.nextPrefix();
  for (const name of [MAIN, COPY]) await storePaid(bench, name, prefix, STORED_ORDERS);
  before.set('hot_unanalyzed', await record(bench, 'warming up', 'hot_unanalyzed', hot()));
  for (const name of [MAIN, COPY]) await withClient(bench.database.urlOf(name), analyzeOrders);
  return prefix;
}

const WITH_ONE_WORKER: readonly RoundRun[] = ['hot_one', 'uniform_one', 'status_one', 'lookup_one'];

/** The second service uses the same database and is idle while the other one is measured. */
async function startOneWorker(bench: Bench): Promise<Aim> {
  say('starting a service with one worker');
  const service = await bench.startService(MAIN, 1);
  await record(bench, 'warming up', 'hot_one', brief(hotOrders(bench, service), 2));
  return service;
}

const brief = (job: Job, times = 1): Job => ({
  ...job,
  warmup_s: job.warmup_s / 2,
  seconds: Math.min(job.seconds, 1) * 0.6 * times,
});

/** The best pool size for the usual implementation on this machine: each size is measured once. */
async function bestPool(bench: Bench, baselines: Rig['baselines'], skus: 'hot' | 'uniform'): Promise<number> {
  let best = { size: 0, ops_s: 0 };
  for (const size of POOL_SIZES) {
    const job = brief(rowlockOrders({ bench, baselines }, skus, size));
    const { ops_s } = await record(bench, `rowlock, pool of ${size}`, skus, job);
    if (ops_s > best.ops_s) best = { size, ops_s };
  }
  say(`rowlock ${skus}: a pool of ${best.size} is best`);
  return best.size;
}
