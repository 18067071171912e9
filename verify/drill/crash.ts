// `npm run drill:crash`: kill -9 at random moments under full load; the driver's ledger then proves that nothing
// acknowledged was lost.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { copyCluster } from '../kit/cluster.ts';
import { runCommand } from '../kit/command-line.ts';
import { freePort } from '../kit/ports.ts';
import { FeedReader } from '../observer/feed.ts';
import { HELP, readOptions, type Options } from './crash-options.ts';
import { startDriver, type Driver, type Finished } from './driver.ts';
import { Random } from '../kit/random.ts';
import { kindsFor, ServiceUnderDrill, type Kind } from './service.ts';
import { setExpiry, setUpWorld } from './setup.ts';
import {
  acknowledgedBy,
  waitForRecovery,
  checkpoint,
  conclude,
  say,
  sayTotals,
  sayViolations,
  type Drilled,
} from './verdict.ts';

/** A cycle counts as survived after this many successful commands. */
const RECOVERED_MIN = 50;

interface Drill extends Drilled {
  options: Options;
  random: Random;
  service: ServiceUnderDrill;
  recoveries: { kind: Kind; seconds: number }[];
}

/** Every kind once in random order, repeatedly. */
function* kindsOf(random: Random, kinds: readonly Kind[]): Generator<Kind> {
  for (;;) {
    const deck = [...kinds];
    while (deck.length > 0) yield random.draw(deck);
  }
}

async function runCycle(drill: Drill, cycle: number, kind: Kind): Promise<void> {
  const { driver, options, random, service, violations } = drill;
  await sleep(random.next() * options.seconds_per_cycle * 1000);
  await driver.note(`cycle ${cycle}: ${kind}`);
  for (const text of await service.strike(kind, random)) violations.add(text);
  const began = performance.now();
  await service.ready();
  const seconds = (performance.now() - began) / 1000;
  drill.recoveries.push({ kind, seconds });
  const before = await acknowledgedBy(driver);
  const commands = await waitForRecovery(`cycle ${cycle}`, drill, { before, least: RECOVERED_MIN });
  say(
    `cycle ${cycle}/${options.cycles}  ${kind.padEnd(10)}  ready after ${seconds.toFixed(2)} s  ${commands} commands`,
  );
}

async function runDrill(drill: Drill, signal: AbortSignal): Promise<void> {
  const { options, violations } = drill;
  const kinds = kindsOf(drill.random, kindsFor(options.workers));
  for (let cycle = 1; cycle <= options.cycles; cycle++) {
    signal.throwIfAborted();
    await runCycle(drill, cycle, kinds.next().value as Kind);
    if (violations.size === 0 && cycle % options.check_every === 0 && cycle < options.cycles)
      await checkpoint(drill);
    if (violations.size > 0) break;
  }
  summarize(drill, await conclude(drill));
}

function summarize({ options, recoveries, violations }: Drill, finished: Finished): void {
  const counts = kindsFor(options.workers).map(
    (kind) => `${recoveries.filter((one) => one.kind === kind).length} ${kind}`,
  );
  const seconds = recoveries.map((one) => one.seconds).toSorted((a, b) => a - b);
  say(`cycles        ${recoveries.length} (${counts.join(', ')})`);
  say(
    `recovery      median ${(seconds[Math.floor(seconds.length / 2)] ?? 0).toFixed(2)} s, worst ${(seconds.at(-1) ?? 0).toFixed(2)} s`,
  );
  sayTotals(finished, violations);
}

async function main(options: Options, signal: AbortSignal): Promise<number> {
  const random = new Random(options.seed);
  const home = await mkdtemp(join(tmpdir(), 'sluice-drill-'));
  const [data, file] = [join(home, 'data'), join(home, 'ledger.jsonl')];
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  await copyCluster(data);
  const service = new ServiceUnderDrill(data, port, options.workers);
  const violations = new Set<string>();
  let driver: Driver | undefined;
  const feed = new FeedReader([origin]);
  say(`seed ${options.seed}, ledger ${file}`);
  try {
    await service.ready();
    const { world, keys } = await setUpWorld(origin);
    const { seed, connections } = options;
    feed.start();
    driver = await startDriver({ urls: [origin], world, keys, file, seed, connections });
    const checking = async () => ({ file, origin, keys, feed, database_url: await service.databaseUrl() });
    await setExpiry(origin, world, true);
    const drill = { options, random, service, driver, world, checking, violations, recoveries: [] };
    await runDrill(drill, signal);
  } catch (error) {
    // A failed restart or an unreachable service is itself a violation.
    if (!signal.aborted) violations.add(reasonOf(error));
  } finally {
    await driver?.stop();
    await feed.stop();
    if (violations.size > 0) say(`last output of the service:\n${service.output}`);
    await service.stop();
    if (!options.keep) await rm(data, { recursive: true, force: true });
    if (!options.keep && violations.size === 0) await rm(home, { recursive: true, force: true });
  }
  signal.throwIfAborted();
  return sayViolations(violations, options.seed, file);
}

/** fetch reports the reason of a failure only in the cause of its error. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error
    ? `${error.message}: ${error.cause.message}`
    : String(error);

await runCommand(HELP, readOptions, main);
