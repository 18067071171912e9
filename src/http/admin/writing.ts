// Transactions of the back office. Each begins by holding the credentials of its request, so that it commits only while
// they are valid (contract 5.2a): a token or session that was revoked before is refused, and a revocation waits for
// the transactions that hold it. Once a revocation is answered, nothing is committed in its name.
import type { FastifyRequest } from 'fastify';
import type { Tx } from '../../store/database.ts';
import { holdSession } from '../../store/sessions.ts';
import { holdToken, type Role } from '../../store/tokens.ts';
import { inTransaction, type Transact } from '../../store/transactions.ts';
import type { Services } from '../services.ts';
import { operatorOf, type Operator } from './auth.ts';
import { Refusal } from './refusal.ts';

export function writing<T>(
  services: Services,
  request: FastifyRequest,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const operator = operatorOf(request);
  return inTransaction(services.pool, async (tx) => {
    // Another role than the one that was judged: the request is judged anew when it is sent again.
    if ((await hold(tx, operator)) !== operator.role) throw Refusal.unauthorized();
    return work(tx);
  });
}

/** For functions of the engine that open their transactions themselves. */
export const writerFor =
  (services: Services, request: FastifyRequest): Transact =>
  (work) =>
    writing(services, request, work);

async function hold(tx: Tx, { role, session, token_id }: Operator): Promise<Role | undefined> {
  if (session) return holdSession(tx, session.session_id);
  // The token of the environment changes only with a restart.
  return token_id === null ? role : holdToken(tx, token_id);
}
