// The messages between the supervisor and its workers over the IPC channel.
import type { ConnectionPlan } from '../database/connection-budget.ts';
import type { Question, WorkerMetric } from './other-workers.ts';

/** Where a worker listens. All workers listen on the same ports. */
export interface WorkerOrigins {
  readonly origin: string;
  readonly internal_origin: string | null;
}

/** What workers say and answer is opaque to the supervisor; only workers know its type. */
export type ToWorker<Said = unknown> =
  /** `url`: the database URL. */
  | ({ kind: 'start'; url: string } & ConnectionPlan)
  /** This worker now does the tasks that one process does for all workers. */
  | { kind: 'lead' }
  /** `linger_ms`: how long open connections are served. The worker accepts no new ones. */
  | { kind: 'stop'; drain_ms: number; linger_ms: number }
  | { kind: 'hurry' }
  | { kind: 'question'; id: number; question: Question<Said> }
  | { kind: 'answers'; id: number; answers: readonly Said[] };

export type FromWorker =
  | ({ kind: 'ready' } & WorkerOrigins)
  /** The worker cannot start; the message is for the operator. */
  | { kind: 'failed'; message: string }
  /** /readyz was requested. */
  | { kind: 'probed' }
  | { kind: 'question'; id: number; question: Question }
  | { kind: 'answer'; id: number; answer: unknown }
  /** The last message of a worker that stops. */
  | { kind: 'metrics'; metrics: readonly WorkerMetric[] };
