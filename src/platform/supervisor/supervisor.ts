// Starts the workers, replaces workers that die, restarts them one by one, and stops them all. The workers share the
// port through node:cluster: this process accepts connections and distributes them round robin.
import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { ConnectionPlan } from '../database/connection-budget.ts';
import { Drain } from '../http/drain.ts';
import { HandedOver } from './handed-over.ts';
import type { FromWorker, WorkerOrigins, ToWorker } from './messages.ts';
import { Questions } from './questions.ts';
import { STOP_TIMEOUT_MS, WorkerStartError } from './worker.ts';

const REPLACE_PAUSE_MIN_MS = 100;
const REPLACE_PAUSE_MAX_MS = 5_000;
/** If a worker dies after this time, its start was not the cause, and it is replaced without a growing pause. */
const HEALTHY_AFTER_MS = 30_000;
/** Time added to the worker's own stop timeout before it is killed. */
const KILL_GRACE_MS = 5_000;
/** A worker that is not ready after this time is killed. */
const START_MS_MAX = 120_000;

interface Member {
  readonly worker: Worker;
  readonly started_ms: number;
  readonly ready: Promise<WorkerOrigins>;
  /** Resolves with the exit code; null: killed by a signal. */
  readonly exited: Promise<number | null>;
  isReady: boolean;
  isStopping: boolean;
  isLead: boolean;
}

export class Supervisor {
  readonly #config: Config;
  readonly #database: { url: string } & ConnectionPlan;
  readonly #logger: Logger;
  readonly #members = new Set<Member>();
  readonly #drain = new Drain();
  readonly #handedOver = new HandedOver();
  readonly #questions: Questions;
  readonly #start_ms_max: number;
  #isStarted = false;
  #isStopping = false;
  #pause_ms = 0;
  #restarting: Promise<void> | null = null;

  constructor(
    config: Config,
    database: { url: string } & ConnectionPlan,
    logger: Logger,
    { worker_file, start_ms_max = START_MS_MAX }: { worker_file: string; start_ms_max?: number },
  ) {
    this.#start_ms_max = start_ms_max;
    this.#config = config;
    this.#database = database;
    this.#logger = logger;
    this.#questions = new Questions(
      (asker) =>
        [...this.#members].filter((one) => one.isReady && one.worker !== asker).map(({ worker }) => worker),
      tell,
    );
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({ exec: worker_file, args: [], serialization: 'advanced' });
  }

