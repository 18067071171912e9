// Server options: limits, timeouts and request ids. The baselines of the benchmark use them too, so that all run on the
// same stack.
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance, FastifyServerOptions } from 'fastify';
import type { Timeouts } from '../config/timeouts.ts';

export const BODY_BYTES_MAX = 1024 * 1024;
/** For routes without authentication. */
export const OPEN_BODY_BYTES_MAX = 8 * 1024;
/** Nearly every order is smaller. */
export const SMALL_BODY_BYTES_MAX = 16 * 1024;
/** Node's default checks for late requests every 30 seconds. */
const LATENESS_CHECK_MS_MAX = 1_000;
/** The limit of Node for headers, so that a very long code in a path gets the usual 404. */
const PARAM_CHARACTERS_MAX = 16_384;

const OWN_REQUEST_ID = /^[\w.-]{1,64}$/;

/** The client's own id if it is safe to log, otherwise a new one. */
export function requestIdOf({ headers }: { headers: IncomingHttpHeaders }): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && OWN_REQUEST_ID.test(given) ? given : randomUUID();
}

/** Fastify creates a child logger for each request. Our log calls pass the request id themselves and need none. */
export function withoutChildren(logger: FastifyBaseLogger): FastifyBaseLogger {
  const own: FastifyBaseLogger = Object.create(logger);
  own.child = () => own;
  return own;
}

export const TRANSPORT = {
  bodyLimit: BODY_BYTES_MAX,
  // During a stop, requests on open connections are still served.
  return503OnClosing: false,
  routerOptions: { maxParamLength: PARAM_CHARACTERS_MAX },
  genReqId: requestIdOf,
  // Node's default answers a request without Host with a bare 400.
  http: { requireHostHeader: false },
} satisfies FastifyServerOptions & { http: object };

/** For Node's server. */
export const serverOptions = ({ headers_ms, idle_connection_ms }: Timeouts) => ({
  ...TRANSPORT.http,
  keepAliveTimeout: idle_connection_ms,
  headersTimeout: headers_ms,
  connectionsCheckingInterval: Math.min(LATENESS_CHECK_MS_MAX, headers_ms),
});

/** For servers created by Fastify. */
export function transportTimeouts(timeouts: Timeouts) {
  const { keepAliveTimeout, ...http } = serverOptions(timeouts);
  return { requestTimeout: timeouts.body_ms, keepAliveTimeout, http } satisfies FastifyServerOptions & {
    http: object;
  };
}

/** For scopes that authenticate before reading bodies. Open routes keep their own limit. */
export function allowLargeBodies(scope: FastifyInstance): void {
  scope.addHook('onRoute', (route) => {
    if (route.config?.entrance !== 'open') route.bodyLimit ??= BODY_BYTES_MAX;
  });
}
