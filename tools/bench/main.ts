// `npm run bench`: compares Sluice with the limits of the machine and with the usual implementation, in one run.
import { writeFile } from 'node:fs/promises';
import { runCommand } from '../../verify/kit/command-line.ts';
import { say, startBench } from './bench.ts';
import { Cleanup } from './cleanup.ts';
import { peakMegabytesOf } from './cpu.ts';
import { checkCounters } from './final-checks.ts';
import { measureGrown } from './grown.ts';
import { HELP, readOptions, type Options } from './options.ts';
import { asJson, asText, type Report } from './report.ts';
import { measureRounds } from './rounds.ts';
import { measureSoak } from './soak.ts';
import { figuresOf, outcomeOf } from './summary.ts';
import { runsOf, TARGETS, type RunName, type Target } from './targets.ts';
import { measureTenChannels } from './ten-channels.ts';

async function measure(options: Options, cleanup: Cleanup, signal: AbortSignal): Promise<Report> {
  const targets = TARGETS.filter((target) => isWanted(target, options));
  const bench = await startBench(options, cleanup, signal);
  const unsupported = new Map<RunName, string>();
  const singles = new Map<string, number>();
  const note = (name: string, value: number | null) => void (value !== null && singles.set(name, value));
  const wants = (name: string) => targets.some((target) => target.name === name);

  if (options.soak) note('soak_last_vs_first', await measureSoak(bench));
  const rounds = await measureRounds(bench, targets, unsupported);
  note('service_rss_mb', peakMegabytesOf(bench.service.pid));
  await checkCounters(bench);
  if (wants('service_rss_ten_channels_mb'))
    note('service_rss_ten_channels_mb', await measureTenChannels(bench));
  if (wants('intake_grown_vs_empty')) rounds.push(...(await measureGrown(bench)));
  if (bench.faults.length > 0) say(`the service printed:\n${bench.service.output()}`);
  return {
    outcomes: targets.flatMap((target) => outcomeOf(target, rounds, singles) ?? []),
    unsupported: reasons(targets, unsupported),
    figures: figuresOf(rounds),
    faults: bench.faults,
    postgres: bench.database.version,
  };
}

function isWanted({ name, part }: Target, { only, quick, soak, workers }: Options): boolean {
  if (soak) return part === 'soak' || name === 'service_rss_mb';
  if (part === 'soak' || (part === 'workers' && workers === 1)) return false;
  return only === null ? part !== 'full' || !quick : only.includes(name);
}

function reasons(
  targets: readonly Target[],
  unsupported: ReadonlyMap<RunName, string>,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const target of targets) {
    for (const run of runsOf(target)) {
      const reason = unsupported.get(run);
      if (reason !== undefined) found.set(target.name, reason);
    }
  }
  return found;
}

/** Returns the exit code after everything was stopped. */
async function runBench(options: Options, signal: AbortSignal): Promise<number> {
  const cleanup = new Cleanup();
  try {
    const report = await measure(options, cleanup, signal);
    console.log(asText(report));
    if (options.json !== null) await writeFile(options.json, `${JSON.stringify(asJson(report), null, 2)}\n`);
    const missed = report.unsupported.size > 0 || report.outcomes.some(({ met }) => !met);
    return report.faults.length > 0 || (options.strict && missed) ? 1 : 0;
  } finally {
    say('stopping everything');
    await cleanup.run();
  }
}

await runCommand(HELP, readOptions, runBench);
