// The HTTP side as a whole: transport rules that hold for every path, then the routes.
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
} from 'fastify';
import { Overloaded } from '../engine/coalescer.ts';
import { HashingBusy } from '../passwords.ts';
import { DatabaseUnavailable } from '../store/database.ts';
import { Refusal } from './admin/refusal.ts';
import { registerAdminApi } from './admin/routes.ts';
import { answerBrokenRequest, followExchanges } from './broken-requests.ts';
import { registerChannelApi, rejectBadPath } from './channel/routes.ts';
import { registerConsole } from './console.ts';
import { registerDocs } from './docs-page.ts';
import { BodyError } from './json-body.ts';
import { registerOpenApi } from './openapi.ts';
import { registerProbes } from './probes.ts';
import type { Services } from './services.ts';
import { RETRY_AFTER_SECONDS, shedWhenFull } from './shedding.ts';
import { CONNECTIONS_MAX, readJson, requestIdOf, TRANSPORT } from './transport.ts';
import { describeFailures, failureAt } from './validation.ts';

export async function buildApp(services: Services, logger: FastifyBaseLogger): Promise<FastifyInstance> {
  const { config } = services;
  const app = Fastify({
    ...TRANSPORT,
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    frameworkErrors: (_error, request, reply) => {
      void reply.header('x-request-id', request.id);
      rejectBadPath(services, request, reply);
    },
    clientErrorHandler: answerBrokenRequest,
  });
  app.server.maxConnections = CONNECTIONS_MAX;
  followExchanges(app.server);
  shedWhenFull(app.server, {
    requestIdOf,
    isFull: () => services.gate.isFull,
    onShed: () => {
      services.metrics.shed();
      warnOfRefusals(logger, 'Overloaded');
    },
  });
  readJson(app);
  // Hooks with callbacks: a promise each is felt on every request.
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    // Here, before the body is looked at: whatever it holds, there is nothing at this path.
    if (request.is404) answerNotFound(reply);
    else done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { url = 'unknown' } = request.routeOptions;
    services.metrics.request(request.method, url, reply.statusCode, reply.elapsedTime / 1000);
    if (config.log_level === 'debug' || config.log_level === 'trace') {
      const line = { request_id: request.id, method: request.method, route: url, status: reply.statusCode };
      request.log.debug({ ...line, ms: Math.round(reply.elapsedTime) }, 'request');
    }
    done();
  });
  app.setErrorHandler<FastifyError | Refusal>((error, request, reply) =>
    answerError(error, request.id, reply),
  );
  app.setNotFoundHandler((_request, reply) => answerNotFound(reply));

  await registerOpenApi(app);
  await app.register(async (scope) => registerChannelApi(scope, services), { prefix: '/api/v1' });
  await app.register(async (scope) => registerAdminApi(scope, services), { prefix: '/admin/v1' });
  registerDocs(app);
  await registerConsole(app, config.console_dir);
  registerProbes(app, services);
  return app;
}

const REFUSALS_LOGGED_EVERY_MS = 1_000;
let refusals = 0;
let refusalsLoggedAt = 0;

/** A line a second at the most: thousands of them would be part of the overload. */
function warnOfRefusals(log: FastifyBaseLogger, reason: string): void {
  refusals += 1;
  if (Date.now() - refusalsLoggedAt < REFUSALS_LOGGED_EVERY_MS) return;
  log.warn({ reason, refused: refusals }, 'not taking work');
  refusals = 0;
  refusalsLoggedAt = Date.now();
}

const answerNotFound = (reply: FastifyReply): FastifyReply =>
  reply.code(404).send({ error: 'There is nothing at this path.' });

/** The same request may succeed in a moment. */
const NOT_NOW = [Overloaded, DatabaseUnavailable, HashingBusy];

function answerError(error: FastifyError | Refusal, requestId: string, reply: FastifyReply): FastifyReply {
  if (error instanceof Refusal) return reply.code(error.status).send(error.body);
  if (error.validation) {
    const failure = describeFailures(error.validation as Parameters<typeof describeFailures>[0]);
    return reply.code(422).send(failure);
  }
  if (error instanceof BodyError) return reply.code(422).send(failureAt('body', error.message));
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const { bodyLimit } = reply.request.routeOptions;
    // Fastify would hang up on a client that is still sending, and the reset can overtake the answer.
    reply.removeHeader('connection');
    return reply.code(422).send(failureAt('body', `The body must be at most ${bodyLimit / 2 ** 20} MiB.`));
  }
  if (NOT_NOW.some((kind) => error instanceof kind)) {
    warnOfRefusals(reply.log, error.name);
    const text = 'The service cannot take this request right now. Please send it again.';
    return reply.code(503).header('retry-after', RETRY_AFTER_SECONDS).send({ error: text });
  }
  const status = error.statusCode ?? 500;
  if (status >= 400 && status < 500)
    return reply.code(422).send(failureAt('body', 'The request cannot be read.'));
  reply.log.error({ request_id: requestId, err: error }, 'request failed');
  return reply.code(500).send({ error: 'Something went wrong on our side.' });
}
