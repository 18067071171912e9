// The other processes that serve the same port, and the messages of a worker to all of them. A single process has none.
import type { LastReconcile } from '../../core/reconcile/reconciler.ts';

/** A metric of one worker, as prom-client gives it. */
export interface WorkerMetric {
  readonly name: string;
  readonly help: string;
  /** `counter`, `gauge`, `histogram` or `summary`. */
  readonly type: unknown;
  /** How prom-client combines the values of several workers. */
  readonly aggregator: string;
  readonly values: readonly {
    readonly labels: Readonly<Partial<Record<string, string | number>>>;
    readonly metricName?: string;
    readonly value: number;
  }[];
}

/** What the overview shows of one worker. */
export interface WorkerFigures {
  readonly waiting: number;
  readonly capacity: number;
  readonly batches: number;
  readonly orders: number;
  readonly last_batch_size: number;
  readonly average_batch_ms: number;
  readonly retries: number;
  readonly reconcile: LastReconcile | null;
}

type CountsByAddress = readonly (readonly [address: string, count: number])[];

export type Question =
  /** A change of channels, keys or policies was committed: cached channels are stale. */
  | { about: 'channels_changed' }
  /** Write the collected observations. */
  | { about: 'observations' }
  /** `own`: metrics of the worker that asks. The answers include the counts of workers that have ended. */
  | { about: 'metrics'; own: readonly WorkerMetric[] }
  | { about: 'figures' }
  /** Wrong credentials by client address since the worker's last message. */
  | { about: 'wrong_credentials'; counts: CountsByAddress }
  /** The same for failed sign-ins at the OpenID provider. */
  | { about: 'failed_sign_ons'; counts: CountsByAddress }
  | { about: 'reconciled'; last: LastReconcile }
  | { about: 'overcommitted'; count: number };

interface Answers {
  channels_changed: null;
  observations: null;
  metrics: readonly WorkerMetric[];
  figures: WorkerFigures;
  wrong_credentials: null;
  failed_sign_ons: null;
  reconciled: null;
  overcommitted: null;
}

export interface OtherWorkers {
  /** Resolves when all other workers have answered. Workers that do not answer in time are left out. */
  ask<Q extends Question>(question: Q): Promise<readonly Answers[Q['about']][]>;
  /** /readyz was requested. */
  probed(): void;
}

export const NO_OTHERS: OtherWorkers = { ask: async () => [], probed: () => {} };
