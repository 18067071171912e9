// Sign-in at the provider: the transactions in which a callback is used and a session is opened.
import type { FastifyRequest } from 'fastify';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { oneTimePassword } from '../../platform/accounts/changes.ts';
import { sessionIdOf } from '../../platform/accounts/session-cookie.ts';
import { deviceOf } from '../../platform/accounts/sign-in.ts';
import { inTransaction } from '../../platform/database/transactions.ts';
import { signInByProvider, type Identity } from './changes.ts';
import { useSignOn } from './store.ts';

/** Opens a session for an identity that the OpenID provider has confirmed, and creates its account if there is none. */
export async function enterByProvider(
  services: BackOffice,
  request: FastifyRequest,
  identity: Identity,
): Promise<Awaited<ReturnType<typeof signInByProvider>>> {
  const { password_hash } = await oneTimePassword();
  const by = { actor: `user:${identity.email}`, request_id: request.id };
  const before = sessionIdOf(request, services.config);
  const device = deviceOf(request, services);
  return inTransaction(
    services.pool,
    (tx) => signInByProvider(tx, by, { identity, password_hash, before, device }),
    (outcome) => outcome.kind === 'done',
  );
}

/** Whether the sign-in at the provider with this state was not finished before, in any process. */
export const isFirstUse = ({ pool }: BackOffice, state: string): Promise<boolean> =>
  inTransaction(pool, (tx) => useSignOn(tx, state));
