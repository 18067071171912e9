// A second listener for probes and metrics, on a port for the operator's own network.
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';
import { OPEN_BODY_BYTES_MAX, TRANSPORT, transportTimeouts } from './options.ts';
import { registerProbes, type Probed } from './probes.ts';
import { securityHeadersFor } from './security-headers.ts';

export function buildInternalApp(config: Config, probed: Probed, logger: FastifyBaseLogger): FastifyInstance {
  const headers = securityHeadersFor(config);
  const app = Fastify({
    ...TRANSPORT,
    bodyLimit: OPEN_BODY_BYTES_MAX,
    ...transportTimeouts(config.timeouts),
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
  registerProbes(app, probed, null);
  return app;
}
