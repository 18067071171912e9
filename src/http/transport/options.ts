// How requests are read, whatever they ask for: limits and ids. The baselines of the benchmark use it too, so
// that they are compared over the same stack.
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import type { Timeouts } from '../../config.ts';

export const BODY_BYTES_MAX = 1024 * 1024;
/** On routes that answer without credentials. */
export const OPEN_BODY_BYTES_MAX = 8 * 1024;
/** Nearly every order. */
export const SMALL_BODY_BYTES_MAX = 16 * 1024;
/** By itself Node looks every 30 seconds which requests are late. */
const LATENESS_CHECK_MS_MAX = 1_000;
/** As much as Node reads of a request's head: what is too long for a code is not found, like any other. */
const PARAM_CHARACTERS_MAX = 16_384;

const OWN_REQUEST_ID = /^[\w.-]{1,64}$/;

/** The caller's own id where it is fit for a log, otherwise a new one. */
export function requestIdOf({ headers }: { headers: IncomingHttpHeaders }): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && OWN_REQUEST_ID.test(given) ? given : randomUUID();
}

export const TRANSPORT = {
  // Requests log with an id of their own where they do; a child logger each would cost every one of them.
  childLoggerFactory: (parent) => parent,
  bodyLimit: BODY_BYTES_MAX,
  // While stopping, what still arrives on open connections is served, then they close.
  return503OnClosing: false,
  routerOptions: { maxParamLength: PARAM_CHARACTERS_MAX },
  genReqId: requestIdOf,
  // By itself Node answers a request without Host with a bare 400.
  http: { requireHostHeader: false },
} satisfies FastifyServerOptions & { http: object };

/** For Node's server. */
export const serverOptions = ({ headers_ms, idle_connection_ms }: Timeouts) => ({
  ...TRANSPORT.http,
  keepAliveTimeout: idle_connection_ms,
  headersTimeout: headers_ms,
  connectionsCheckingInterval: Math.min(LATENESS_CHECK_MS_MAX, headers_ms),
});

/** For Fastify, where it makes the server. */
export function transportTimeouts(timeouts: Timeouts) {
  const { keepAliveTimeout, ...http } = serverOptions(timeouts);
  return { requestTimeout: timeouts.body_ms, keepAliveTimeout, http } satisfies FastifyServerOptions & {
    http: object;
  };
}

/** For scopes that read no body before they know who sent it. Open routes in them keep the limit of open routes. */
export function takeLargeBodies(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    if (route.config?.entrance !== 'open') route.bodyLimit ??= BODY_BYTES_MAX;
  });
}
