// Counts the answers of a run between the warm-up and the end of the measurement.
import { cpuSecondsOfTree, stolenSeconds } from './cpu.ts';
import type { CpuSeconds, Job, LoadResult } from './job.ts';
import { Latencies } from './latency.ts';

const FAULT_KINDS_MAX = 20;

export class Tally {
  readonly #job: Job;
  readonly #latencies = new Latencies();
  readonly #statuses: Record<string, number> = {};
  readonly #timeline: number[] = [];
  readonly #faults = new Map<string, number>();
  #counted = 0;
  /** Fractions of answers that are in transfer: those at the start are subtracted, those at the end added. */
  #parts = 0;
  #started_ms = 0;
  #ended_ms = 0;
  #cpuBefore: CpuSeconds | null = null;
  #cpuAfter: CpuSeconds | null = null;

  constructor(job: Job) {
    this.#job = job;
  }

  get counted(): number {
    return this.#counted;
  }

  start(now_ms: number, partialBytes = 0): void {
    this.#parts -= this.#share(partialBytes);
    this.#cpuBefore = sampleCpu(this.#job);
    this.#started_ms = now_ms;
  }

  get isOpen(): boolean {
    return this.#started_ms > 0 && this.#ended_ms === 0;
  }

  end(now_ms: number, partialBytes = 0): void {
    this.#parts += this.#share(partialBytes);
    this.#ended_ms = now_ms;
    this.#cpuAfter = sampleCpu(this.#job);
  }

  #share(partialBytes: number): number {
    return this.#job.body_bytes === null ? 0 : partialBytes / this.#job.body_bytes;
  }

  /** Checks every answer; counts those within the measured time. */
  answer(status: number, bodyBytes: number, latency_ms: number, now_ms: number): void {
    const { allowed, body_bytes_min, counted } = this.#job;
    if (!allowed.includes(status)) this.fault(`an answer ${status}`);
    else if (status === counted && bodyBytes < body_bytes_min) this.fault(`a body of ${bodyBytes} bytes`);
    if (!this.isOpen) return;
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    if (status !== counted) return;
    this.#counted += 1;
    this.#latencies.add(latency_ms);
    const second = Math.floor((now_ms - this.#started_ms) / 1000);
    this.#timeline[second] = (this.#timeline[second] ?? 0) + 1;
  }

  /** A request that was never sent has waited at least this long. */
  waited(latency_ms: number): void {
    this.#latencies.add(latency_ms);
  }

  fault(text: string): void {
    const known = this.#faults.get(text) ?? 0;
    if (known > 0 || this.#faults.size < FAULT_KINDS_MAX) this.#faults.set(text, known + 1);
  }

  get hasFault(): boolean {
    return this.#faults.size > 0;
  }

  result(unsent = 0): LoadResult {
    const seconds = (this.#ended_ms - this.#started_ms) / 1000;
    const counted = this.#counted + this.#parts;
    const before = this.#cpuBefore ?? sampleCpu(this.#job);
    const after = this.#cpuAfter ?? sampleCpu(this.#job);
    return {
      ops_s: seconds > 0 ? counted / seconds : 0,
      counted,
      seconds,
      p50_ms: this.#latencies.quantile(0.5),
      p99_ms: this.#latencies.quantile(0.99),
      statuses: this.#statuses,
      unsent,
      cpu: {
        generator: after.generator - before.generator,
        service: difference(after.service, before.service),
        database: difference(after.database, before.database),
        stolen: difference(after.stolen, before.stolen),
      },
      timeline: Array.from(this.#timeline, (count) => count ?? 0),
      faults: Array.from(this.#faults, ([text, times]) => (times === 1 ? text : `${times} × ${text}`)),
    };
  }
}

const difference = (after: number | null, before: number | null): number | null =>
  after === null || before === null ? null : after - before;

function sampleCpu({ pids }: Job): CpuSeconds {
  const { user, system } = process.cpuUsage();
  return {
    generator: (user + system) / 1e6,
    service: cpuSecondsOfTree(pids.service),
    database: cpuSecondsOfTree(pids.postmaster),
    stolen: stolenSeconds(),
  };
}
