// Prometheus metrics of requests, gate, database and jobs; other parts add theirs. The number of labels is limited: routes, outcome kinds, status codes and channels, never
// request values.
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { WorkerMetric } from '../platform/supervisor/other-workers.ts';
import type { JobMetrics } from '../platform/jobs/job.ts';
import { channelMetrics, type ChannelMetrics } from '../core/channel-api/metrics.ts';
import { databaseMetrics, type DatabaseMetrics } from '../platform/metrics/database.ts';
import { gateMetrics, type GateMetrics } from '../core/gate/metrics.ts';
import { httpMetrics, type HttpMetrics } from '../platform/metrics/http.ts';
import { jobMetrics } from '../platform/metrics/jobs.ts';
import { VERSION } from '../platform/config/version.ts';

export interface Metrics extends GateMetrics, HttpMetrics, ChannelMetrics, DatabaseMetrics, JobMetrics {
  readonly registry: Registry;
  /** The metrics of this process, to be merged with those of other workers. */
  snapshot(): Promise<WorkerMetric[]>;
  /** Spans that were sent to the receiver of traces, or dropped. */
  traceSpans(outcome: 'sent' | 'dropped', count: number): void;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'sluice_build_info',
    help: 'The version of Sluice and of its Node; always 1.',
    labelNames: ['version', 'node'],
    aggregator: 'max',
    registers,
  }).set({ version: VERSION, node: process.version }, 1);
  new Gauge({ name: 'sluice_workers', help: 'Processes that serve the port.', registers }).set(1);
  const traceSpans = new Counter({
    name: 'sluice_trace_spans_total',
    help: 'Spans that were sent to the receiver of traces, or dropped because it did not take them in time.',
    labelNames: ['outcome'],
    registers,
  });
  return {
    registry,
    snapshot: () => registry.getMetricsAsJSON(),
    ...gateMetrics(registry),
    ...httpMetrics(registry),
    ...channelMetrics(registry),
    ...databaseMetrics(registry),
    ...jobMetrics(registry),
    traceSpans: (outcome, count) => traceSpans.inc({ outcome }, count),
  };
}
