// The work beside the requests: what one process does for all workers, and what requests leave to be written later.
import type { BackgroundPart } from '../core/assembly/background-part.ts';
import type { Tx } from '../platform/database/database.ts';
import type { JobRunner } from '../platform/jobs/runner.ts';
import type { Services } from './services.ts';

const HOUSEKEEPING_MS = 60_000;
/** How long a stop waits for jobs, including the time that they have to notice it. */
const JOBS_MS_MAX = 17_000;
/** How long a stop waits until everything that is kept in memory is written. */
const FLUSH_MS_MAX = 5_000;

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
  /** Everything that waits for the database fails at once. */
  readonly cutOff: (those: 'jobs' | 'all') => void;
}

export function startBackground(
  { config, pool, drain, gate }: Services,
  parts: readonly BackgroundPart[],
  jobs: Pick<JobRunner, 'start' | 'stop'>,
  { cutOff }: Connected,
): Background {
  let isLeading = false;
  const endHousekeeping = startHousekeeping(pool, parts, () => isLeading);
  const close = async (): Promise<void> => {
    await gate.idle();
    await Promise.all(parts.flatMap((part) => part.close?.() ?? []));
  };
  return {
    lead() {
      if (isLeading || drain.isOn) return;
      isLeading = true;
      for (const part of parts) part.lead?.();
      if (config.jobs) jobs.start();
    },
    async stopBackground(requestsEnd) {
      endHousekeeping();
      const jobsEnd = within(JOBS_MS_MAX, jobs.stop(), () => cutOff('jobs'));
      await requestsEnd;
      await jobsEnd;
      for (const part of parts) part.requestsEnded?.();
      await within(FLUSH_MS_MAX, close(), () => cutOff('all'));
    },
  };
}

/** Returns a function that stops the housekeeping. */
function startHousekeeping(pool: Tx, parts: readonly BackgroundPart[], isLeading: () => boolean): () => void {
  const timer = setInterval(() => {
    for (const part of parts) part.keepUp?.().catch(() => {});
    if (isLeading()) void tidyUp(pool, parts);
  }, HOUSEKEEPING_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Sequential, on one connection: it is not urgent. */
async function tidyUp(pool: Tx, parts: readonly BackgroundPart[]): Promise<void> {
  for (const part of parts) await part.everyMinute?.(pool).catch(() => {});
}
