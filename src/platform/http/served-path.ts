// The path of the route that serves a request. The raw URL may spell it differently: `/%61dmin/v1` is `/admin/v1`.
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** null: not computed yet. It is cached because Fastify creates the `routeOptions` object at each access. */
    served_path: string | null;
  }
}

/** The path of the route; if no route matches, the path as sent. */
export const servedPath = (request: FastifyRequest): string =>
  (request.served_path ??= request.routeOptions.url ?? request.raw.url ?? '');
