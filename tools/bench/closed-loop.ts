// Closed loop: N connections with one request in flight each, to measure throughput.
import { Connection } from './http-client.ts';
import type { Job, LoadResult } from './job.ts';
import type { NextRequest } from './requests.ts';
import { Tally } from './tally.ts';

/** Answers that are missing after this time count as lost. */
const DRAIN_MS = 30_000;
/**
 * A run that waits for `answers_min` stops after this multiple of its duration, even if there are fewer
 * answers.
 */
const PATIENCE = 20;

/** `before` runs before each request; its time is part of the measured operation. */
export async function runClosed(
  job: Job,
  connections: number,
  next: NextRequest,
  before: (() => Promise<void>) | null,
): Promise<LoadResult> {
  const loop = new ClosedLoop(job, next, before);
  await loop.open(connections);
  return loop.run();
}

class ClosedLoop {
  readonly #job: Job;
  readonly #next: NextRequest;
  readonly #before: (() => Promise<void>) | null;
  readonly #tally: Tally;
  readonly #all: Connection[] = [];
  #busy = 0;
  #stopping = false;
  #begun_ms = 0;
  #started_ms = 0;
  #drained: () => void = () => {};

  constructor(job: Job, next: NextRequest, before: (() => Promise<void>) | null) {
    this.#job = job;
    this.#next = next;
    this.#before = before;
    this.#tally = new Tally(job);
  }

  async open(connections: number): Promise<void> {
    const events = {
      answered: (connection: Connection, status: number, bodyBytes: number) =>
        this.#answered(connection, status, bodyBytes),
      broken: (_connection: Connection, reason: string) => this.#broken(reason),
    };
    for (let index = 0; index < connections; index++) {
      this.#all.push(new Connection(this.#job.port, index, events));
    }
    await Promise.all(this.#all.map((connection) => connection.connected()));
  }

  async run(): Promise<LoadResult> {
    const drained = new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
    const { warmup_s, seconds } = this.#job;
    const watchdog = setTimeout(
      () => {
        this.#tally.fault(`${this.#busy} requests without an answer`);
        this.#drained();
      },
      (warmup_s + seconds * PATIENCE) * 1000 + DRAIN_MS,
    );
    this.#begun_ms = performance.now();
    for (const connection of this.#all) {
      this.#busy += 1;
      this.#send(connection);
    }
    await drained;
    clearTimeout(watchdog);
    for (const connection of this.#all) connection.close();
    if (this.#tally.isOpen) this.#tally.end(performance.now());
    return this.#tally.result();
  }

  #send(connection: Connection): void {
    if (this.#stopping) return this.#rest();
    connection.due = performance.now();
    if (this.#before === null) return this.#write(connection);
    this.#before().then(
      () => this.#write(connection),
      (error: unknown) => {
        this.#tally.fault(`the change failed: ${String(error)}`);
        this.#rest();
      },
    );
  }

  #write(connection: Connection): void {
    const bytes = this.#next(connection.index);
    if (bytes !== null) return connection.send(bytes);
    // No requests left: the run ends early.
    this.#stop(performance.now());
    this.#rest();
  }

  #answered(connection: Connection, status: number, bodyBytes: number): void {
    const now = performance.now();
    this.#tally.answer(status, bodyBytes, now - connection.due, now);
    this.#advance(now);
    this.#send(connection);
  }

  /** The measurement starts and ends at an answer, so that slow operations are not counted in fractions. */
  #advance(now: number): void {
    const { warmup_s, seconds, answers_min } = this.#job;
    if (this.#stopping) return;
    if (this.#started_ms === 0) {
      if (now - this.#begun_ms < warmup_s * 1000) return;
      this.#started_ms = now;
      this.#tally.start(now, this.#partialBytes());
      return;
    }
    const enough = now - this.#started_ms >= seconds * 1000 && this.#tally.counted >= answers_min;
    const tooLong = now - this.#started_ms >= seconds * 1000 * PATIENCE;
    if (enough || tooLong || this.#tally.hasFault) this.#stop(now);
  }

  #stop(now: number): void {
    if (this.#stopping) return;
    this.#stopping = true;
    if (this.#tally.isOpen) this.#tally.end(now, this.#partialBytes());
    else this.#tally.fault('it ended before the measurement began');
    if (!this.#job.drain) this.#drained();
  }

  #partialBytes(): number {
    return this.#all.reduce((sum, connection) => sum + connection.partialBytes, 0);
  }

  #rest(): void {
    this.#busy -= 1;
    if (this.#busy === 0) this.#drained();
  }

  #broken(reason: string): void {
    this.#tally.fault(reason);
    this.#stop(performance.now());
    this.#rest();
  }
}
