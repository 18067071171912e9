// Authentication and authorization of the admin API. Credentials are a bearer token, from the environment or the token
// table, or the session of an account; the role decides which routes they may call.
import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../audit/change.ts';
import { hashKey } from '../secrets/keys.ts';
import { reading } from '../database/transactions.ts';
import { useSession, type SignedIn } from './sessions-store.ts';
import { useToken } from './tokens-store.ts';
import { ROLES, type Role } from '../values/roles.ts';
import type { BackOffice } from './back-office.ts';
import { clientAddressOf } from '../http/client-address.ts';
import { throttleGuessing } from './wrong-credential-answer.ts';
import { CREDENTIALS_INVALID, CREDENTIALS_REQUIRED } from '../admin-api/refusal.ts';
import { hasCsrfToken, isForeign, sessionIdOf } from './session-cookie.ts';

export interface Operator {
  name: string;
  role: Role;
  /** null: a bearer token */
  session: OwnSession | null;
  /** null: a session, or the token of the environment */
  token_id: number | null;
}

export interface OwnSession extends SignedIn {
  session_id: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    operator: Operator | null;
  }
  interface FastifyContextConfig {
    /** The lowest role that may call the route; viewer by default. */
    role?: Role;
    /**
     * Exceptions for signing in and out. `open`: without credentials. `redirect`: as `open`, also from pages of other
     * sites. `session`: also while the password must be changed or a second factor set up. `account`: as `session`, but
     * not with tokens.
     */
    entrance?: 'open' | 'redirect' | 'session' | 'account';
  }
}

const allows = (has: Role, needs: Role): boolean => ROLES.indexOf(has) >= ROLES.indexOf(needs);

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

interface No {
  status: 401 | 403;
  body: { error: string; code: string; details?: object };
}
const forbidden = (code: string, error: string, details?: object): No => ({
  status: 403,
  body: { error, code, ...(details === undefined ? {} : { details }) },
});
const FOREIGN = forbidden('csrf', 'This request comes from a page of another site.');

/** An onRequest hook for the whole prefix: 401 without valid credentials, 403 if the role does not allow the route. */
export function guard(services: BackOffice) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const no = await objection(services, request);
    if (!no) return undefined;
    if (no.status === 401) {
      reply.header('www-authenticate', 'Bearer');
      const guessing = bearerOf(request) === undefined ? null : throttleGuessing(services, request, reply);
      if (guessing) return guessing;
    }
    return reply.code(no.status).send(no.body);
  };
}

/** A preValidation hook: a body may take long to arrive, so the credentials are checked again (contract 5.2a). */
export function guardAgain(services: BackOffice) {
  const judge = guard(services);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> =>
    request.body === undefined ? undefined : judge(request, reply);
}

async function objection(services: BackOffice, request: FastifyRequest): Promise<No | null> {
  const { entrance, role: needs = 'viewer' } = request.routeOptions.config;
  if (entrance === 'open') return isForeign(request, services.config) ? FOREIGN : null;
  if (entrance === 'redirect') return null;
  const operator = await identify(services, request);
  if (!operator) return { status: 401, body: refusedCredentials(services, request) };
  const { session, role } = operator;
  if (session && !SAFE_METHODS.includes(request.method)) {
    if (isForeign(request, services.config)) return FOREIGN;
    if (!hasCsrfToken(request, session.session_id))
      return forbidden('csrf', 'X-CSRF-Token is missing or belongs to another session.');
  }
  if (!session && entrance === 'account')
    return forbidden('account_required', 'This needs a signed-in account; you sent a token.');
  if (session?.must_change_password && entrance === undefined)
    return forbidden('password_change_required', 'Change your password first.');
  if (session?.must_set_up_second_factor && entrance === undefined)
    return forbidden('second_factor_setup_required', 'Set up two-step sign-in first.');
  if (!allows(role, needs)) {
    const details = { required_role: needs, role };
    return forbidden('role_required', `This needs the role ${needs}; you have ${role}.`, details);
  }
  request.operator = operator;
  return null;
}

const refusedCredentials = (services: BackOffice, request: FastifyRequest): No['body'] =>
  bearerOf(request) === undefined && sessionIdOf(request, services.config) === null
    ? CREDENTIALS_REQUIRED
    : CREDENTIALS_INVALID;

/** If a request has both, the bearer token is used. */
async function identify(services: BackOffice, request: FastifyRequest): Promise<Operator | null> {
  const token = bearerOf(request);
  if (token !== undefined) return identifyToken(services, token);
  const session_id = sessionIdOf(request, services.config);
  if (session_id === null) return null;
  const address = clientAddressOf(request, services.config);
  const found = await reading(services.pool, (tx) => useSession(tx, session_id, address));
  return found
    ? { name: `user:${found.email}`, role: found.role, session: { session_id, ...found }, token_id: null }
    : null;
}

const bearerOf = ({ headers }: FastifyRequest): string | undefined =>
  /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];

/** For routes outside the admin API that a token of any role may read. */
export async function hasToken(services: BackOffice, request: FastifyRequest): Promise<boolean> {
  const token = bearerOf(request);
  return token !== undefined && (await identifyToken(services, token)) !== null;
}

async function identifyToken(services: BackOffice, token: string): Promise<Operator | null> {
  const { admin_token } = services.config;
  if (admin_token !== null && timingSafeEqual(hashKey(token), hashKey(admin_token)))
    return { name: 'environment', role: 'admin', session: null, token_id: null };
  const row = await reading(services.pool, (tx) => useToken(tx, token));
  return row ? { name: `token:${row.name}`, role: row.role, session: null, token_id: row.id } : null;
}

export function operatorOf(request: FastifyRequest): Operator {
  if (!request.operator) throw new Error('the route is not behind the guard');
  return request.operator;
}

/** For routes with `entrance: 'account'`. */
export function ownSessionOf(request: FastifyRequest): OwnSession {
  const { session } = operatorOf(request);
  if (!session) throw new Error('the route lets tokens in');
  return session;
}

export const actorOf = (request: FastifyRequest): Actor => ({
  actor: operatorOf(request).name,
  request_id: request.id,
});
