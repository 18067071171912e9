// The work beside the requests: what one process does for all workers, and what requests leave to be written later.
import type { FastifyBaseLogger } from 'fastify';
import { KeyUses } from '../core/directory/key-uses.ts';
import { OrderIndexer } from '../core/orders/search-indexer.ts';
import type { OtherWorkers, WorkerAnswers } from '../platform/supervisor/other-workers.ts';
import type { FeatureService } from '../core/assembly/feature.ts';
import { createReconciler } from '../core/reconcile/service.ts';
import type { Services } from './services.ts';
import type { JobRunner } from '../platform/jobs/runner.ts';
import type { Tx } from '../platform/database/database.ts';
import { trimJournal } from '../core/journal/store.ts';
import type { Patience } from '../platform/database/patience.ts';
import { sweepSessions } from '../platform/accounts/sessions-store.ts';
import { trimSignInFailures } from '../platform/accounts/sign-in-failures-store.ts';

const HOUSEKEEPING_MS = 60_000;
/** How long a stop waits for jobs, including the time that they have to notice it. */
const JOBS_MS_MAX = 17_000;
/** How long a stop waits until everything that is kept in memory is written. */
const FLUSH_MS_MAX = 5_000;

type BackgroundWork = Pick<Services, 'keyUses' | 'orderIndexer' | 'reconciler'>;

interface BackgroundContext extends Pick<Services, 'pool' | 'directory' | 'metrics'> {
  logger: FastifyBaseLogger;
  others: OtherWorkers;
  answers: WorkerAnswers;
}

export function createBackground(context: BackgroundContext): BackgroundWork {
  const { pool, directory, metrics, logger, others, answers } = context;
  return {
    reconciler: createReconciler({ pool, log: logger, metrics, others, answers }),
    keyUses: new KeyUses(pool, directory, (error) =>
      logger.error({ err: error }, 'the last use of keys was not recorded'),
    ),
    orderIndexer: new OrderIndexer(
      pool,
      () => metrics.requestsAnswered(),
      (error) => logger.error({ err: error }, 'the search index of orders was not updated'),
    ),
  };
}

interface Background {
  /** Starts the tasks that one process does for all workers: jobs, schedules, housekeeping. */
  readonly lead: () => void;
  /** Stops jobs immediately, so that another process takes them over, and everything else when `requestsEnd`. */
  readonly stopBackground: (requestsEnd: Promise<void>) => Promise<void>;
}

/** Calls `cutOff` if the work is not done in time. */
export async function within<T>(ms: number, work: Promise<T>, cutOff: () => void): Promise<T> {
  const timer = setTimeout(cutOff, ms);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

interface Connected {
  readonly patience: Patience;
  /** Everything that waits for the database fails at once. */
  readonly cutOff: (those: 'jobs' | 'all') => void;
}

export function startBackground(
  services: Services,
  features: readonly FeatureService[],
  jobs: Pick<JobRunner, 'start' | 'stop'>,
  { patience, cutOff }: Connected,
): Background {
  const { config, drain, gate, orderIndexer, reconciler } = services;
  let isLeading = false;
  const endHousekeeping = startHousekeeping(services, features, () => isLeading);
  const flush = async (): Promise<void> => {
    await gate.idle();
    await Promise.all([
      ...features.flatMap((feature) => feature.close?.() ?? []),
      services.keyUses.close(),
      reconciler.close(),
      orderIndexer.close(),
      services.traces?.close(),
    ]);
  };
  return {
    lead() {
      if (isLeading || drain.isOn) return;
      isLeading = true;
      orderIndexer.start();
      reconciler.start();
      if (config.jobs) jobs.start();
    },
    async stopBackground(requestsEnd) {
      endHousekeeping();
      const jobsEnd = within(JOBS_MS_MAX, jobs.stop(), () => cutOff('jobs'));
      await requestsEnd;
      await jobsEnd;
      patience.close();
      services.health.close();
      services.wrongCredentials.flush();
      services.foreignAddresses.flush();
      await within(FLUSH_MS_MAX, flush(), () => cutOff('all'));
    },
  };
}

/**
 * Every minute cached lists catch up with the journal, and the leading process deletes old rows. Returns a function that
 * stops the housekeeping.
 */
function startHousekeeping(
  { pool, inventory, health }: Services,
  features: readonly FeatureService[],
  isLeading: () => boolean,
): () => void {
  const timer = setInterval(() => {
    // A failed round is harmless; the next one reads more.
    inventory.keepUp().catch(() => {});
    // Without a poll of /readyz or /metrics nothing else compares the clocks.
    health.check().catch(() => {});
    if (!isLeading()) return;
    void tidyUp(pool, features);
  }, HOUSEKEEPING_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Sequential, on one connection: it is not urgent. */
async function tidyUp(pool: Tx, features: readonly FeatureService[]): Promise<void> {
  await trimJournal(pool).catch(() => {});
  await sweepSessions(pool).catch(() => {});
  await trimSignInFailures(pool).catch(() => {});
  for (const { everyMinute } of features) await everyMinute?.(pool).catch(() => {});
}
