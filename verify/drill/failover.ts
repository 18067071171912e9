// `npm run drill:failover`: the primary is killed and isolated repeatedly under load, and nothing acknowledged may be
// lost. See `--help`.
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../kit/command-line.ts';
import { onDatabase, startService, type ServiceProcess } from '../kit/process.ts';
import { checkDrill, type DrillVerdict } from './check.ts';
import { startDriver, type Driver, type Finished } from './driver.ts';
import { Cluster } from './failover/cluster.ts';
import { CLUSTER_FAULTS, planFaults, type FaultName } from './failover/faults.ts';
import { HELP, readOptions, type Options } from './failover/options.ts';
import { longestSilence, Watch } from './failover/silence.ts';
import { Random } from '../kit/random.ts';
import { setUpCatalogue } from './setup.ts';
import { sayTimes } from './under-load.ts';

const BACK_MS = 120_000;
const SERVICES = 2;

interface Cycle {
  fault: FaultName;
  outage_s: number;
}

interface Round {
  cycles: Cycle[];
  finished: Finished;
  verdict: DrillVerdict;
}

/** The faults of one round. */
interface Scene {
  faults: readonly FaultName[];
  cluster: Cluster;
  seed: number;
  /** Faults injected in earlier rounds. */
  before: number;
}

async function drill(options: Options, signal: AbortSignal): Promise<boolean> {
  console.log(
    `seed ${options.seed}${options.synchronous_mode === 'on' ? '' : ', synchronous mode OFF: losses are expected'}`,
  );
  const random = new Random(options.seed);
  const cluster = await Cluster.create(options.synchronous_mode === 'on');
  try {
    console.log('forming the cluster');
    await cluster.form(signal);
    const plan = planFaults(options.only, options.cycles, random);
    const rounds: Round[] = [];
    while (plan.length > 0 && rounds.every(({ verdict }) => verdict.violations.length === 0)) {
      const faults = plan.splice(0, options.round);
      const seed = options.seed + rounds.length;
      const before = rounds.flatMap(({ cycles }) => cycles).length;
      rounds.push(await runRound({ faults, cluster, seed, before }, signal));
    }
    return summarize(rounds);
  } catch (error) {
    if (!signal.aborted) console.log(await cluster.logs());
    throw error;
  } finally {
    await cluster.remove();
  }
}

async function runRound(scene: Scene, signal: AbortSignal): Promise<Round> {
  const { cluster, seed } = scene;
  await cluster.healthy(signal);
  const database_url = await cluster.nextDatabase(signal);
  const services: ServiceProcess[] = [];
  const file = join(tmpdir(), `sluice-failover-ledger-${process.pid}-${seed}.jsonl`);
  let driver: Driver | undefined;
  let isValid = false;
  try {
    while (services.length < SERVICES)
      services.push(await startService({ ...onDatabase(database_url), LOG_LEVEL: 'warn' }));
    const urls = services.map((service) => service.origin);
    const [origin = ''] = urls;
    const { catalogue, keys } = await setUpCatalogue(origin);
    driver = await startDriver({ urls, file, seed, catalogue, keys });
    const cycles = await strike(scene, driver, signal);
    console.log('resending the commands that got no answer');
    const finished = await driver.finish();
    const verdict = await checkDrill({ file, database_url, origin, keys });
    console.log(`checked ${verdict.orders} orders: ${verdict.violations.length} violations`);
    isValid = verdict.violations.length === 0;
    return { cycles, finished, verdict };
  } finally {
    await driver?.stop();
    if (isValid || signal.aborted) await rm(file, { force: true });
    else if (driver) await keepTraces(file, services);
    await Promise.all(services.map((service) => service.stop()));
  }
}

/** Saves the ledger and the output of every service, including services that have exited. */
async function keepTraces(ledger: string, services: readonly ServiceProcess[]): Promise<void> {
  console.log(`the driver's ledger: ${ledger}`);
  for (const service of services) {
    const file = join(tmpdir(), `sluice-failover-service-${process.pid}-${service.port}.log`);
    await writeFile(file, service.output());
    console.log(`the output of the service on port ${service.port}: ${file}`);
  }
}

async function strike(scene: Scene, driver: Driver, signal: AbortSignal): Promise<Cycle[]> {
  const { cluster } = scene;
  const random = new Random(scene.seed);
  const watch = new Watch(driver);
  const cycles: Cycle[] = [];
  try {
    for (const fault of scene.faults) {
      const primary = await cluster.healthy(signal);
      await watch.successAfter(Date.now(), BACK_MS, signal);
      await sleep(random.between(1_000, 4_000), undefined, { signal });
      const before = watch.acknowledged;
      const struck = Date.now();
      await driver.note(`${fault} strikes ${primary.name}`);
      const repair = await CLUSTER_FAULTS[fault].strike({ cluster, primary, random, signal });
      await repair();
      await cluster.healthy(signal);
      if (watch.violations.length > 0) break;
      await watch.successAfter(Date.now(), BACK_MS, signal);
      const next = await cluster.healthy(signal);
      const cycle = { fault, outage_s: longestSilence(watch.successes, struck, Date.now()) / 1000 };
      cycles.push(cycle);
      const nodes = primary === next ? next.name : `${primary.name} → ${next.name}`;
      console.log(
        `${String(scene.before + cycles.length).padStart(4)}  ${fault.padEnd(11)} ${nodes.padEnd(15)} ` +
          `outage ${cycle.outage_s.toFixed(1).padStart(5)} s, ${watch.acknowledged - before} acknowledged`,
      );
      if (watch.violations.length > 0) break;
    }
    return cycles;
  } catch (error) {
    // Print the driver's violations first: they may be the cause, and the error about an unhealthy cluster must not hide
    // them.
    for (const violation of watch.violations) console.log(`VIOLATION: ${violation}`);
    throw watch.failure ?? error;
  } finally {
    await watch.stop();
  }
}

/** Returns true if there are no violations. */
function summarize(rounds: readonly Round[]): boolean {
  const cycles = rounds.flatMap((round) => round.cycles);
  const sum = (of: (round: Round) => number): number => rounds.reduce((total, round) => total + of(round), 0);
  console.log('\noutages in seconds:');
  sayTimes(cycles.map(({ fault, outage_s }) => [fault, outage_s]));
  console.log(
    `\n${cycles.length} faults; acknowledged: ${sum(({ finished }) => finished.acknowledged.order)} orders, ` +
      `${sum(({ finished }) => finished.acknowledged.report)} reports, ` +
      `${sum(({ finished: { acknowledged } }) => acknowledged.adjust + acknowledged.count)} stock changes; ` +
      `${sum(({ finished }) => finished.unknown)} attempts got no answer, ` +
      `${sum(({ finished }) => finished.settled)} of their commands were settled by resending them; ` +
      `${sum(({ verdict }) => verdict.orders)} orders are stored.`,
  );
  const violations = rounds.flatMap(({ verdict }) => verdict.violations);
  for (const violation of violations) console.log(`VIOLATION: ${violation}`);
  console.log(
    violations.length === 0
      ? 'No acknowledged command was lost, none is stored twice, every counter matches.'
      : `${violations.length} violations.`,
  );
  return violations.length === 0;
}

await runCommand(HELP, readOptions, async (options, signal) => {
  signal.addEventListener('abort', () => console.log('stopping; removing the cluster'));
  return (await drill(options, signal)) ? 0 : 1;
});
