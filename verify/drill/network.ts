// `npm run drill:network`: connections to PostgreSQL break at chosen protocol messages under full load; the driver's
// ledger then proves that nothing acknowledged was lost.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SERVICE_ROLE } from '../../src/store/embedded/roles.ts';
import { startEmbedded, type EmbeddedServer } from '../../src/store/embedded/server.ts';
import { migrate } from '../../src/store/migrations.ts';
import { copyCluster } from '../kit/cluster.ts';
import { runCommand } from '../kit/command-line.ts';
import { onDatabase, startService, type ServiceProcess } from '../kit/process.ts';
import { startProxy, type Proxy, type Strike } from '../kit/proxy.ts';
import { FeedReader } from '../observer/feed.ts';
import { startDriver, type Driver, type Finished } from './driver.ts';
import { HELP, readOptions, type Options } from './network-options.ts';
import { Random } from '../kit/random.ts';
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
import { needsNewConnection, placeOf, strikesOf, wordsFor } from './strikes.ts';

const PROCESSES = 2;
/** Short, so that a silent connection is detected within seconds. */
const TIMEOUTS = {
  SLUICE_CONNECT_TIMEOUT_MS: '2000',
  SLUICE_STATEMENT_TIMEOUT_MS: '1000',
  SLUICE_LONG_STATEMENT_TIMEOUT_MS: '2000',
  SLUICE_LOCK_TIMEOUT_MS: '2000',
  SLUICE_IDLE_TRANSACTION_TIMEOUT_MS: '3000',
};
/** How long to wait for the message to break at; some messages are not part of every batch. */
const MEET_MS = 5_000;
/** A round counts as survived after this many successful commands. */
const RECOVERED_MIN = 20;

interface Drill extends Drilled {
  options: Options;
  proxy: Proxy;
  services: readonly ServiceProcess[];
  survived: { strike: Strike; seconds: number }[];
  notMet: number;
}

/** Returns false if no matching message was seen in time. */
async function meets(proxy: Proxy, strike: Strike): Promise<boolean> {
  const struck = proxy.strike(strike).then(() => true);
  if (needsNewConnection(strike)) proxy.drop(strike.connection ?? '');
  const giveUp = new AbortController();
  const late = sleep(MEET_MS, false, { signal: giveUp.signal }).catch(() => false);
  const met = await Promise.race([struck, late]);
  giveUp.abort();
  if (!met) proxy.disarm();
  return met;
}

/** A broken connection must never end a process. */
const endedAmong = (services: readonly ServiceProcess[]): string[] =>
  services.flatMap(({ child, origin }) =>
    child.exitCode === null && child.signalCode === null
      ? []
      : [`the service at ${origin} ended (${child.signalCode ?? child.exitCode})`],
  );

async function runRound(drill: Drill, strike: Strike): Promise<void> {
  const { driver, options, proxy, survived } = drill;
  const round = survived.length + 1;
  await driver.note(`round ${round}: ${wordsFor(strike)}`);
  if (!(await meets(proxy, strike))) {
    drill.notMet += 1;
    return;
  }
  const before = await acknowledgedBy(driver);
  const began = performance.now();
  await waitForRecovery(`round ${round}`, drill, { before, least: RECOVERED_MIN }, () =>
    endedAmong(drill.services),
  );
  const seconds = (performance.now() - began) / 1000;
  survived.push({ strike, seconds });
  say(
    `round ${round}/${options.rounds}  recovered after ${seconds.toFixed(2).padStart(5)} s  ${wordsFor(strike)}`,
  );
}

async function runDrill(drill: Drill, random: Random, signal: AbortSignal): Promise<Finished> {
  const { options, violations, survived } = drill;
  let checkedAt = 0;
  for (const strike of strikesOf(random)) {
    signal.throwIfAborted();
    await runRound(drill, strike);
    if (violations.size > 0 || survived.length >= options.rounds) break;
    if (survived.length - checkedAt < options.check_every) continue;
    checkedAt = survived.length;
    await checkpoint(drill);
    if (violations.size > 0) break;
  }
  return conclude(drill);
}

function summarize({ survived, violations, notMet }: Drill, finished: Finished): void {
  const table = (name: string, keyOf: (strike: Strike) => string): void => {
    for (const [key, rounds] of Map.groupBy(survived, ({ strike }) => keyOf(strike))) {
      const seconds = rounds.map((round) => round.seconds).toSorted((a, b) => a - b);
      const median = seconds[Math.floor(seconds.length / 2)] ?? 0;
      const times = `recovered after ${median.toFixed(2)} s (median), ${(seconds.at(-1) ?? 0).toFixed(2)} s (max)`;
      say(`${name.padEnd(13)} ${key.padEnd(20)} ${String(rounds.length).padStart(4)}  ${times}`);
    }
  };
  say(
    `faults        ${survived.length}, and ${notMet} not injected because no matching message was seen in time`,
  );
  table('by fault', ({ fault }) => fault);
  table('by place', placeOf);
  sayTotals(finished, violations);
}

async function startServices(database_url: string): Promise<ServiceProcess[]> {
  const env = { ...TIMEOUTS, ...onDatabase(database_url), LOG_LEVEL: 'error' };
  const services: ServiceProcess[] = [];
  for (let index = 0; index < PROCESSES; index++) {
    services.push(await startService(env));
  }
  return services;
}

async function main(options: Options, signal: AbortSignal): Promise<number> {
  const home = await mkdtemp(join(tmpdir(), 'sluice-drill-'));
  const [dataDir, file] = [join(home, 'data'), join(home, 'ledger.jsonl')];
  const violations = new Set<string>();
  let [server, proxy, driver, feed]: [EmbeddedServer?, Proxy?, Driver?, FeedReader?] = [];
  let services: ServiceProcess[] = [];
  say(`seed ${options.seed}, ledger ${file}`);
  try {
    const log = { info: () => {}, warn: say };
    await copyCluster(dataDir);
    server = await startEmbedded({ dataDir, log, signal });
    await migrate(server.ownerUrl, SERVICE_ROLE);
    proxy = await startProxy(server.url);
    services = await startServices(proxy.url);
    const urls = services.map(({ origin }) => origin);
    const origin = urls[0] ?? '';
    const { world, keys } = await setUpWorld(origin);
    const { seed, connections } = options;
    feed = new FeedReader(urls);
    feed.start();
    driver = await startDriver({ urls, file, world, keys, seed, connections });
    const checked = { file, origin, keys, feed, database_url: server.url };
    await setExpiry(origin, world, true);
    const drill: Drill = {
      options,
      proxy,
      driver,
      services,
      world,
      checking: () => Promise.resolve(checked),
      violations,
      survived: [],
      notMet: 0,
    };
    summarize(drill, await runDrill(drill, new Random(seed), signal));
  } finally {
    await driver?.stop();
    await feed?.stop();
    if (violations.size > 0)
      for (const service of services) say(`last output of a service:\n${service.output()}`);
    await Promise.all(services.map((service) => service.stop()));
    await proxy?.close();
    await server?.stop();
    if (!options.keep) await rm(dataDir, { recursive: true, force: true });
    if (!options.keep && violations.size === 0) await rm(home, { recursive: true, force: true });
  }
  return sayViolations(violations, options.seed, file);
}

await runCommand(HELP, readOptions, main);
