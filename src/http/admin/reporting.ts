// Status reports of the back office go through the gate with the credential of their request: the gate commits them
// only while it is valid (contract 5.2a).
import type { FastifyRequest } from 'fastify';
import type { Outcome, ReportCommand } from '../../domain/commands.ts';
import type { Credential } from '../../domain/credentials.ts';
import { hashKey } from '../../keys.ts';
import { reportFields } from '../channel/orders.ts';
import type { StatusRequest } from '../channel/schemas.ts';
import type { Services } from '../services.ts';
import { submit } from '../traced.ts';
import { actorOf, operatorOf, type Operator } from './auth.ts';
import { Refusal } from './refusal.ts';

/** A status report, by the same rules as for channels. */
export async function reporting(
  services: Services,
  request: FastifyRequest,
  orderId: number,
  body: StatusRequest,
): Promise<Outcome> {
  const outcome = await submit(services, reportCommand(request, orderId, body), request);
  if (outcome.kind === 'credential_revoked') throw Refusal.unauthorized();
  return outcome;
}

/** What such a report asks of the gate. */
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

/** What is known of a report that was refused. */
export function factsOf(refused: Outcome): object {
  const { kind: _, ...facts } = refused;
  return facts;
}

/** The token from the environment has none: it changes only with a restart. */
function credentialOf({ role, session, token_id }: Operator): Credential | undefined {
  if (session) return { of: 'session', id: hashKey(session.session_id).toString('base64'), role };
  return token_id === null ? undefined : { of: 'token', id: String(token_id), role };
}
