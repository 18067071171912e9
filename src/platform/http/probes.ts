// For orchestrators and monitoring: liveness, readiness, metrics.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import type { HealthCheck } from '../database/health.ts';
import { isFromThisMachine } from './client-address.ts';
import type { Drain } from './drain.ts';
import { RETRY_AFTER_SECONDS } from './load-shedding.ts';

const STOPPING = 'This process is stopping.';

export interface Probed {
  readonly drain: Drain;
  readonly health: Pick<HealthCheck, 'readiness'>;
  readonly registry: Pick<Registry, 'contentType' | 'metrics'>;
}

/** Whether the request may read metrics from another machine. False: it was answered. */
export type Admit = (request: FastifyRequest, reply: FastifyReply) => Promise<boolean>;

/** `admit` null: everybody may read the metrics, as on the internal port. */
export function registerProbes(
  app: FastifyInstance,
  { drain, health, registry }: Probed,
  admit: Admit | null,
): void {
  app.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok' }));

  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    drain.asked();
    const { isReady, message } = drain.isOn
      ? { isReady: false, message: STOPPING }
      : await health.readiness();
    if (isReady) return { status: 'ready' };
    return reply.code(503).header('retry-after', RETRY_AFTER_SECONDS).send({ error: message });
  });

  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    if (admit && !isFromThisMachine(request) && !(await admit(request, reply))) return reply;
    reply.header('cache-control', 'no-store').header('content-type', registry.contentType);
    return reply.send(await registry.metrics());
  });
}
