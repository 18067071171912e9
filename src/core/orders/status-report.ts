// Status reports of the back office go through the gate with the credential of their request. The gate commits them
// only while the credential is valid (contract 5.2a).
import type { FastifyRequest } from 'fastify';
import type { Outcome, ReportCommand } from '../rules/commands.ts';
import type { Credential } from '../../platform/accounts/credential-rules.ts';
import { hashKey } from '../../platform/secrets/keys.ts';
import { reportFields } from '../channel-api/orders.ts';
import type { StatusRequest } from '../channel-api/schemas.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { submit, type ToGate } from '../gate/submit.ts';
import { actorOf, operatorOf, type Operator } from '../../platform/accounts/auth.ts';
import { Refusal } from '../../platform/admin-api/refusal.ts';

/** A status report, by the same rules as for channels. */
export async function reporting(
  services: BackOffice & ToGate,
  request: FastifyRequest,
  orderId: number,
  body: StatusRequest,
): Promise<Outcome> {
  const outcome = await submit(services, reportCommand(request, orderId, body), request);
  if (outcome.kind === 'credential_revoked') throw Refusal.unauthorized();
  return outcome;
}

/** The command for the gate. */
export const reportCommand = (
  request: FastifyRequest,
  orderId: number,
  body: StatusRequest,
): ReportCommand => ({
  ...reportFields(body),
  target: { order_id: orderId },
  source: 'back_office',
  credential: credentialOf(operatorOf(request)),
  ...actorOf(request),
});

/** The facts of a refused report. */
export function factsOf(refused: Outcome): object {
  const { kind: _, ...facts } = refused;
  return facts;
}

/** undefined for the token from the environment, which changes only with a restart. */
function credentialOf({ role, session, token_id }: Operator): Credential | undefined {
  if (session) return { of: 'session', id: hashKey(session.session_id).toString('base64'), role };
  return token_id === null ? undefined : { of: 'token', id: String(token_id), role };
}
