// Wrong keys and tokens. Contract 5.5, 10.11: a wrong key is always 401, and too many of them end the lookups. A wrong
// admin token is 401, or 429 after too many attempts from one address.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressGroup } from '../values/client-address.ts';
import { refuse } from '../http/refuse.ts';
import type { BackOffice } from './back-office.ts';
import { clientAddressOf } from '../http/client-address.ts';

const TOO_MANY = 'Too many wrong keys or tokens from this address: wait for as long as Retry-After says.';

/** Whether the address has sent too many wrong keys and tokens in this minute. Its unknown keys are not looked up. */
export const isGuessing = ({ config, wrongCredentials }: BackOffice, request: FastifyRequest): boolean =>
  wrongCredentials.isThrottled(addressGroup(clientAddressOf(request, config)));

/** Returns the seconds after which the address may try again; 0: it has not reached the limit. */
export function countGuess(
  { config, metrics, wrongCredentials }: BackOffice,
  request: FastifyRequest,
  kind: 'key' | 'token',
): number {
  const seconds = wrongCredentials.count(addressGroup(clientAddressOf(request, config)));
  metrics.wrongCredential(kind, kind === 'token' && seconds > 0);
  return seconds;
}

/** For a wrong admin token. null: the caller sends 401. Otherwise the response was sent. */
export function throttleGuessing(
  services: BackOffice,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | null {
  const retry_after_seconds = countGuess(services, request, 'token');
  if (retry_after_seconds === 0) return null;
  reply.header('retry-after', retry_after_seconds);
  const details = { retry_after_seconds };
  return refuse(reply, { status: 429, reason: 'rate_limited', error: TOO_MANY, details });
}
