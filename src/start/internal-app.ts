// A second listener for probes and metrics, on a port for the operator's own network.
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { registerProbes } from './probes.ts';
import { securityHeadersFor } from '../platform/http/security-headers.ts';
import type { Services } from './services.ts';
import { OPEN_BODY_BYTES_MAX, TRANSPORT, transportTimeouts } from '../platform/http/options.ts';

export function buildInternalApp(services: Services, logger: FastifyBaseLogger): FastifyInstance {
  const headers = securityHeadersFor(services.config);
  const app = Fastify({
    ...TRANSPORT,
    bodyLimit: OPEN_BODY_BYTES_MAX,
    ...transportTimeouts(services.config.timeouts),
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
  });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(headers);
    done();
  });
  app.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ error: 'There is nothing at this path.' }),
  );
  registerProbes(app, services, { isInternal: true });
  return app;
}
