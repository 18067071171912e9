// Connects traces with metrics and log.
import type { FastifyBaseLogger } from 'fastify';
import type { TracingConfig } from '../platform/config/tracing.ts';
import type { Metrics } from './metrics.ts';
import type { GateTraces } from '../core/gate/traces.ts';

/** The module is loaded here, because it is not needed without a receiver of traces. */
export async function openTraces(
  tracing: TracingConfig,
  metrics: Metrics,
  logger: FastifyBaseLogger,
): Promise<GateTraces> {
  const { GateTraces } = await import('../core/gate/traces.ts');
  const receiver = new URL(tracing.url).origin;
  return new GateTraces(tracing, {
    onSent: (count) => metrics.traceSpans('sent', count),
    onDropped: (count) => metrics.traceSpans('dropped', count),
    onAway: (reason) =>
      logger.warn({ receiver, reason }, 'the trace receiver rejects spans or cannot be reached'),
    onBack: () => logger.info({ receiver }, 'the trace receiver accepts spans again'),
  });
}
