// The HTTP application: transport rules for every path, then the routes.
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { registerAdminApi } from './admin-routes.ts';
import { answerError } from '../platform/http/answer-error.ts';
import type { AnsweredError } from '../platform/http/answered-error.ts';
import { readJsonBodies, treatBodyAsJson } from '../platform/http/body-reader.ts';
import { answerBrokenRequest } from '../platform/http/broken-requests.ts';
import { CHANNEL_DOCUMENT } from '../core/channel-api/document-texts.ts';
import { CHANNEL_API_PATH, isForTheGate } from '../core/channel-api/paths.ts';
import { registerChannelApi, rejectBadPath } from '../core/channel-api/operations.ts';
import { registerConsole } from '../platform/http/console.ts';
import { registerChannelDocs } from '../core/channel-api/channel-guides.ts';
import { registerDocs } from '../platform/docs/api-page.ts';
import { limitLargeBodyMemory } from '../platform/http/large-bodies.ts';
import { registerOpenApi } from '../platform/docs/openapi.ts';
import type { FeatureService } from '../core/assembly/feature.ts';
import { admitToMetrics, probedOf } from './probed.ts';
import { registerProbes } from '../platform/http/probes.ts';
import { nameReasonsBelow } from '../platform/http/reason.ts';
import { ADMIN_API_PATH, refuse } from '../platform/http/refuse.ts';
import { RefusalLog } from '../platform/http/refusal-log.ts';
import { securityHeadersFor, type SecurityHeaders } from '../platform/http/security-headers.ts';
import { servedPath } from '../platform/http/served-path.ts';
import { compileSchemas } from '../platform/schema/compilers.ts';
import { loadRefusals } from './refusals.ts';
import type { Services } from './services.ts';
import { createHttpServer } from '../platform/http/server.ts';
import { OPEN_BODY_BYTES_MAX, TRANSPORT, withoutChildren } from '../platform/http/options.ts';
import { traceRequests } from '../platform/http/traced.ts';

/** What the parts of the application share. */
interface Context {
  services: Services;
  logger: FastifyBaseLogger;
  securityHeaders: SecurityHeaders;
  refusals: RefusalLog;
}

export async function buildApp(
  services: Services,
  features: readonly FeatureService[],
  logger: FastifyBaseLogger,
): Promise<FastifyInstance> {
  const context: Context = {
    services,
    logger,
    securityHeaders: securityHeadersFor(services.config),
    refusals: new RefusalLog(logger, () => !services.health.isAway),
  };
  const app = createApp(context);
  closeWith(app, context);
  app.decorateRequest('served_path', null);
  nameReasonsBelow(app, CHANNEL_API_PATH);
  traceRequests(app, services.traces, {
    paths: [CHANNEL_API_PATH, ADMIN_API_PATH],
    attributesOf: ({ channel }) => (channel ? { 'sluice.channel_id': channel.id } : {}),
  });
  readJsonBodies(app);
  limitLargeBodyMemory(app, services.budgets.large_bodies);
  prepareResponses(app, context);
  observeResponses(app, context);
  const { health, metrics } = services;
  const { refusals } = context;
  app.setErrorHandler<FastifyError | AnsweredError>((error, request, reply) =>
    answerError(error, request.id, reply, { health, metrics, refusals }),
  );
  app.setNotFoundHandler(answerNotFound);
  await compileSchemas(app, 'at_first_use');
  await registerRoutes(app, services, features);
  return app;
}

async function registerRoutes(
  app: FastifyInstance,
  services: Services,
  features: readonly FeatureService[],
): Promise<void> {
  const addChannelOperations = (scope: FastifyInstance): void => {
    for (const feature of features) feature.channelOperations?.(scope);
  };
  await registerOpenApi(app, CHANNEL_DOCUMENT);
  await app.register(
    async (scope) => {
      await compileSchemas(scope, 'at_start');
      registerChannelApi(scope, services, addChannelOperations);
    },
    { prefix: CHANNEL_API_PATH },
  );
  const refusals = await loadRefusals();
  await app.register(async (scope) => registerAdminApi(scope, services, features, refusals), {
    prefix: ADMIN_API_PATH,
  });
  registerDocs(app, services.config, CHANNEL_DOCUMENT);
  registerChannelDocs(app);
  for (const feature of features) feature.pages?.(app);
  await registerConsole(app, services.config.console_dir);
  registerProbes(app, probedOf(services), admitToMetrics(services));
}

