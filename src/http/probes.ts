// For orchestrators and monitoring: is the process alive, does it serve, what does it measure.
import type { FastifyInstance } from 'fastify';
import { databaseTrouble } from '../store/health.ts';
import type { Services } from './services.ts';

export function registerProbes(app: FastifyInstance, services: Services): void {
  app.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok' }));

  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const trouble = await databaseTrouble(services.pool);
    if (trouble !== null) return reply.code(503).header('retry-after', 1).send({ error: trouble });
    return { status: 'ready' };
  });

  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) =>
    reply
      .header('content-type', services.metrics.registry.contentType)
      .send(await services.metrics.registry.metrics()),
  );
}
