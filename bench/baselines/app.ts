// The HTTP stack of all baselines: Fastify with the options of src/http/app.ts, the service's own body parser and
// validator, and a key looked up in memory. No metrics and no request log: a baseline should have less to do.
import { createHash, randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance } from 'fastify';
import { parseJsonBody } from '../../src/http/json-body.ts';
import { compileValidator } from '../../src/http/validation.ts';

const OWN_REQUEST_ID = /^[\w.-]{1,64}$/;

export function createBaselineApp(apiKey: string): FastifyInstance {
  const app = Fastify({
    childLoggerFactory: (parent) => parent,
    bodyLimit: 1024 * 1024,
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 16_384 },
    genReqId: ({ headers }) => {
      const given = headers['x-request-id'];
      return typeof given === 'string' && OWN_REQUEST_ID.test(given) ? given : randomUUID();
    },
    http: { requireHostHeader: false },
  });
  app.setValidatorCompiler(compileValidator);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseJsonBody(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
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
