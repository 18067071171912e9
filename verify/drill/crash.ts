// `npm run drill:crash`: kill -9 at random moments under full load; the driver's ledger then proves that nothing
// acknowledged was lost.
import { setTimeout as sleep } from 'node:timers/promises';
import { copyCluster } from '../kit/cluster.ts';
import { runCommand } from '../kit/command-line.ts';
import { freePort } from '../kit/ports.ts';
import { HELP, readOptions, type Options } from './crash-options.ts';
import { Random } from '../kit/random.ts';
import { kindsFor, ServiceUnderDrill, type Kind } from './service.ts';
import { drillUnderLoad, sayTimes, waitForRecovery } from './under-load.ts';

/** A cycle counts as survived after this many successful commands. */
const RECOVERED_MIN = 50;

function drill(options: Options, signal: AbortSignal): Promise<number> {
  const random = new Random(options.seed);
  const next = random.rounds(kindsFor(options.workers));
  const recoveries: [kind: Kind, seconds: number][] = [];
  return drillUnderLoad<ServiceUnderDrill>(options, signal, {
    count: options.cycles,
    async start(dataDir, cleanup) {
      await copyCluster(dataDir);
      const service = new ServiceUnderDrill(dataDir, await freePort(), options.workers);
      cleanup(() => service.stop());
      await service.ready();
      return service;
    },
    async inject(running, cycle) {
      const { system: service, driver, violations } = running;
      const kind = next.next().value;
      await sleep(random.next() * options.seconds_per_cycle * 1000);
      await driver.note(`cycle ${cycle}: ${kind}`);
      for (const text of await service.strike(kind, random)) violations.add(text);
      const began = performance.now();
      await service.ready();
      const seconds = (performance.now() - began) / 1000;
      recoveries.push([kind, seconds]);
      const commands = await waitForRecovery(running, `cycle ${cycle}`, RECOVERED_MIN);
      console.log(
        `cycle ${cycle}/${options.cycles}  ${kind.padEnd(10)}  ready after ${seconds.toFixed(2)} s  ${commands} commands`,
      );
      return true;
    },
    summarize() {
      console.log(`cycles        ${recoveries.length}`);
      sayTimes(recoveries);
    },
  });
}

await runCommand(HELP, readOptions, drill);
