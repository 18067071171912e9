// Reads, trials, exports and imports of operators wait for their turn, so that they leave connections and time for orders.
import { Turns } from '../queues/turns.ts';

/** Shorter than the timeouts of proxies and of the console. */
const WAIT_MS_MAX = 20_000;
/** Of all workers together. */
const EXPORTS_AT_ONCE = 2;
const FILES_WAITING_MAX = 16;
const READS_WAITING_MAX = 256;
/** Of the connections of the pool. The rest is for changes and for reads of channels. */
const READS_SHARE = 0.6;
const POOL_CONNECTIONS = 10;

export interface AdminTurns {
  readonly reads: Turns;
  readonly exports: Turns;
  readonly imports: Turns;
}

/** `retry_ms`: how long requests wait for an unavailable database. */
export function createAdminTurns(
  workers: number,
  retry_ms: number,
  poolConnections = POOL_CONNECTIONS,
): AdminTurns {
  const files_at_once = Math.max(1, Math.floor(EXPORTS_AT_ONCE / workers));
  const files = { at_once_max: files_at_once, waiting_max: FILES_WAITING_MAX, wait_ms_max: WAIT_MS_MAX };
  const reads_at_once = Math.max(2, Math.floor(READS_SHARE * poolConnections));
  return {
    reads: new Turns({
      at_once_max: reads_at_once,
      at_once_per_owner_max: Math.ceil(reads_at_once / 2),
      waiting_max: READS_WAITING_MAX,
      // During an outage the reads that have their turn wait for the database, and the others must outwait them.
      wait_ms_max: Math.max(WAIT_MS_MAX, retry_ms),
    }),
    exports: new Turns(files),
    imports: new Turns(files),
  };
}
