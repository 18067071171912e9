// What operators can watch. Labels are bounded: routes, outcome kinds, status codes, never values of requests.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { GateObserver } from './engine/gate.ts';

export interface Metrics extends GateObserver {
  readonly registry: Registry;
  /** A request turned away by overload before it was looked at. */
  shed(): void;
  request(method: string, route: string, status: number, seconds: number): void;
  /** Counters that differ from what orders and ledger say, at the last reconcile. */
  drift(count: number): void;
  /** Registers how many commands wait; asked at each scrape. */
  watchQueue(waiting: () => number): void;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'sluice_http_request_seconds',
    help: 'Time from the request to its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers,
  });
  const requestSeries = new Map<string, { observe(seconds: number): void }>();
  const batchSize = new Histogram({
    name: 'sluice_batch_commands',
    help: 'Commands in one batch of the gate.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    registers,
  });
  const batchSeconds = new Histogram({
    name: 'sluice_batch_seconds',
    help: 'Time of one batch of the gate, retries included.',
    buckets: SECONDS,
    registers,
  });
  const outcomes = new Counter({
    name: 'sluice_outcomes_total',
    help: 'What became of orders and status reports, by reason.',
    labelNames: ['outcome'],
    registers,
  });
  const retries = new Counter({
    name: 'sluice_batch_retries_total',
    help: 'Batches run again, by reason.',
    labelNames: ['reason'],
    registers,
  });
  const failures = new Counter({
    name: 'sluice_command_failures_total',
    help: 'Commands that ended in no outcome: the database was away, or a bug.',
    registers,
  });
  const shed = new Counter({
    name: 'sluice_shed_total',
    help: 'Requests answered 503 at once because too many commands were waiting.',
    registers,
  });
  const drift = new Gauge({
    name: 'sluice_reconcile_drift',
    help: 'Counters that differ from orders and ledger, at the last reconcile.',
    registers,
  });
  return {
    registry,
    request: (method, route, status, seconds) => {
      // Each set of labels once: prom-client would hash and sort them for every request.
      const key = `${method} ${route} ${status}`;
      let series = requestSeries.get(key);
      if (!series) {
        series = requests.labels({ method, route, status });
        requestSeries.set(key, series);
      }
      series.observe(seconds);
    },
    shed: () => shed.inc(),
    drift: (count) => drift.set(count),
    watchQueue: (waiting) =>
      void new Gauge({
        name: 'sluice_queue_commands',
        help: 'Commands waiting for the gate.',
        registers,
        collect() {
          this.set(waiting());
        },
      }),
    batch: (size, seconds) => {
      batchSize.observe(size);
      batchSeconds.observe(seconds);
    },
    outcome: (outcome) => outcomes.inc({ outcome: outcome.kind }),
    retry: (reason) => retries.inc({ reason }),
    failure: () => failures.inc(),
  };
}
