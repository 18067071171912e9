// The HTTP stack of all baselines: the service's own, with keys looked up in memory. No metrics and no request log, so
// that a baseline has less work than the service.
import { createHash } from 'node:crypto';
import Fastify, { type FastifyInstance } from 'fastify';
import { readJsonBodies } from '../../../src/platform/http/body-reader.ts';
import { TRANSPORT } from '../../../src/platform/http/options.ts';
import { compileValidator } from '../../../src/platform/schema/validation.ts';

export function createBaselineApp(apiKey: string): FastifyInstance {
  const app = Fastify(TRANSPORT);
  app.setValidatorCompiler(compileValidator('at_start'));
  readJsonBodies(app);
  const keys = new Map([[hash(apiKey), true]]);
  app.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id);
    const key = request.headers['x-api-key'];
    if (typeof key === 'string' && keys.has(hash(key))) return done();
    void reply.code(401).send({ error: 'The API key is not valid.' });
  });
  return app;
}

const hash = (key: string): string => createHash('sha256').update(key).digest('base64');
