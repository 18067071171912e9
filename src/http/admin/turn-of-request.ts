// A request of an operator keeps its turn until its response has ended.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Turns } from '../../engine/turns.ts';
import type { Services } from '../services.ts';
import { goneSignal, whenOver } from '../transport/response-end.ts';
import { operatorOf } from './auth.ts';

function turnsOf({ turns: { admin } }: Services, { method, routeOptions }: FastifyRequest): Turns | null {
  const { url = '', config } = routeOptions;
  if (config.entrance !== undefined) return null;
  if (url.endsWith('/export')) return admin.exports;
  if (url.endsWith('/import')) return admin.imports;
  return method === 'GET' || method === 'HEAD' ? admin.reads : null;
}

/** A preHandler hook. */
export const waitForTurn =
  (services: Services) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const turns = turnsOf(services, request);
    if (!turns) return;
    const end = await turns.take(operatorOf(request).name, goneSignal(request.raw, reply.raw));
    whenOver(request.raw, reply.raw, end);
    // A client that stops reading gives its turn back. The timeout restarts whenever the client reads.
    if (turns === services.turns.admin.exports)
      request.raw.socket.setTimeout(services.config.timeouts.send_ms);
  };
