// For orchestrators and monitoring: is the process alive, does it serve, what does it measure.
import type { FastifyInstance } from 'fastify';
import type { Services } from './services.ts';
import { RETRY_AFTER_SECONDS } from './shedding.ts';

export function registerProbes(app: FastifyInstance, { health, metrics }: Services): void {
  app.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok' }));

  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const { state, words } = await health.check();
    if (state === 'ready') return { status: 'ready' };
    return reply.code(503).header('retry-after', RETRY_AFTER_SECONDS).send({ error: words });
  });

  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) =>
    reply.header('content-type', metrics.registry.contentType).send(await metrics.registry.metrics()),
  );
}
