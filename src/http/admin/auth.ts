// Who is at the desk: a bearer token, from the environment or from the token table, and what its role allows.
import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashKey } from '../../keys.ts';
import type { Actor } from '../../store/audit.ts';
import { DatabaseUnavailable, failureOf } from '../../store/database.ts';
import { ROLES, useToken, type Role } from '../../store/tokens.ts';
import type { Services } from '../services.ts';

export interface Operator {
  name: string;
  role: Role;
}

declare module 'fastify' {
  interface FastifyRequest {
    operator: Operator | null;
  }
  interface FastifyContextConfig {
    /** The least role that may call the route; viewer when not said. */
    role?: Role;
  }
}

const allows = (has: Role, needs: Role): boolean => ROLES.indexOf(has) >= ROLES.indexOf(needs);

/** An onRequest hook for the whole prefix: 401 without credentials, 403 without the right. */
export function guard(services: Services) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const operator = await identify(services, request);
    if (!operator) {
      const text = 'Send "Authorization: Bearer <token>" with a valid admin token.';
      return reply.code(401).header('www-authenticate', 'Bearer').send({ error: text });
    }
    const needs = request.routeOptions.config.role ?? 'viewer';
    if (!allows(operator.role, needs)) {
      return reply.code(403).send({ error: `This needs the role ${needs}; the token has ${operator.role}.` });
    }
    request.operator = operator;
    return undefined;
  };
}

async function identify(services: Services, request: FastifyRequest): Promise<Operator | null> {
  const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (token === undefined) return null;
  const { admin_token } = services.config;
  if (admin_token !== null && timingSafeEqual(hashKey(token), hashKey(admin_token))) {
    return { name: 'environment', role: 'admin' };
  }
  try {
    const row = await useToken(services.pool, token);
    return row ? { name: `token:${row.name}`, role: row.role } : null;
  } catch (error) {
    throw failureOf(error) === 'unexpected' ? error : new DatabaseUnavailable(error);
  }
}

export function actorOf(request: FastifyRequest): Actor {
  if (!request.operator) throw new Error('the route is not behind the guard');
  return { actor: request.operator.name, request_id: request.id };
}
