// The path of a request as it was routed. The raw one may spell it in another way: `/%61dmin/v1` is `/admin/v1`.
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** null: not read yet. Fastify makes an object of all the options of the route each time they are read. */
    served_path: string | null;
  }
}

/** The path of its route; without one, the path as it was sent. */
export const servedPath = (request: FastifyRequest): string =>
  (request.served_path ??= request.routeOptions.url ?? request.raw.url ?? '');
