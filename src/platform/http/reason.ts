// The header `Sluice-Error`: why a request was refused, for programs whose bodies are fixed (contract 10.2).
import type { FastifyInstance, FastifyReply } from 'fastify';
import { servedPath } from './served-path.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Refusals below this path carry the header. */
    reasons_below: string;
  }
}

/** The reasons of refusals that need no route. `core/channel-api/reasons.ts` has all of them. */
export type TransportReason =
  | 'validation'
  | 'not_found'
  | 'rate_limited'
  | 'request_timeout'
  | 'overloaded'
  | 'unavailable'
  | 'internal';

export const REASON_HEADER = 'sluice-error';

export const nameReasonsBelow = (app: FastifyInstance, path: string): FastifyInstance =>
  app.decorate('reasons_below', path);

/** The admin API shares the transport's refusals, but not the header. */
export const setReason = (reply: FastifyReply, reason: string): FastifyReply =>
  servedPath(reply.request).startsWith(reply.server.reasons_below)
    ? reply.header(REASON_HEADER, reason)
    : reply;
