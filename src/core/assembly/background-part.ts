// What a part of the service does beside the requests.
import type { Tx } from '../../platform/database/database.ts';

export interface BackgroundPart {
  /** Starts what one process does for all workers. */
  readonly lead?: () => void;
  /** Called every minute in every process. A failure is harmless, because the next call repeats the work. */
  readonly keepUp?: () => Promise<unknown>;
  /** The same in the process that leads, one part after the other. */
  readonly everyMinute?: (tx: Tx) => Promise<unknown>;
  /** Writes what is kept in memory. */
  readonly flush?: () => Promise<void>;
  /** Called when the last request has ended. */
  readonly requestsEnded?: () => void;
  /** Called when, after the last request, the gate has nothing to do either. */
  readonly close?: () => Promise<void>;
}
