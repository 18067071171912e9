// `npm run fuzz:history`: concurrent clients of two service processes, or of one service with several workers.
// The recorded history must be linearizable.
import { amount, count, grouped, optionsOf, runCommand, say, seed } from '../kit/command-line.ts';
import { createDatabase } from '../kit/database.ts';
import { globalSetup, globalTeardown } from '../kit/global-setup.ts';
import { onDatabase, startService } from '../kit/process.ts';
import { openExpiry } from './history/expiry.ts';
import { holdRows } from './history/holder.ts';
import { findViolation } from './history/judge.ts';

const HELP = `npm run fuzz:history -- [options]

  --minutes M    duration (default 1)
  --clients C    concurrent clients (default 8)
  --workers N    one service with N workers instead of two services (default 1)
  --seed S       the same seed gives the same requests (default: random), but not the same timing
  --help

Service processes over one PostgreSQL, and a transaction that sometimes locks rows for a moment. The history of
orders, reports, expiries, lookups, lists and administrators' changes of every SKU must be linearizable.

Exit code 0: it is. 1: it is not; the smallest part that is not linearizable is printed. 2: a wrong option.`;

const PROGRESS_MS = 5_000;

async function play(
  { minutes, clients, workers, seed: chosen }: Options,
  signal: AbortSignal,
): Promise<string | null> {
  await globalSetup();
  const database = await createDatabase();
  const env = {
    ...onDatabase(database.url),
    LOG_LEVEL: 'error',
    // Orders expire when a client triggers it, not on a schedule.
    SLUICE_JOBS: '0',
    SLUICE_WORKERS: String(workers),
  };
  const expiry = await openExpiry(database);
  const services = [await startService(env)];
  if (workers === 1) services.push(await startService(env));
  try {
    const started = performance.now();
    const progress = { operations: 0, unanswered: 0, rounds: 0, undecided: 0 };
    const tell = (): void => {
      const { operations, unanswered, rounds, undecided } = progress;
      const rate = grouped(operations / ((performance.now() - started) / 1000));
      say(
        `${grouped(operations)} operations in ${grouped(rounds)} rounds, ${unanswered} unanswered, ${undecided} undecided, ${rate} a second`,
      );
    };
    const telling = setInterval(tell, PROGRESS_MS);
    const origins = services.map(({ origin }) => origin);
    const until = started + minutes * 60_000;
    const shouldContinue = (): boolean => performance.now() < until && !signal.aborted;
    let isOver = false;
    const holding = holdRows(database.url, chosen, () => !isOver);
    const violation = await findViolation(
      { origins, seed: chosen, clients, expiry },
      progress,
      shouldContinue,
    ).finally(() => {
      isOver = true;
      clearInterval(telling);
    });
    await holding;
    tell();
    return violation;
  } finally {
    await Promise.all(services.map((service) => service.stop()));
    await expiry.close();
    await database.drop();
    await globalTeardown();
  }
}

const readOptions = optionsOf({ minutes: amount(1), clients: count(8), workers: count(1), seed });
type Options = NonNullable<ReturnType<typeof readOptions>>;

await runCommand(HELP, readOptions, async (options, signal) => {
  say(`seed ${options.seed}, ${options.clients} clients`);
  const violation = await play(options, signal);
  if (violation !== null) console.log(`\n${violation}`);
  else say('linearizable');
  return violation === null ? 0 : 1;
});
