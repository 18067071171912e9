// `npm run fuzz:http`: odd requests at a real service. Never an unspecified 5xx, never silence, never a changed counter.
import { Campaign, type Failure, type Tally } from './http/campaign.ts';
import { startDatabase } from './http/database.ts';
import { HELP, readOptions, UsageError, type Options } from './http/options.ts';
import { startTarget } from './http/target.ts';

async function main(args: readonly string[]): Promise<boolean> {
  const options = readOptions(args, Date.now());
  if (options === null) {
    console.log(HELP);
    return true;
  }
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => stopping.abort(new Error(signal)));
  const database = await startDatabase(stopping.signal);
  try {
    const target = await startTarget(database.url);
    try {
      return await shoot(target, options, stopping.signal);
    } finally {
      await target.stop();
    }
  } finally {
    await database.stop();
  }
}

async function shoot(
  target: Awaited<ReturnType<typeof startTarget>>,
  options: Options,
  signal: AbortSignal,
): Promise<boolean> {
  const { seed, requests, minutes, replay } = options;
  const started = Date.now();
  let deadline = started + minutes * 60_000;
  signal.addEventListener('abort', () => (deadline = 0));
  console.log(`seed ${seed}`);
  const campaign = await Campaign.create(target, {
    seed,
    requests,
    isOver: () => Date.now() >= deadline,
    onLot: (tally) => progress(tally, started),
    onFailure: (failure) => console.log(describe(failure)),
  });
  const tally = replay === null ? await campaign.run() : await campaign.replay(replay);
  console.log(summary(tally, started));
  return tally.failures.length === 0;
}

const PROGRESS_EVERY_MS = 10_000;
let progressAt = Date.now();

function progress(tally: Tally, started: number): void {
  if (Date.now() - progressAt < PROGRESS_EVERY_MS) return;
  progressAt = Date.now();
  console.log(summary(tally, started));
}

function summary({ requests, answers, megabytes, slowest_ms, failures }: Tally, started: number): string {
  const seconds = (Date.now() - started) / 1000;
  const statuses = [...answers].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  return (
    `${requests} requests in ${seconds.toFixed(0)} s (${(requests / seconds).toFixed(0)}/s); answers ${statuses.join(', ')}; ` +
    `slowest ${slowest_ms.toFixed(0)} ms; at most ${megabytes} MB; ${failures.length} failure${failures.length === 1 ? '' : 's'}`
  );
}

const describe = ({ kind, text, replay, reproduction }: Failure): string =>
  `\nFAILURE ${kind}\n${text}\nreplay: ${replay}\n${reproduction}\n`;

try {
  process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
} catch (error) {
  console.error(error instanceof UsageError ? error.message : error);
  process.exitCode = 1;
}
