// Runs jobs over PostgreSQL with pg-boss: one queue for each job, shared by all processes.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Job as Entry, PgBoss, WorkOptions } from 'pg-boss';
import { jobDatabase, jobError, JOBS_SCHEMA } from '../database/job-database.ts';
import { failureOf } from '../database/failures.ts';
import { inTransaction } from '../database/transactions.ts';
import type { Job, RunnerServices } from './job.ts';

/** Connections of a process for its jobs and their queues. */
export const JOB_CONNECTIONS_MAX = 4;

/** A run without a heartbeat for this long belongs to a dead process. pg-boss allows no less. */
const HEARTBEAT_S = 10;
/** Interval of the check for dead runs. */
const SUPERVISE_S = 10;
const MAINTENANCE_S = 300;
/** Interval for dependencies between jobs, which the service does not use. */
const UNUSED_S = 3_600;
const RUN_S_MAX = 3_600;
const COMPLETED_KEPT_S = 300;
/** Practically unlimited: a run is repeated until the next run is stored. */
const RETRY_LIMIT = 1_000_000;
const RETRY_PAUSE_S = 1;
const POLL_S_MIN = 1;
const POLL_S_MAX = 15;
/** How long a stop waits for aborted runs. */
const STOP_MS_MAX = 12_000;
const START_PAUSE_MS = 2_000;

const pollSeconds = ({ every_s }: { every_s: number }): number =>
  Math.min(POLL_S_MAX, Math.max(POLL_S_MIN, every_s / 2));

export class JobRunner<Services extends RunnerServices = RunnerServices> {
  readonly #jobs: readonly Job<Services>[];
  readonly #services: Services;
  readonly #stopping = new AbortController();
  #boss: PgBoss | null = null;
  #starting: Promise<void> = Promise.resolve();
  /** The last failure that was logged; an outage is logged once. */
  #isAway = false;
  readonly #supervise_s: number;

  constructor(jobs: readonly Job<Services>[], services: Services, supervise_s = SUPERVISE_S) {
    this.#jobs = jobs;
    this.#services = services;
    this.#supervise_s = supervise_s;
  }

  get #possible(): readonly Job<Services>[] {
    return this.#jobs.filter((job) => job.isPossible?.(this.#services.config) !== false);
  }

  /** Returns immediately. The queues are opened in the background, with retries during a database outage. */
  start(): void {
    if (this.#jobs.length > 0) this.#starting = this.#open();
  }

  /** Runs a job now, in this process and outside of its queue: for tests. */
  async runNow(name: string): Promise<void> {
    const job = this.#jobs.find((one) => one.name === name);
    if (!job) throw new RangeError(`there is no job ${name}`);
    await job.run(this.#services, this.#stopping.signal);
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the service stops'));
    await this.#starting;
    const boss = this.#boss;
    if (!boss) return;
    const done = Promise.all(this.#possible.map(({ name }) => boss.offWork(name, { wait: true }))).catch(
      () => {},
    );
    const waiting = new AbortController();
    await Promise.race([done, sleep(STOP_MS_MAX, undefined, { signal: waiting.signal }).catch(() => {})]);
    waiting.abort();
    // Marks unfinished runs as failed, so that another process takes them over immediately. Without the database it
    // cannot, and they are taken over when their heartbeat is missed.
    await boss
      .stop({ graceful: false })
      .catch((error: unknown) => this.#failed(error, 'jobs were not handed over'));
  }

  async #open(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        this.#boss = await this.#openQueues();
        return;
      } catch (error) {
        this.#failed(error, 'the job runner could not be started');
        await sleep(START_PAUSE_MS, undefined, { signal }).catch(() => {});
      }
    }
  }

  async #openQueues(): Promise<PgBoss> {
    // Loaded after the start of the service, which does not wait for it.
    const { PgBoss: Boss } = await import('pg-boss');
    const boss = new Boss({
      db: jobDatabase(this.#services.pool),
      schema: JOBS_SCHEMA,
      migrate: false,
      createSchema: false,
      schedule: false,
      reindex: false,
      monitorVacuum: false,
      superviseIntervalSeconds: this.#supervise_s,
      monitorIntervalSeconds: this.#supervise_s,
      maintenanceIntervalSeconds: MAINTENANCE_S,
      flowIntervalSeconds: UNUSED_S,
    });
    boss.on('error', (error) => this.#failed(error, 'the job runner failed'));
    boss.on('warning', ({ message }) =>
      this.#services.log.warn({ warning: message }, 'the job runner warns'),
    );
    try {
      await boss.start();
      for (const job of this.#possible) await this.#openQueue(boss, job);
      return boss;
    } catch (error) {
      await boss.stop({ graceful: false }).catch(() => {});
      throw error;
    }
  }

  async #openQueue(boss: PgBoss, job: Job<Services>): Promise<void> {
    const { name } = job;
    // Exclusive: at most one entry is waiting or running.
    await boss.createQueue(name, {
      policy: 'exclusive',
      expireInSeconds: RUN_S_MAX,
      heartbeatSeconds: HEARTBEAT_S,
      deleteAfterSeconds: COMPLETED_KEPT_S,
      retryLimit: RETRY_LIMIT,
      retryDelay: RETRY_PAUSE_S,
    });
    await boss.send(name);
    const options: WorkOptions = { pollingIntervalSeconds: pollSeconds(job), batchSize: 1 };
    await boss.work(name, options, async ([entry]) => {
      if (!entry) return;
      await this.#run(job, AbortSignal.any([entry.signal, this.#stopping.signal]));
      await this.#scheduleNext(boss, job, entry);
    });
  }

  async #run(job: Job<Services>, signal: AbortSignal): Promise<void> {
    const { metrics } = this.#services;
    metrics.jobStarted(job.name);
    try {
      await job.run(this.#services, signal);
      this.#isAway = false;
      metrics.jobEnded(job.name, 'done');
    } catch (error) {
      metrics.jobEnded(job.name, signal.aborted ? 'stopped' : 'failed');
      if (!signal.aborted) this.#failed(error, 'a job failed', job.name);
    }
  }

  /**
   * In one transaction with the end of this run, so that a crash leaves either this run or the next one. If another
   * process has taken over the entry, nothing changes: the entry is that process's run now.
   */
  #scheduleNext(boss: PgBoss, { name, every_s }: Job<Services>, entry: Entry<unknown>): Promise<void> {
    return inTransaction(this.#services.pool, async (tx) => {
      const db = jobDatabase(tx);
      await boss.complete(name, entry, null, { db });
      await boss.send(name, null, { startAfter: every_s, db });
    });
  }

  #failed(thrown: unknown, message: string, job?: string): void {
    const error = jobError(thrown);
    const isAway = failureOf(error) !== 'unexpected';
    if (isAway && this.#isAway) return;
    this.#isAway = isAway;
    this.#services.log[isAway ? 'warn' : 'error']({ err: error, job }, message);
  }
}
