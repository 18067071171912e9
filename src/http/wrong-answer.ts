// The answer to a wrong key or token: 401, or 429 for an address that has sent too many of them.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressGroup } from '../domain/client-address.ts';
import { nameReason } from './channel/reasons.ts';
import { clientAddressOf } from './transport/client-address.ts';
import type { Services } from './services.ts';

const TOO_MANY = 'Too many wrong keys or tokens from this address: wait for as long as Retry-After says.';

/** null: 401 as ever. Otherwise the answer was sent. */
export function answerGuessing(
  { config, metrics, wrongCredentials }: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  kind: 'key' | 'token',
): FastifyReply | null {
  const seconds = wrongCredentials.count(addressGroup(clientAddressOf(request, config)));
  metrics.wrongCredential(kind, seconds > 0);
  if (seconds === 0) return null;
  // As the channel API describes its other 429: its first version takes additions only.
  const code = kind === 'key' ? { code: 'rate_limited' } : {};
  return nameReason(reply, 'rate_limited')
    .code(429)
    .header('retry-after', seconds)
    .send({ error: TOO_MANY, ...code });
}
