// What the operations of the back office get. Operations that need more say so: `BackOffice & { gate: Gate }`.
import type { FastifyBaseLogger } from 'fastify';
import type pg from 'pg';
import type { Config } from '../config/config.ts';
import type { HttpMetrics } from '../metrics/http.ts';
import type { Sealer } from '../secrets/keys.ts';
import type { OtherWorkers } from '../supervisor/other-workers.ts';
import type { FormatTimestamp } from '../values/timestamps.ts';
import type { AdminTurns } from './admin-turns.ts';
import type { WrongCredentials } from './wrong-credentials.ts';

export interface BackOffice {
  readonly config: Config;
  readonly pool: pg.Pool;
  readonly log: FastifyBaseLogger;
  readonly formatTimestamp: FormatTimestamp;
  readonly sealer: Sealer;
  readonly others: OtherWorkers;
  readonly metrics: Pick<HttpMetrics, 'signIn' | 'wrongCredential'>;
  readonly wrongCredentials: WrongCredentials;
  /** Limits for work that operators cause, with fair turns. */
  readonly turns: { readonly admin: AdminTurns };
}
