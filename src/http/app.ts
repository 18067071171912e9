// The HTTP application: transport rules for every path, then the routes.
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
} from 'fastify';
import type { FieldFault } from '../domain/field-fault.ts';
import { Overloaded } from '../engine/coalescer.ts';
import { HashingBusy } from '../passwords.ts';
import { CommitUnknown, DatabaseUnavailable } from '../store/failures.ts';
import { Refusal } from './admin/refusal.ts';
import { registerAdminApi } from './admin/routes.ts';
import { readJson, treatBodyAsJson } from './transport/body-reader.ts';
import { answerBrokenRequest } from './transport/broken-requests.ts';
import { KeyRevoked, refuseKey } from './channel/auth.ts';
import { CHANNEL_API_PATH } from './channel/paths.ts';
import { RequestLog } from './channel/request-log.ts';
import { registerChannelApi, rejectBadPath } from './channel/routes.ts';
import { refuseByPolicy, PolicyError } from './channel/policy.ts';
import { registerConsole } from './console.ts';
import { registerChannelDocs } from './docs/channel-guides.ts';
import { registerDocs } from './docs/api-page.ts';
import { BodyError } from './transport/json-body.ts';
import { limitLargeBodyMemory } from './transport/large-bodies.ts';
import { registerOpenApi } from './docs/openapi.ts';
import { registerProbes } from './probes.ts';
import { ADMIN_API_PATH, refuse, refuseForm } from './refuse.ts';
import { RefusalLog } from './transport/refusal-log.ts';
import { securityHeadersFor } from './transport/security-headers.ts';
import { servedPath } from './served-path.ts';
import { compileSerializersOnce } from './serializers.ts';
import type { Services } from './services.ts';
import { createHttpServer } from './transport/server.ts';
import { RETRY_AFTER_SECONDS } from './transport/shedding.ts';
import { OPEN_BODY_BYTES_MAX, TRANSPORT, withoutChildren } from './transport/options.ts';
import { traceRequests } from './traced.ts';
import { fieldErrorsOf } from './validation.ts';

interface AnsweredRequest {
  id: string;
  method: string;
  route: string;
  status: number;
  seconds: number;
}

export async function buildApp(services: Services, logger: FastifyBaseLogger): Promise<FastifyInstance> {
  const { config } = services;
  const securityHeaders = securityHeadersFor(config);
  const refusals = new RefusalLog(logger, () => !services.health.isAway);
  const requestLog = new RequestLog(services);
  const app = Fastify({
    ...TRANSPORT,
    // Default for routes without their own limit.
    bodyLimit: OPEN_BODY_BYTES_MAX,
    serverFactory: createHttpServer({
      timeouts: config.timeouts,
      headers: securityHeaders,
      connections: {
        max: config.limits.connections,
        per_address_max: config.limits.connections_per_address,
        proxies: config.trusted_proxies,
        onRefused: () => services.metrics.connectionRefused(),
      },
      drain: services.drain,
      overload: {
        isFull: () => services.gate.isFull,
        onShed: (request, requestId) => {
          services.metrics.shed();
          services.metrics.refused('overloaded');
          refusals.refused('Overloaded');
          requestLog.shed(request, requestId);
        },
      },
    }),
    loggerInstance: withoutChildren(logger),
    logController: new LogController({ disableRequestLogging: true }),
    frameworkErrors: (_error, request, reply) => {
      void reply.header('x-request-id', request.id).headers(securityHeaders);
      rejectBadPath(services, request, reply);
    },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, securityHeaders),
  });
  const answered = ({ id, method, route, status, seconds }: AnsweredRequest, isLogged: boolean): void => {
    services.metrics.request(method, route, status, seconds);
    if (isLogged) return;
    if (config.log_level === 'debug' || config.log_level === 'trace') {
      logger.debug({ request_id: id, method, route, status, ms: Math.round(seconds * 1000) }, 'request');
    }
  };
  app.addHook('onClose', async () => {
    // Fastify closes a server from a factory only if it listens; its timers run without that.
    app.server.close();
    refusals.close();
    requestLog.close();
  });
  app.decorateRequest('served_path', null);
  traceRequests(app, services.traces);
  readJson(app);
  limitLargeBodyMemory(app, services.budgets.large_bodies);
  // Callback hooks: promises cost measurable time per request.
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(securityHeaders);
    // Before the body is read.
    if (request.is404) return void answerNotFound(reply);
    treatBodyAsJson(request);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { id, method } = request;
    const route = request.is404 ? 'unknown' : servedPath(request);
    const { statusCode: status, elapsedTime: ms } = reply;
    const isNotable = status >= 400 || ms >= config.slow_request_ms || request.channel?.is_traced === true;
    if (request.channel) services.metrics.channelRequest(request.channel.label, status);
    const isLogged = isNotable && requestLog.saw(request, reply, ms);
    answered({ id, method, route, status, seconds: ms / 1000 }, isLogged);
    done();
  });
  app.setErrorHandler<FastifyError | Refusal>((error, request, reply) =>
    answerError(error, request.id, reply, { services, refusals }),
  );
  app.setNotFoundHandler((_request, reply) => answerNotFound(reply));

  await compileSerializersOnce(app);
  await registerOpenApi(app);
  await app.register(async (scope) => registerChannelApi(scope, services), { prefix: CHANNEL_API_PATH });
  await app.register(async (scope) => registerAdminApi(scope, services), { prefix: ADMIN_API_PATH });
  registerDocs(app, config);
  registerChannelDocs(app);
  await registerConsole(app, config.console_dir);
  registerProbes(app, services);
  return app;
}

