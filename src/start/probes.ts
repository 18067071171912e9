// For orchestrators and monitoring: liveness, readiness, metrics.
import type { FastifyInstance } from 'fastify';
import { METRICS, NO_OTHERS } from '../platform/supervisor/other-workers.ts';
import { mergedMetrics } from './metrics.ts';
import { hasToken } from '../platform/accounts/auth.ts';
import { isFromThisMachine } from '../platform/http/client-address.ts';
import type { Services } from './services.ts';
import { RETRY_AFTER_SECONDS } from '../platform/http/load-shedding.ts';
import { throttleGuessing } from '../platform/accounts/wrong-credential-answer.ts';

const STOPPING = 'This process is stopping.';

interface ProbeOptions {
  /** On the internal port, metrics require no token. */
  isInternal: boolean;
}

export function registerProbes(
  app: FastifyInstance,
  services: Services,
  { isInternal }: ProbeOptions = { isInternal: false },
): void {
  const { drain, health, metrics } = services;
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
    if (!isInternal && !isFromThisMachine(request) && !(await hasToken(services, request))) {
      const isGuess = request.headers.authorization !== undefined;
      const guessing = isGuess ? throttleGuessing(services, request, reply) : null;
      return guessing ?? reply.code(401).header('www-authenticate', 'Bearer').send(METRICS_REFUSED);
    }
    reply.header('cache-control', 'no-store').header('content-type', metrics.registry.contentType);
    return reply.send(await metricsOf(services));
  });
}

async function metricsOf({ metrics, others }: Services): Promise<string> {
  if (others === NO_OTHERS) return metrics.registry.metrics();
  const own = await metrics.snapshot();
  return mergedMetrics([own, ...(await others.ask(METRICS, own))]);
}

const METRICS_REFUSED = {
  error: 'Metrics need "Authorization: Bearer <token>" with a valid admin token, or SLUICE_INTERNAL_PORT.',
};
