// The course of the drills that inject faults into one service under load: start, faults with a check for recovery after
// each, the final check, the summary.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spreadOf } from '../kit/spread.ts';
import { FeedReader } from '../observer/feed.ts';
import { acknowledgedIn } from './account.ts';
import { checkDrill } from './check.ts';
import { startDriver, type Driver, type Finished } from './driver.ts';
import { setExpiry, setUpCatalogue, type Keys } from './setup.ts';
import type { Catalogue } from './catalogue.ts';

const RECOVERY_MS = 60_000;
const VIOLATIONS_SHOWN_MAX = 50;

/** The service and its database. */
export interface System {
  /** Of its processes. */
  origins: readonly string[];
  /** It may change with a restart. */
  databaseUrl(): string | Promise<string>;
  /** What its processes printed. */
  output(): string;
}

export interface Options {
  seed: number;
  connections: number;
  check_every: number;
  keep: boolean;
}

/** Registers a step for the end; the last one is executed first, also if the start fails. */
type Cleanup = (step: () => Promise<unknown>) => void;

export interface Faults<S extends System> {
  /** How many are injected. */
  count: number;
  start(dataDir: string, cleanup: Cleanup): Promise<S>;
  /** Injects a fault and waits for recovery. False: it could not be injected, so it does not count. */
  inject(drill: Drill<S>, number: number): Promise<boolean>;
  /** Prints the part of the summary about the faults. */
  summarize(): void;
}

/** A drill under way. */
export interface Drill<S extends System> {
  system: S;
  driver: Driver;
  violations: Set<string>;
  file: string;
  catalogue: Catalogue;
  keys: Keys;
  feed: FeedReader;
}

/** Returns the exit code. */
export async function drillUnderLoad<S extends System>(
  options: Options,
  signal: AbortSignal,
  faults: Faults<S>,
): Promise<number> {
  const home = await mkdtemp(join(tmpdir(), 'sluice-drill-'));
  const [data, file] = [join(home, 'data'), join(home, 'ledger.jsonl')];
  const violations = new Set<string>();
  const steps: (() => Promise<unknown>)[] = [];
  const cleanup: Cleanup = (step) => void steps.unshift(step);
  let system: S | undefined;
  console.log(`seed ${options.seed}, ledger ${file}`);
  try {
    system = await faults.start(data, cleanup);
    const drill = await putUnderLoad(system, options, file, violations, cleanup);
    await injectAll(drill, faults, options.check_every, signal);
    const finished = await conclude(drill);
    faults.summarize();
    sayTotals(finished, violations);
  } catch (error) {
    // A failed restart or an unreachable service is itself a violation.
    if (!signal.aborted) violations.add(reasonOf(error));
  } finally {
    // An interrupt also reaches the processes, so a step may fail; the directories are removed all the same.
    for (const step of steps)
      await step().catch((error: unknown) => {
        if (!signal.aborted) violations.add(`stopping: ${reasonOf(error)}`);
      });
    if (violations.size > 0 && system) console.log(`last output of the service:\n${system.output()}`);
    if (!options.keep) await rm(data, { recursive: true, force: true });
    if (!options.keep && violations.size === 0) await rm(home, { recursive: true, force: true });
  }
  signal.throwIfAborted();
  for (const text of [...violations].slice(0, VIOLATIONS_SHOWN_MAX)) console.log(`VIOLATION  ${text}`);
  if (violations.size > 0) console.log(`seed ${options.seed}; the ledger is kept: ${file}`);
  return violations.size > 0 ? 1 : 0;
}

