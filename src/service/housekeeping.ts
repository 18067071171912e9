// Housekeeping every minute: cached lists catch up with the journal, and the leading process deletes old rows.
import type { Services } from '../http/services.ts';
import type { Tx } from '../store/database.ts';
import { trimJournal } from '../store/journal.ts';
import { trimObservations } from '../store/observations.ts';
import { sweepSessions } from '../store/sessions.ts';
import { trimSignInFailures } from '../store/sign-in-failures.ts';

const HOUSEKEEPING_MS = 60_000;

/** Returns a function that stops the housekeeping. */
export function startHousekeeping(
  { pool, inventory, overview }: Services,
  isLeading: () => boolean,
): () => void {
  const timer = setInterval(() => {
    // A failed round is harmless; the next one reads more.
    inventory.keepUp().catch(() => {});
    if (!isLeading()) return;
    overview.countOvercommitted().catch(() => {});
    void tidyUp(pool);
  }, HOUSEKEEPING_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Sequential, on one connection: it is not urgent. */
async function tidyUp(pool: Tx): Promise<void> {
  await trimJournal(pool).catch(() => {});
  await trimObservations(pool).catch(() => {});
  await sweepSessions(pool).catch(() => {});
  await trimSignInFailures(pool).catch(() => {});
}