  /** Resolves when all workers serve; rejects if one of them cannot start. */
  async start(): Promise<WorkerOrigins> {
    const [first, ...rest] = Array.from({ length: this.#database.workers }, () => this.#hire().ready);
    if (!first) throw new RangeError('a supervisor needs workers');
    const origins = await first;
    await Promise.all(rest);
    this.#isStarted = true;
    this.#logger.info({ workers: [...this.#members].map(pidOf) }, 'the workers are ready');
    return origins;
  }

  /** How long the workers keep serving after SIGTERM. */
  get drainMs(): number {
    return this.#config.drain_ms ?? this.#drain.usualMs;
  }

  /** Replaces all workers, one after the other: a new one serves before an old one stops. */
  async restart(): Promise<void> {
    if (this.#restarting || this.#isStopping || !this.#isStarted) {
      this.#logger.warn(
        'a restart of the workers was ignored: the service is starting, restarting or stopping',
      );
      return;
    }
    this.#restarting = this.#restartEach().finally(() => {
      this.#restarting = null;
    });
    await this.#restarting;
  }

  /** False: a worker had to be killed, or ended without answering all its requests. */
  async stop({ drain_ms, hurry }: { drain_ms: number; hurry: AbortSignal }): Promise<boolean> {
    this.#isStopping = true;
    const members = [...this.#members];
    const hasten = () => {
      for (const { worker } of members) tell(worker, { kind: 'hurry' });
    };
    if (hurry.aborted) hasten();
    hurry.addEventListener('abort', hasten);
    const codes = await Promise.all(members.map((one) => this.#retire(one, { drain_ms, linger_ms: 0 })));
    await this.#restarting;
    return codes.every((code) => code === 0);
  }

  async #restartEach(): Promise<void> {
    const old = [...this.#members].filter((one) => !one.isStopping);
    this.#logger.info({ workers: old.length }, 'restarting the workers one by one');
    for (const member of old) {
      // The service may have begun to stop meanwhile. A worker that is started now would never be stopped.
      if (this.#isStopping) return;
      const fresh = this.#hire();
      try {
        await fresh.ready;
      } catch {
        this.#logger.error('a new worker could not start: the remaining workers are not restarted');
        return;
      }
      if (this.#isStopping) return;
      // Open connections are closed with their next response, or after the usual idle timeout.
      await this.#retire(member, { drain_ms: 0, linger_ms: this.#config.timeouts.idle_connection_ms });
    }
    this.#logger.info({ workers: [...this.#members].map(pidOf) }, 'all workers were restarted');
  }

  #hire(): Member {
    const worker = cluster.fork();
    this.#handedOver.watch(worker);
    const ready = Promise.withResolvers<WorkerOrigins>();
    const exited = Promise.withResolvers<number | null>();
    // Avoids an unhandled rejection: a failed start is also reported by the exit.
    ready.promise.catch(() => {});
    const member: Member = {
      worker,
      started_ms: performance.now(),
      ready: ready.promise,
      exited: exited.promise,
      isReady: false,
      isStopping: false,
      isLead: false,
    };
    this.#members.add(member);
    const late = setTimeout(
      () => this.#kill(member, 'a worker is not ready long after its start; it is killed'),
      this.#start_ms_max,
    );
    const ended = (code: number | null, how: string): void => {
      clearTimeout(late);
      ready.reject(new WorkerStartError(`A worker ended before it was ready (${how}).`));
      exited.resolve(code);
      this.#handedOver.ended(worker, { isDead: code !== 0 });
      this.#ended(member, how);
    };
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'failed') ready.reject(new WorkerStartError(message.message));
      if (message.kind === 'ready') {
        member.isReady = true;
        clearTimeout(late);
        ready.resolve({ origin: message.origin, internal_origin: message.internal_origin });
        this.#appoint();
      }
      if (message.kind === 'probed') this.#drain.asked();
      if (message.kind === 'metrics') this.#questions.retired.saw(worker, message.metrics);
      if (message.kind === 'question') this.#questions.ask(worker, message.id, message.question);
      if (message.kind === 'answer') this.#questions.answered(worker, message.id, message.answer);
    });
    worker.once('exit', (code: number | null, signal: string | null) =>
      ended(code, signal ?? `exit code ${code}`),
    );
    worker.on('error', (error) => {
      // Without a pid the worker could not be started. Other errors come from messages to a worker that was ending.
      if (worker.process.pid === undefined) ended(1, error.message);
    });
    tell(worker, { kind: 'start', ...this.#database });
    return member;
  }

  #ended(member: Member, how: string): void {
    if (!this.#members.delete(member)) return;
    this.#questions.gone(member.worker);
    this.#appoint();
    if (member.isStopping || this.#isStopping || !this.#isStarted) return;
    this.#logger.error({ worker: pidOf(member), how }, 'a worker ended unexpectedly; it is replaced');
    const lived_ms = performance.now() - member.started_ms;
    const before_ms = lived_ms > HEALTHY_AFTER_MS ? 0 : this.#pause_ms;
    this.#pause_ms = Math.min(Math.max(before_ms * 2, REPLACE_PAUSE_MIN_MS), REPLACE_PAUSE_MAX_MS);
    setTimeout(() => this.#fill(), this.#pause_ms);
  }

  #fill(): void {
    const serving = [...this.#members].filter((one) => !one.isStopping);
    if (this.#isStopping || serving.length >= this.#database.workers) return;
    const fresh = this.#hire();
    fresh.ready.then(
      () => this.#logger.info({ worker: pidOf(fresh) }, 'a worker was replaced'),
      (error: unknown) => this.#logger.error({ err: error }, 'a worker could not be replaced yet'),
    );
  }

  /** Appoints one worker for the tasks that one process does for all workers. */
  #appoint(): void {
    const able = [...this.#members].filter((one) => one.isReady && !one.isStopping);
    const [first] = able;
    if (!first || able.some(({ isLead }) => isLead)) return;
    first.isLead = true;
    tell(first.worker, { kind: 'lead' });
  }

  async #retire(member: Member, times: { drain_ms: number; linger_ms: number }): Promise<number | null> {
    member.isStopping = true;
    this.#appoint();
    tell(member.worker, { kind: 'stop', ...times });
    const most_ms = times.drain_ms + times.linger_ms + STOP_TIMEOUT_MS + KILL_GRACE_MS;
    const kill = setTimeout(() => this.#kill(member, 'a worker did not stop in time; it is killed'), most_ms);
    const code = await member.exited;
    clearTimeout(kill);
    return code;
  }

  #kill(member: Member, why: string): void {
    this.#logger.error({ worker: pidOf(member) }, why);
    member.worker.process.kill('SIGKILL');
  }
}

const pidOf = ({ worker }: Member): number | undefined => worker.process.pid;

/** Messages to a worker that is ending are dropped; its exit is noticed separately. */
function tell(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => {});
}
