// A request of an operator keeps its turn until its response has ended.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Turns } from '../queues/turns.ts';
import type { BackOffice } from './back-office.ts';
import { goneSignal, whenOver } from '../http/response-end.ts';
import { closeIfSlow } from '../http/slow-readers.ts';
import { operatorOf } from './auth.ts';

/** 128 kbit/s; what a client takes at once counts for the time after it. */
const EXPORT_BYTES_PER_S_MIN = 16 * 1024;
const PRODUCT_INFO = '/product-info';

/** A trial costs as much as what it tries, and callers repeat it. */
const isTrial = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'dry_run' in body && body.dry_run === true;

function turnsOf(
  { turns: { admin } }: BackOffice,
  { method, body, routeOptions }: FastifyRequest,
): Turns | null {
  const { url = '', config } = routeOptions;
  if (config.entrance !== undefined) return null;
  if (url.endsWith('/export')) return admin.exports;
  if (url.endsWith('/import')) return admin.imports;
  // It calls the channel first, and takes its turn afterwards: a slow channel must not hold a turn.
  if (url.includes(PRODUCT_INFO)) return null;
  return method === 'GET' || method === 'HEAD' || isTrial(body) ? admin.reads : null;
}

/** A preHandler hook. */
export const waitForTurn =
  (services: BackOffice) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const turns = turnsOf(services, request);
    if (!turns) return;
    const end = await turns.take(operatorOf(request).name, goneSignal(request.raw, reply.raw));
    whenOver(request.raw, reply.raw, end);
    // A client that stops reading, or reads too slowly, gives its turn back.
    if (turns !== services.turns.admin.exports) return;
    const { send_ms } = services.config.timeouts;
    request.raw.socket.setTimeout(send_ms);
    closeIfSlow(request.raw, reply.raw, { patience_ms: send_ms, bytes_per_s_min: EXPORT_BYTES_PER_S_MIN });
  };
