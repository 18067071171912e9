// Transactions of the back office. Each one first locks the credentials of its request, so that it commits only while
// they are valid (contract 5.2a): a revoked token or session is refused, and a revocation waits for transactions that
// have pinned it. After the response to a revocation, nothing is committed with the credential. Status reports are written by
// the gate, which does the same in its own transaction: see status-report.ts.
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../audit/change.ts';
import { doneOr, isKept, type Done } from '../admin-api/outcome.ts';
import type { Refused } from '../admin-api/refused.ts';
import type { Tx } from '../database/database.ts';
import { pinSession } from './sessions-store.ts';
import { pinToken } from './tokens-store.ts';
import type { Role } from '../values/roles.ts';
import { factsInZone } from '../values/timestamps.ts';
import { inTransaction } from '../database/transactions.ts';
import type { BackOffice } from './back-office.ts';
import { actorOf, operatorOf, type Operator } from './auth.ts';
import { Refusal, refusalOf } from '../admin-api/refusal.ts';

/**
 * Runs a change of the back office in a transaction with the request's credentials, and returns its outcome. Refusals,
 * refused files and dry runs are rolled back.
 */
export function outcomeOf<Outcome extends Done | Refused>(
  services: BackOffice,
  request: FastifyRequest,
  work: (tx: Tx, by: Actor) => Promise<Outcome>,
  { dry_run = false }: { dry_run?: boolean } = {},
): Promise<Outcome> {
  const operator = operatorOf(request);
  const pinned = async (tx: Tx): Promise<Outcome> => {
    // The role has changed since the request was authorized.
    if ((await pin(tx, operator)) !== operator.role) throw Refusal.unauthorized();
    return work(tx, actorOf(request));
  };
  return inTransaction(services.pool, pinned, (outcome) => !dry_run && isKept(outcome));
}

/** As `outcomeOf`, but throws every refusal. */
export async function change<Outcome extends Done | Refused>(
  services: BackOffice,
  request: FastifyRequest,
  work: (tx: Tx, by: Actor) => Promise<Outcome>,
  options: { dry_run?: boolean } = {},
): Promise<Exclude<Outcome, Refused>> {
  return doneOr(await outcomeOf(services, request, work, options), (no) =>
    refusalOf(factsInZone(no, services.formatTimestamp)),
  );
}

async function pin(tx: Tx, { role, session, token_id }: Operator): Promise<Role | undefined> {
  if (session) return pinSession(tx, session.session_id);
  // The token from the environment changes only with a restart.
  return token_id === null ? role : pinToken(tx, token_id);
}
