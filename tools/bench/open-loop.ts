// Open loop: requests are due on a schedule, independent of answers. Measures the latency at a given load, and the
// behaviour under overload.
import { Connection } from './http-client.ts';
import type { Job, LoadResult } from './job.ts';
import type { NextRequest } from './requests.ts';
import { Tally } from './tally.ts';

const TICK_MS = 1;
const DRAIN_MS = 30_000;

export async function runOpen(
  job: Job,
  { rate, connections }: { rate: number; connections: number },
  next: NextRequest,
): Promise<LoadResult> {
  const loop = new OpenLoop(job, rate, next);
  await loop.open(connections);
  return loop.run();
}

class OpenLoop {
  readonly #job: Job;
  readonly #interval_ms: number;
  readonly #next: NextRequest;
  readonly #tally: Tally;
  readonly #all: Connection[] = [];
  /** LIFO, so that at low load the same few connections are used, as in a client's pool. */
  readonly #free: Connection[] = [];
  #begun_ms = 0;
  /** Requests that became due, and requests that were sent. The difference waits for a connection. */
  #due = 0;
  #sent = 0;
  #answers = 0;
  #ended = false;
  #drained: () => void = () => {};

  constructor(job: Job, rate: number, next: NextRequest) {
    this.#job = job;
    this.#interval_ms = 1000 / rate;
    this.#next = next;
    this.#tally = new Tally(job);
  }

  async open(connections: number): Promise<void> {
    const events = {
      answered: (connection: Connection, status: number, bodyBytes: number) =>
        this.#answered(connection, status, bodyBytes),
      broken: (_connection: Connection, reason: string) => {
        this.#tally.fault(reason);
        this.#drained();
      },
    };
    for (let index = 0; index < connections; index++) {
      this.#all.push(new Connection(this.#job.port, index, events));
    }
    await Promise.all(this.#all.map((connection) => connection.connected()));
    this.#free.push(...this.#all);
  }

  async run(): Promise<LoadResult> {
    const drained = new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
    this.#begun_ms = performance.now();
    const clock = setInterval(() => this.#tick(), TICK_MS);
    const { warmup_s, seconds } = this.#job;
    const watchdog = setTimeout(
      () => {
        this.#tally.fault(`${this.#sent - this.#answers} requests without an answer`);
        this.#drained();
      },
      (warmup_s + seconds) * 1000 + DRAIN_MS,
    );
    await drained;
    clearInterval(clock);
    clearTimeout(watchdog);
    for (const connection of this.#all) connection.close();
    if (this.#tally.isOpen) this.#tally.end(performance.now());
    return this.#tally.result(this.#due - this.#sent);
  }

  #tick(): void {
    const now = performance.now();
    const { warmup_s, seconds } = this.#job;
    const elapsed = now - this.#begun_ms;
    if (elapsed >= (warmup_s + seconds) * 1000) return this.#end(now);
    if (!this.#tally.isOpen && elapsed >= warmup_s * 1000) this.#tally.start(now);
    this.#due = Math.floor(elapsed / this.#interval_ms) + 1;
    this.#sendDue();
  }

  #sendDue(): void {
    while (!this.#ended && this.#sent < this.#due) {
      const connection = this.#free.pop();
      if (!connection) return;
      const bytes = this.#next(connection.index);
      if (bytes === null) throw new RangeError('an open loop must not run out of requests');
      connection.due = this.#begun_ms + this.#sent * this.#interval_ms;
      this.#sent += 1;
      connection.send(bytes);
    }
  }

  #answered(connection: Connection, status: number, bodyBytes: number): void {
    const now = performance.now();
    this.#answers += 1;
    this.#tally.answer(status, bodyBytes, now - connection.due, now);
    this.#free.push(connection);
    if (this.#ended) this.#settle();
    else this.#sendDue();
  }

  /**
   * Requests that still wait are counted with their waiting time so far; otherwise a run that falls behind
   * would look fast.
   */
  #end(now: number): void {
    if (this.#ended) return;
    this.#ended = true;
    for (let index = this.#sent; index < this.#due; index++) {
      this.#tally.waited(now - (this.#begun_ms + index * this.#interval_ms));
    }
    this.#tally.end(now);
    this.#settle();
  }

  #settle(): void {
    if (this.#answers === this.#sent) this.#drained();
  }
}
