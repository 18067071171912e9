// What the supervisor and its workers tell each other over the IPC channel.
import type { ConnectionPlan } from '../store/connection-budget.ts';
import type { Question, WorkerMetric } from '../engine/other-workers.ts';

/** Where a worker listens; all of them listen on the same ports. */
export interface Place {
  readonly origin: string;
  readonly internal_origin: string | null;
}

/** `Answer`: unknown to the supervisor; the worker that asked gets what it asked for. */
export type ToWorker<Answer = unknown> =
  /** `url`: of the database. */
  | ({ kind: 'start'; url: string } & ConnectionPlan)
  /** This worker now does what is done once for all workers. */
  | { kind: 'lead' }
  /** `linger_ms`: no new connections; those that are open are served until they are closed, for as long. */
  | { kind: 'stop'; drain_ms: number; linger_ms: number }
  | { kind: 'hurry' }
  | { kind: 'question'; id: number; question: Question }
  | { kind: 'answers'; id: number; answers: readonly Answer[] };

export type FromWorker =
  | ({ kind: 'ready' } & Place)
  /** It cannot start; the message is for the operator. */
  | { kind: 'failed'; message: string }
  /** /readyz was requested. */
  | { kind: 'probed' }
  | { kind: 'question'; id: number; question: Question }
  | { kind: 'answer'; id: number; answer: unknown }
  /** The last thing that a worker tells when it stops. */
  | { kind: 'metrics'; metrics: readonly WorkerMetric[] };
