// `npm run drill:crash`: kill -9 at random moments under full load, and a ledger outside that nothing is missing from.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../kit/command-line.ts';
import { freePort } from '../kit/ports.ts';
import { check, type CheckOptions } from './check.ts';
import { HELP, readOptions, type Options } from './crash-options.ts';
import { startDriver, type Driver, type Finished } from './driver.ts';
import { Random } from '../kit/random.ts';
import { KINDS, ServiceUnderDrill, type Kind } from './service.ts';
import { setUpWorld } from './setup.ts';

const ADMIN_TOKEN = 'drill-admin-token-0123456789';
/** So many commands must go through before a cycle counts as survived. */
const CARRIED_MIN = 50;
const CARRIED_MS = 60_000;
const VIOLATIONS_SHOWN_MAX = 50;

const say = (text: string): void => console.log(text);

interface Drill {
  options: Options;
  random: Random;
  service: ServiceUnderDrill;
  driver: Driver;
  checking: Omit<CheckOptions, 'database_url'>;
  violations: Set<string>;
  recoveries: { kind: Kind; seconds: number }[];
}

const acknowledgedBy = async (driver: Driver): Promise<number> =>
  Object.values((await driver.progress()).acknowledged).reduce((sum, count) => sum + count, 0);

/** Every kind once, in a random order, then again. */
function* kindsOf(random: Random): Generator<Kind> {
  for (;;) {
    const deck = [...KINDS];
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
  const commands = await carriedOn(drill, cycle);
  say(
    `cycle ${cycle}/${options.cycles}  ${kind.padEnd(10)}  ready after ${seconds.toFixed(2)} s  ${commands} commands`,
  );
}

/** Ready is a word; commands that go through are the proof. */
async function carriedOn({ driver, violations }: Drill, cycle: number): Promise<number> {
  const before = await acknowledgedBy(driver);
  const deadline = Date.now() + CARRIED_MS;
  for (;;) {
    const now = await acknowledgedBy(driver);
    if (now - before >= CARRIED_MIN || violations.size > 0) return now;
    const { violations: told } = await driver.progress();
    for (const text of told) violations.add(text);
    if (Date.now() > deadline) {
      violations.add(
        `cycle ${cycle}: ready, but fewer than ${CARRIED_MIN} commands went through in ${CARRIED_MS} ms`,
      );
      return now;
    }
    await sleep(20);
  }
}

async function judge({ checking, service, violations }: Drill): Promise<void> {
  const began = performance.now();
  const verdict = await check({ ...checking, database_url: await service.databaseUrl() });
  for (const text of verdict.violations) violations.add(text);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  say(`checked ${verdict.orders} orders in ${seconds} s: ${verdict.violations.length} violations`);
}

async function runDrill(drill: Drill, signal: AbortSignal): Promise<void> {
  const { driver, options, violations } = drill;
  const kinds = kindsOf(drill.random);
  for (let cycle = 1; cycle <= options.cycles; cycle++) {
    signal.throwIfAborted();
    await runCycle(drill, cycle, kinds.next().value as Kind);
    if (violations.size > 0) break;
    if (cycle % options.check_every !== 0 || cycle === options.cycles) continue;
    await driver.pause();
    await driver.settle();
    await judge(drill);
    if (violations.size > 0) break;
    await driver.resume();
  }
  const finished = await driver.finish();
  for (const text of finished.violations) violations.add(text);
  await judge(drill);
  summarize(drill, finished);
}

function summarize({ recoveries, violations }: Drill, finished: Finished): void {
  const counts = KINDS.map((kind) => `${recoveries.filter((one) => one.kind === kind).length} ${kind}`);
  const seconds = recoveries.map((one) => one.seconds).toSorted((a, b) => a - b);
  const { order, report, adjust, count } = finished.acknowledged;
  say(`cycles        ${recoveries.length} (${counts.join(', ')})`);
  say(
    `acknowledged  ${order + report + adjust + count} (${order} orders, ${report} reports, ${adjust + count} stock changes), ${finished.attempts} attempts`,
  );
  say(
    `unknown       ${finished.unknown} attempts, ${finished.settled} commands settled by sending again, ${finished.unsettled} not settled`,
  );
  say(
    `recovery      median ${(seconds[Math.floor(seconds.length / 2)] ?? 0).toFixed(2)} s, worst ${(seconds.at(-1) ?? 0).toFixed(2)} s`,
  );
  say(`violations    ${violations.size}`);
}

async function main(options: Options, signal: AbortSignal): Promise<number> {
  const random = new Random(options.seed);
  const home = await mkdtemp(join(tmpdir(), 'sluice-drill-'));
  const [data, file] = [join(home, 'data'), join(home, 'ledger.jsonl')];
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const service = new ServiceUnderDrill(data, port, ADMIN_TOKEN);
  const violations = new Set<string>();
  let driver: Driver | undefined;
  say(`seed ${options.seed}, ledger ${file}`);
  try {
    await service.ready();
    const { world, keys } = await setUpWorld(origin, ADMIN_TOKEN);
    const { seed, connections } = options;
    const target = { urls: [origin], world, keys, admin_token: ADMIN_TOKEN };
    driver = await startDriver({ ...target, file, seed, connections });
    const checking = { file, origin, admin_token: ADMIN_TOKEN, keys };
    const drill = { options, random, service, driver, checking, violations, recoveries: [] };
    await runDrill(drill, signal);
  } catch (error) {
    // Whatever did not come back, or could not be asked, is the finding.
    if (!signal.aborted) violations.add(error instanceof Error ? error.message : String(error));
  } finally {
    await driver?.stop();
    if (violations.size > 0) say(`the service said last:\n${service.output}`);
    await service.stop();
    if (!options.keep) await rm(data, { recursive: true, force: true });
    if (!options.keep && violations.size === 0) await rm(home, { recursive: true, force: true });
  }
  signal.throwIfAborted();
  for (const text of [...violations].slice(0, VIOLATIONS_SHOWN_MAX)) say(`VIOLATION  ${text}`);
  if (violations.size > 0) say(`seed ${options.seed}; the ledger is kept: ${file}`);
  return violations.size > 0 ? 1 : 0;
}

await runCommand(HELP, readOptions, main);
