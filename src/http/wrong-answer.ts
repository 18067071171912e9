// The answer to a wrong key or token: 401, or 429 after too many from one address.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressGroup } from '../domain/client-address.ts';
import { nameReason } from './channel/reasons.ts';
import { clientAddressOf } from './transport/client-address.ts';
import type { Services } from './services.ts';

const TOO_MANY = 'Too many wrong keys or tokens from this address: wait for as long as Retry-After says.';

/** null: the caller sends 401. Otherwise the response was sent. */
export function answerGuessing(
  { config, metrics, wrongCredentials }: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  kind: 'key' | 'token',
): FastifyReply | null {
  const seconds = wrongCredentials.count(addressGroup(clientAddressOf(request, config)));
  metrics.wrongCredential(kind, seconds > 0);
  if (seconds === 0) return null;
  // As in the channel API's other 429; version 1 allows additions only.
  const code = kind === 'key' ? { code: 'rate_limited' } : {};
  return nameReason(reply, 'rate_limited')
    .code(429)
    .header('retry-after', seconds)
    .send({ error: TOO_MANY, ...code });
}
