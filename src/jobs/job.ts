// What a job is: a name, how often it runs, and what it does.
import type pg from 'pg';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config.ts';
import type { FormatTimestamp } from '../domain/timestamps.ts';
import type { Gate } from '../engine/gate.ts';
import type { Reconciler } from '../engine/reconcile.ts';
import type { Sealer } from '../keys.ts';

export interface JobMetrics {
  jobStarted(name: string): void;
  /** `stopped`: the run was told to end, and did so with an error. */
  jobEnded(name: string, outcome: 'done' | 'failed' | 'stopped'): void;
  /** A run that takes long has made progress. */
  jobProgressed(name: string): void;
  /** Deliveries that wait in this process, of all endpoints. */
  webhooksWaiting(count: number): void;
}

/** What a job may use. */
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
  /** The name of its queue; it stays the same for ever. */
  readonly name: string;
  /** Pause between the end of a run and the start of the next one. */
  readonly every_s: number;
  /**
   * One run at a time in all processes together; a run whose process has died starts over elsewhere after about 20 s, so it
   * must be safe to repeat. Returns soon after `signal` is aborted: the service stops, or another process has taken over.
   */
  run(services: JobServices, signal: AbortSignal): Promise<void>;
}
