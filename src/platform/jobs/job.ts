// The interface of jobs: a name, an interval, and a function.
import type pg from 'pg';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config/config.ts';

export interface JobMetrics {
  jobStarted(name: string): void;
  /** `stopped`: the run ended with an error after it was aborted. */
  jobEnded(name: string, outcome: 'done' | 'failed' | 'stopped'): void;
  /** A run that takes long has made progress. */
  jobProgressed(name: string): void;
}

/** What the runner needs. Its jobs may get more. */
export interface RunnerServices {
  readonly config: Config;
  /** Connections of the job runner. */
  readonly pool: pg.Pool;
  readonly metrics: JobMetrics;
  readonly log: FastifyBaseLogger;
}

export interface Job<Services extends RunnerServices> {
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
  run(services: Services, signal: AbortSignal): Promise<void>;
}
