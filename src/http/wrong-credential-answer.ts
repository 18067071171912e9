// The response to a wrong key or token: 401, or 429 after too many attempts from one address.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressGroup } from '../domain/client-address.ts';
import { nameReason } from './channel/reasons.ts';
import { refuse } from './refuse.ts';
import type { Services } from './services.ts';
import { clientAddressOf } from './transport/client-address.ts';

const TOO_MANY = 'Too many wrong keys or tokens from this address: wait for as long as Retry-After says.';

/** Whether the next wrong key or token from this address is answered with 429. */
export const isGuessing = ({ config, wrongCredentials }: Services, request: FastifyRequest): boolean =>
  wrongCredentials.isThrottled(addressGroup(clientAddressOf(request, config)));

/** null: the caller sends 401. Otherwise the response was sent. */
export function throttleGuessing(
  { config, metrics, wrongCredentials }: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  kind: 'key' | 'token',
): FastifyReply | null {
  const seconds = wrongCredentials.count(addressGroup(clientAddressOf(request, config)));
  metrics.wrongCredential(kind, seconds > 0);
  if (seconds === 0) return null;
  reply.header('retry-after', seconds);
  // The body is that of the channel API's other 429, because version 1 only allows additions.
  if (kind === 'key')
    return nameReason(reply, 'rate_limited').code(429).send({ error: TOO_MANY, code: 'rate_limited' });
  const details = { retry_after_seconds: seconds };
  return refuse(reply, { status: 429, reason: 'rate_limited', error: TOO_MANY, details });
}