/** fetch reports the reason of a failure only in the cause of its error. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error
    ? `${error.message}: ${error.cause.message}`
    : String(error);

async function putUnderLoad<S extends System>(
  system: S,
  { seed, connections }: Options,
  file: string,
  violations: Set<string>,
  cleanup: Cleanup,
): Promise<Drill<S>> {
  const urls = [...system.origins];
  const { catalogue, keys } = await setUpCatalogue(urls[0] ?? '');
  const feed = new FeedReader(urls);
  feed.start();
  cleanup(() => feed.stop());
  const driver = await startDriver({ urls, file, catalogue, keys, seed, connections });
  cleanup(() => driver.stop());
  const drill = { system, driver, violations, file, catalogue, keys, feed };
  await switchExpiry(drill, true);
  return drill;
}

async function injectAll<S extends System>(
  drill: Drill<S>,
  faults: Faults<S>,
  checkEvery: number,
  signal: AbortSignal,
): Promise<void> {
  const { violations } = drill;
  for (let injected = 0; injected < faults.count && violations.size === 0;) {
    signal.throwIfAborted();
    if (!(await faults.inject(drill, injected + 1))) continue;
    injected += 1;
    const isDue = injected % checkEvery === 0 && injected < faults.count;
    if (isDue && violations.size === 0) await checkpoint(drill);
  }
}

const switchExpiry = ({ system, catalogue }: Drill<System>, isOn: boolean): Promise<void> =>
  setExpiry(system.origins[0] ?? '', catalogue, isOn);

/**
 * Waits until the service has executed this many more commands: being ready is not enough. Returns how many have
 * succeeded since the start of the drill.
 */
export async function waitForRecovery(
  { driver, violations }: Drill<System>,
  what: string,
  least: number,
  moreViolations: () => string[] = () => [],
): Promise<number> {
  const before = acknowledgedIn(await driver.progress());
  for (const deadline = Date.now() + RECOVERY_MS; ; await sleep(20)) {
    const progress = await driver.progress();
    for (const text of [...progress.violations, ...moreViolations()]) violations.add(text);
    const now = acknowledgedIn(progress);
    if (now - before >= least || violations.size > 0) return now;
    if (Date.now() > deadline)
      violations.add(`${what}: only ${now - before} commands succeeded in ${RECOVERY_MS} ms`);
  }
}

/** Stops the load, settles and checks everything, and resumes unless there is a violation. */
async function checkpoint(drill: Drill<System>): Promise<void> {
  await switchExpiry(drill, false);
  await drill.driver.pause();
  await drill.driver.settle();
  await judge(drill);
  if (drill.violations.size > 0) return;
  await switchExpiry(drill, true);
  await drill.driver.resume();
}

async function conclude(drill: Drill<System>): Promise<Finished> {
  if (drill.violations.size === 0) await switchExpiry(drill, false);
  const finished = await drill.driver.finish();
  for (const text of finished.violations) drill.violations.add(text);
  await judge(drill);
  return finished;
}

async function judge({ system, violations, file, keys, feed }: Drill<System>): Promise<void> {
  const began = performance.now();
  const [origin = ''] = system.origins;
  const verdict = await checkDrill({ file, origin, keys, feed, database_url: await system.databaseUrl() });
  for (const text of verdict.violations) violations.add(text);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(
    `checked ${verdict.orders} orders in ${seconds} s, ${verdict.expired} of them expired: ${verdict.violations.length} violations`,
  );
}

/** A table of seconds by name. */
export function sayTimes(times: readonly (readonly [name: string, seconds: number])[]): void {
  const rows = [...Map.groupBy(times, ([name]) => name)].map(([name, own]) => {
    const { min, median, max } = spreadOf(own.map(([, seconds]) => Number(seconds.toFixed(2))));
    return [name, { times: own.length, min, median, max }] as const;
  });
  console.table(Object.fromEntries(rows));
}

function sayTotals(finished: Finished, violations: ReadonlySet<string>): void {
  const { order, report, adjust, count } = finished.acknowledged;
  console.log(
    `acknowledged  ${acknowledgedIn(finished)} (${order} orders, ${report} reports, ${adjust + count} stock changes), ${finished.attempts} attempts`,
  );
  console.log(
    `unknown       ${finished.unknown} attempts, ${finished.settled} commands settled by resending, ${finished.unsettled} not settled`,
  );
  console.log(`violations    ${violations.size}`);
}
