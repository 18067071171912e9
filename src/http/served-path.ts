// The path of a request as it was routed. The raw one may spell it in another way: `/%61dmin/v1` is `/admin/v1`.
import type { FastifyRequest } from 'fastify';

/** The path of its route; without one, the path as it was sent. */
export const servedPath = ({ routeOptions, raw }: FastifyRequest): string =>
  routeOptions.url ?? raw.url ?? '';
