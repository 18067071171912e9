// `npm run fuzz:history`: concurrent clients of two service processes, or of one service with several workers.
// The recorded history must be linearizable.
import { amount, count, grouped, optionsOf, runCommand, say, seed } from '../kit/command-line.ts';
import { createDatabase } from '../kit/database.ts';
import { onDatabase, startService } from '../kit/process.ts';
import { findViolation, HistoryTally } from './history/judge.ts';
import { onTestServer, reporting } from './program.ts';

const HELP = `npm run fuzz:history -- [options]

  --minutes M    duration (default 1)
  --clients C    concurrent clients (default 8)
  --workers N    one service with N workers instead of two services (default 1)
  --seed S       the same seed gives the same requests (default: random), but not the same timing
  --help

Service processes over one PostgreSQL, and a transaction that sometimes locks rows for a moment. The history of
orders, reports, expiries, lookups, lists and administrators' changes of every SKU must be linearizable.

Exit code 0: it is. 1: it is not; the smallest part that is not linearizable is printed. 2: a wrong option.`;

const readOptions = optionsOf({ minutes: amount(1), clients: count(8), workers: count(1), seed });
type Options = NonNullable<ReturnType<typeof readOptions>>;

async function play(
  { minutes, clients, workers, seed: chosen }: Options,
  signal: AbortSignal,
): Promise<string | null> {
  const database = await createDatabase();
  const env = {
    ...onDatabase(database.url),
    LOG_LEVEL: 'error',
    // Orders expire when a client triggers it, not on a schedule.
    SLUICE_JOBS: '0',
    SLUICE_WORKERS: String(workers),
  };
  const services = [await startService(env)];
  if (workers === 1) services.push(await startService(env));
  try {
    const origins = services.map(({ origin }) => origin);
    const until = performance.now() + minutes * 60_000;
    const shouldContinue = (): boolean => performance.now() < until && !signal.aborted;
    const progress = new HistoryTally();
    const tell = (seconds: number): void => {
      const { operations, unanswered, rounds, undecided } = progress;
      say(
        `${grouped(operations)} operations in ${grouped(rounds)} rounds, ${unanswered} unanswered, ${undecided} undecided, ${grouped(operations / seconds)} a second`,
      );
    };
    return await reporting(tell, () =>
      findViolation({ origins, database, seed: chosen, clients }, progress, shouldContinue),
    );
  } finally {
    await Promise.all(services.map((service) => service.stop()));
    await database.drop();
  }
}

await runCommand(HELP, readOptions, async (options, signal) => {
  say(`seed ${options.seed}, ${options.clients} clients`);
  const violation = await onTestServer(() => play(options, signal));
  if (violation !== null) console.log(`\n${violation}`);
  else say('linearizable');
  return violation === null ? 0 : 1;
});