const answerNotFound = (reply: FastifyReply): FastifyReply =>
  refuse(reply, { status: 404, reason: 'not_found', error: 'There is nothing at this path.' });

const NOT_STORED = 'The service cannot take this request right now. Please send it again.';
const MAYBE_STORED =
  'The connection to the database was lost, and it is unknown whether the change was stored. Check before you send it again.';
/** The same request may succeed soon. */
const NOT_NOW = [Overloaded, DatabaseUnavailable, HashingBusy];

function answerError(
  error: FastifyError | Refusal,
  requestId: string,
  reply: FastifyReply,
  { services, refusals }: { services: Services; refusals: RefusalLog },
): FastifyReply {
  if (error instanceof Refusal) {
    if (error.status === 401) reply.header('www-authenticate', 'Bearer');
    return reply.code(error.status).send(error.body);
  }
  if (error instanceof KeyRevoked) return refuseKey(reply);
  if (error instanceof PolicyError) return refuseByPolicy(reply, error.code, services);
  if (error.validation) return refuseForm(reply, fieldErrorsOf(error.validation));
  // Fastify would close the connection after every body it cannot read: pipelined requests would be executed without a
  // response, and a client that is still sending could lose its response to a reset.
  reply.removeHeader('connection');
  const refuseBody = (fault: FieldFault): FastifyReply => refuseForm(reply, [{ field: 'body', fault }]);
  if (error instanceof BodyError) return refuseBody(error.fault);
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const { bodyLimit } = reply.request.routeOptions;
    return refuseBody({ kind: 'body_too_large', bytes_max: bodyLimit });
  }
  if (NOT_NOW.some((kind) => error instanceof kind)) {
    const unavailable = error instanceof DatabaseUnavailable;
    if (unavailable) services.health.note(error.cause);
    refusals.refused(unavailable ? `${error.name}: ${services.health.stateFor(error)}` : error.name);
    services.metrics.refused(unavailable ? 'database' : 'overloaded');
    reply.header('retry-after', RETRY_AFTER_SECONDS);
    const reason = unavailable ? 'unavailable' : 'overloaded';
    const details = { retry_after_seconds: RETRY_AFTER_SECONDS };
    return error instanceof CommitUnknown
      ? refuse(reply, { status: 503, reason, error: MAYBE_STORED, code: 'commit_unknown', details })
      : refuse(reply, { status: 503, reason, error: NOT_STORED, details });
  }
  const status = error.statusCode ?? 500;
  if (status >= 400 && status < 500) return refuseBody({ kind: 'unreadable' });
  // A client that closes the connection during a transfer is not an error of the service.
  if (reply.request.socket.destroyed)
    reply.log.info({ request_id: requestId, code: error.code }, 'the client closed the connection');
  else reply.log.error({ request_id: requestId, err: error }, 'request failed');
  return refuse(reply, { status: 500, reason: 'internal', error: 'Something went wrong on our side.' });
}
