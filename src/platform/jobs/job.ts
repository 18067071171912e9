// The interface of jobs: a name, an interval, and a function.
import type pg from 'pg';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config/config.ts';
import type { FormatTimestamp } from '../values/timestamps.ts';
import type { Gate } from '../../core/gate/gate.ts';
import type { Reconciler } from '../../core/reconcile/reconciler.ts';
import type { Sealer } from '../secrets/keys.ts';

export interface JobMetrics {
  jobStarted(name: string): void;
  /** `stopped`: the run ended with an error after it was aborted. */
  jobEnded(name: string, outcome: 'done' | 'failed' | 'stopped'): void;
  /** A run that takes long has made progress. */
  jobProgressed(name: string): void;
  /** Deliveries of all endpoints that wait in this process. */
  webhooksWaiting(count: number): void;
}

/** The services that jobs may use. */
export interface JobServices {
  readonly config: Config;
  /** Connections of the job runner. */
  readonly pool: pg.Pool;
  readonly gate: Gate;
  readonly reconciler: Reconciler;
  readonly sealer: Sealer;
  readonly metrics: JobMetrics;
  readonly log: FastifyBaseLogger;
  readonly formatTimestamp: FormatTimestamp;
}

export interface Job {
  /** The name of the job's queue, which must never change. */
  readonly name: string;
  /** Pause between the end of a run and the start of the next one. */
  readonly every_s: number;
  /** Whether this process can do the job; if not, it leaves every run to other processes. */
  isPossible?(config: Config): boolean;
  /**
   * Over all processes, one run at a time. If its process dies, the run is repeated elsewhere after about 20 s, so it
   * must be safe to repeat. Must return soon after `signal` is aborted: the service stops, or another process has
   * taken over.
   */
  run(services: JobServices, signal: AbortSignal): Promise<void>;
}
