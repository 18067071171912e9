// Metrics of the gate: its batches, their outcomes, its queues.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { GateObserver } from './batch-runner.ts';
import { SECONDS_BOUNDS } from '../../platform/metrics/duration-histogram.ts';

/** Figures of the gate since the start of the process. */
interface GateFigures {
  batches: number;
  /** Orders created. */
  orders: number;
  last_batch_size: number;
  /** Average of the last batches. */
  average_batch_ms: number;
  retries: number;
}

export interface GateMetrics extends GateObserver {
  gateFigures(): GateFigures;
  /** Registers the lengths of the gate's queues, read at each scrape. */
  watchQueue(gate: { readonly waiting: number; readonly held: number }): void;
}

/** Number of batches in the average. */
const BATCHES_REMEMBERED = 100;

export function gateMetrics(registry: Registry): GateMetrics {
  const registers = [registry];
  const batchSize = new Histogram({
    name: 'sluice_batch_commands',
    help: 'Commands in one batch of the gate.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    registers,
  });
  const batchSeconds = new Histogram({
    name: 'sluice_batch_seconds',
    help: 'Time of one batch of the gate, retries included.',
    buckets: [...SECONDS_BOUNDS],
    registers,
  });
  // Counted here and passed to the counter at a scrape: every command has an outcome, and `inc` would hash its labels.
  const outcomes = new Map<string, number>();
  void new Counter({
    name: 'sluice_outcomes_total',
    help: 'Outcomes of orders and status reports, by kind.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset();
      for (const [outcome, count] of outcomes) this.inc({ outcome }, count);
    },
  });
  const retries = new Counter({
    name: 'sluice_batch_retries_total',
    help: 'Batches run again, by reason.',
    labelNames: ['reason'],
    registers,
  });
  const failures = new Counter({
    name: 'sluice_command_failures_total',
    help: 'Orders and reports that failed: database unavailable, or a bug.',
    registers,
  });
  const figures = { batches: 0, orders: 0, last_batch_size: 0, retries: 0 };
  const lastSeconds = new Float64Array(BATCHES_REMEMBERED);
  return {
    batch: (size, seconds) => {
      batchSize.observe(size);
      batchSeconds.observe(seconds);
      lastSeconds[figures.batches % BATCHES_REMEMBERED] = seconds;
      figures.batches += 1;
      figures.last_batch_size = size;
    },
    outcome: ({ kind }) => {
      outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1);
      if (kind === 'created') figures.orders += 1;
    },
    retry: (reason) => {
      retries.inc({ reason });
      figures.retries += 1;
    },
    failure: () => failures.inc(),
    gateFigures: () => {
      const remembered = Math.min(figures.batches, BATCHES_REMEMBERED);
      const seconds = lastSeconds.reduce((sum, one) => sum + one, 0);
      return { ...figures, average_batch_ms: remembered === 0 ? 0 : (seconds / remembered) * 1000 };
    },
    watchQueue: (gate) => {
      void new Gauge({
        name: 'sluice_queue_commands',
        help: 'Commands waiting for the gate.',
        registers,
        collect() {
          this.set(gate.waiting);
        },
      });
      void new Gauge({
        name: 'sluice_held_commands',
        help: 'Waiting commands whose rows are locked by another transaction.',
        registers,
        collect() {
          this.set(gate.held);
        },
      });
    },
  };
}
