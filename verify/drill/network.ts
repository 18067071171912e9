// `npm run drill:network`: connections to PostgreSQL break at chosen protocol messages under full load; the driver's
// ledger then proves that nothing acknowledged was lost.
import { setTimeout as sleep } from 'node:timers/promises';
import { startMigrated } from '../kit/cluster.ts';
import { count, optionsOf, runCommand, seed, yes } from '../kit/command-line.ts';
import { onDatabase, startService, type ServiceProcess } from '../kit/process.ts';
import { PROXY_FAULTS, startProxy, type ProxyFault, type Proxy, type Strike } from '../kit/proxy.ts';
import { Random } from '../kit/random.ts';
import { drillUnderLoad, sayTimes, waitForRecovery, type System } from './under-load.ts';
import { needsNewConnection, placeOf, strikeWith, strikeWords } from './strikes.ts';

const faults = Object.entries(PROXY_FAULTS)
  .map(([name, words]) => `  ${name.padEnd(8)} ${words}`)
  .join('\n');

const HELP = `npm run drill:network -- [options]

Starts two processes of the service over one PostgreSQL, with a proxy in between that parses the protocol, drives
them at full speed, breaks a connection at a chosen message, and compares the stored data with the driver's ledger.
Half of the faults are at COMMIT: before it reaches the server, before its answer reaches the service, or in the middle
of one of the two.

${faults}

  --rounds N          number of faults (default 50)
  --seed S            repeats the choices of an earlier run (default: random; printed)
  --connections N     concurrent requests (default 24)
  --check-every N     settle and check after this many rounds (default 50), and at the end
  --keep              keep the directory with the database and the ledger
  --help

Exit code 0: everything acknowledged is stored once, and every counter matches. 1: violations were found; they
name lines of the ledger, which is kept.`;

const readOptions = optionsOf({
  rounds: count(50),
  seed,
  connections: count(24),
  check_every: count(50),
  keep: yes,
});
type Options = NonNullable<ReturnType<typeof readOptions>>;

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

interface Network extends System {
  proxy: Proxy;
  services: readonly ServiceProcess[];
}

/** Returns false if no matching message was seen in time. */
async function meets(proxy: Proxy, strike: Strike): Promise<boolean> {
  const struck = proxy.strike(strike).then(() => true);
  if (needsNewConnection(strike)) proxy.drop(strike.connection ?? '');
  const met = await Promise.race([struck, sleep(MEET_MS, false, { ref: false })]);
  if (!met) proxy.disarm();
  return met;
}

/** A broken connection must never end a process. */
const endedAmong = (services: readonly ServiceProcess[]): string[] =>
  services
    .filter((service) => !service.isRunning())
    .map(({ child, origin }) => `the service at ${origin} ended (${child.signalCode ?? child.exitCode})`);

function drill(options: Options, signal: AbortSignal): Promise<number> {
  const random = new Random(options.seed);
  const next = random.rounds(Object.keys(PROXY_FAULTS) as ProxyFault[]);
  const survived: { strike: Strike; seconds: number }[] = [];
  let notMet = 0;
  return drillUnderLoad<Network>(options, signal, {
    count: options.rounds,
    async start(dataDir, cleanup) {
      const log = { info: () => {}, warn: (text: string) => console.log(text) };
      const server = await startMigrated({ dataDir, log, signal });
      cleanup(() => server.stop());
      const proxy = await startProxy(server.url);
      cleanup(() => proxy.close());
      const env = { ...TIMEOUTS, ...onDatabase(proxy.url), LOG_LEVEL: 'error' };
      const services: ServiceProcess[] = [];
      cleanup(() => Promise.all(services.map((service) => service.stop())));
      while (services.length < PROCESSES) services.push(await startService(env));
      return {
        origins: services.map(({ origin }) => origin),
        databaseUrl: () => server.url,
        output: () => services.map((service) => service.output()).join('\n'),
        proxy,
        services,
      };
    },
    async inject(running, round) {
      const { proxy, services } = running.system;
      const strike = strikeWith(next.next().value, random);
      await running.driver.note(`round ${round}: ${strikeWords(strike)}`);
      if (!(await meets(proxy, strike))) {
        notMet += 1;
        return false;
      }
      const began = performance.now();
      await waitForRecovery(running, `round ${round}`, RECOVERED_MIN, () => endedAmong(services));
      const seconds = (performance.now() - began) / 1000;
      survived.push({ strike, seconds });
      console.log(
        `round ${round}/${options.rounds}  recovered after ${seconds.toFixed(2).padStart(5)} s  ${strikeWords(strike)}`,
      );
      return true;
    },
    summarize() {
      console.log(
        `faults        ${survived.length}, and ${notMet} not injected because no matching message was seen in time`,
      );
      for (const keyOf of [({ fault }: Strike) => fault, placeOf])
        sayTimes(survived.map(({ strike, seconds }) => [keyOf(strike), seconds]));
    },
  });
}

await runCommand(HELP, readOptions, drill);
