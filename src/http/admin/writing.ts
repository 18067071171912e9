// Transactions of the back office. Each begins by holding the credentials of its request, so that it commits only while
// they are valid (contract 5.2a): a token or session that was revoked before is refused, and a revocation waits for
// the transactions that hold it. Once a revocation is answered, nothing is committed in its name. Status reports are
// written by the gate, which does the same in its own transaction: see reporting.ts.
import type { FastifyRequest } from 'fastify';
import type { Actor, Done } from '../../backoffice/changing.ts';
import { isRefused, type Refused } from '../../backoffice/refused.ts';
import type { Tx } from '../../store/database.ts';
import { holdSession } from '../../store/sessions.ts';
import { holdToken, type Role } from '../../store/tokens.ts';
import { inTransaction } from '../../store/transactions.ts';
import type { Services } from '../services.ts';
import { actorOf, operatorOf, type Operator } from './auth.ts';
import { Refusal, refusalOf } from './refusal.ts';

/** What became of a change that the back office was to make in the name of the request. A refused one is rolled back. */
export function outcomeOf<Outcome extends Done | Refused>(
  services: Services,
  request: FastifyRequest,
  work: (tx: Tx, by: Actor) => Promise<Outcome>,
): Promise<Outcome> {
  const operator = operatorOf(request);
  const holding = async (tx: Tx): Promise<Outcome> => {
    // Another role than the one that was judged: the request is judged anew when it is sent again.
    if ((await hold(tx, operator)) !== operator.role) throw Refusal.unauthorized();
    return work(tx, actorOf(request));
  };
  return inTransaction(services.pool, holding, (outcome) => !isRefused(outcome));
}

/** The same, where every refusal is an answer as it is. */
export async function change<Outcome extends Done | Refused>(
  services: Services,
  request: FastifyRequest,
  work: (tx: Tx, by: Actor) => Promise<Outcome>,
): Promise<Exclude<Outcome, Refused>> {
  const outcome = await outcomeOf(services, request, work);
  if (isRefused(outcome)) throw refusalOf(outcome);
  return outcome as Exclude<Outcome, Refused>;
}

async function hold(tx: Tx, { role, session, token_id }: Operator): Promise<Role | undefined> {
  if (session) return holdSession(tx, session.session_id);
  // The token of the environment changes only with a restart.
  return token_id === null ? role : holdToken(tx, token_id);
}