function createApp(context: Context): FastifyInstance {
  const { services, logger, securityHeaders } = context;
  return Fastify({
    ...TRANSPORT,
    // Default for routes without their own limit.
    bodyLimit: OPEN_BODY_BYTES_MAX,
    serverFactory: serverFor(context),
    loggerInstance: withoutChildren(logger),
    logController: new LogController({ disableRequestLogging: true }),
    frameworkErrors: (_error, request, reply) => {
      void reply.header('x-request-id', request.id).headers(securityHeaders);
      rejectBadPath(services, request, reply);
    },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, securityHeaders),
  });
}

function serverFor({ services, securityHeaders, refusals }: Context) {
  const { config, metrics } = services;
  return createHttpServer({
    timeouts: config.timeouts,
    headers: securityHeaders,
    connections: {
      max: config.limits.connections,
      per_address_max: config.limits.connections_per_address,
      proxies: config.trusted_proxies,
      onRefused: () => metrics.connectionRefused(),
    },
    drain: services.drain,
    overload: {
      isFull: (request) =>
        isForTheGate(request) &&
        (services.gate.isFull || isFullForSender(services, request.headers['x-api-key'])),
      onShed: (request, requestId) => {
        metrics.shed();
        metrics.refused('overloaded');
        refusals.refused('Overloaded');
        services.hooks.requestLog.value?.shed(request, requestId);
      },
    },
  });
}

/**
 * Only for keys that are valid from every address: under overload, too, the answer does not reveal that a stolen key is
 * valid. The gate checks the others.
 */
function isFullForSender({ gate, directory }: Services, key: string | string[] | undefined): boolean {
  const channel = typeof key === 'string' ? directory.known(key) : undefined;
  return channel !== undefined && !channel.policy?.addresses && gate.isFullFor(channel.id);
}

function closeWith(app: FastifyInstance, { services, refusals }: Context): void {
  app.addHook('onClose', async () => {
    // Fastify closes a server from a factory only if it listens; its timers run without that.
    app.server.close();
    refusals.close();
    services.hooks.requestLog.value?.close();
  });
}

// Callback hooks: promises cost measurable time per request.
function prepareResponses(app: FastifyInstance, { securityHeaders }: Context): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(securityHeaders);
    // Before the body is read.
    if (request.is404) return void answerNotFound(request, reply);
    treatBodyAsJson(request);
    done();
  });
}

function observeResponses(app: FastifyInstance, { services, logger }: Context): void {
  const { config, metrics } = services;
  const requestLog = services.hooks.requestLog.value;
  const isVerbose = config.log_level === 'debug' || config.log_level === 'trace';
  app.addHook('onResponse', (request, reply, done) => {
    const { id, method, channel } = request;
    const route = request.is404 ? 'unknown' : servedPath(request);
    const { statusCode: status, elapsedTime: ms } = reply;
    const isNotable = status >= 400 || ms >= config.slow_request_ms || channel?.is_traced === true;
    if (channel) metrics.channelRequest(channel.label, status);
    const isLogged = isNotable && requestLog?.saw(request, reply, ms) === true;
    metrics.request(method, route, status, ms / 1000);
    if (isVerbose && !isLogged)
      logger.debug({ request_id: id, method, route, status, ms: Math.round(ms) }, 'request');
    done();
  });
}

/** An operation of the channel API without the prefix of its base address, or with a part of it. */
const WITHOUT_PREFIX = /^\/(?:api\/|v1\/)?(?:inventory|orders)(?:[/?]|$)/;

function answerNotFound({ url }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const hint = WITHOUT_PREFIX.test(url)
    ? ` The paths of the channel API begin with ${CHANNEL_API_PATH}, for example ${CHANNEL_API_PATH}/inventory.`
    : '';
  return refuse(reply, {
    status: 404,
    reason: 'not_found',
    error: `There is nothing at this path.${hint}`,
  });
}
