// The session cookie, and CSRF protection of requests with it.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config/config.ts';
import { hashKey } from '../secrets/keys.ts';

type Address = Pick<Config, 'public_url'>;

const isSecure = ({ public_url }: Address): boolean => public_url?.startsWith('https:') === true;

/** With the prefix __Host- browsers accept the cookie only over TLS and from this host. */
const nameOf = (config: Address, name = 'sluice_session'): string =>
  isSecure(config) ? `__Host-${name}` : name;

const attributesOf = (config: Address): string =>
  `Path=/; HttpOnly; SameSite=Strict${isSecure(config) ? '; Secure' : ''}`;

export const setSessionCookie = (reply: FastifyReply, config: Address, id: string): FastifyReply =>
  reply.header('set-cookie', `${nameOf(config)}=${id}; ${attributesOf(config)}`);

export const clearSessionCookie = (reply: FastifyReply, config: Address): FastifyReply =>
  reply.header('set-cookie', `${nameOf(config)}=; ${attributesOf(config)}; Max-Age=0`);

/** A persistent cookie: it survives closing the browser. */
export const addCookie = (
  reply: FastifyReply,
  config: Address,
  name: string,
  value: string,
  seconds: number,
): FastifyReply =>
  reply.header('set-cookie', `${nameOf(config, name)}=${value}; ${attributesOf(config)}; Max-Age=${seconds}`);

/** Lax: the browser sends it when the OpenID provider redirects back. */
export const addRedirectCookie = (
  reply: FastifyReply,
  config: Address,
  name: string,
  value: string,
  seconds: number,
): FastifyReply =>
  reply.header(
    'set-cookie',
    `${nameOf(config, name)}=${value}; ${attributesOf(config).replace('Strict', 'Lax')}; Max-Age=${seconds}`,
  );

const SESSION_ID = /^[\w-]{43}$/;

export function sessionIdOf(request: FastifyRequest, config: Address): string | null {
  const id = cookieOf(request, config);
  return SESSION_ID.test(id) ? id : null;
}

/** Empty if there is none. */
export function cookieOf(request: FastifyRequest, config: Address, name?: string): string {
  const start = `${nameOf(config, name)}=`;
  const found = (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(start));
  return found?.slice(start.length) ?? '';
}

/** Derived one-way from the session's id, which pages cannot read. */
export const csrfTokenOf = (sessionId: string): string =>
  createHmac('sha256', sessionId).update('sluice csrf token').digest('base64url');

/** Both sides are hashed, so that the comparison takes constant time for any length. */
export function hasCsrfToken(request: FastifyRequest, sessionId: string): boolean {
  const given = request.headers['x-csrf-token'];
  return typeof given === 'string' && timingSafeEqual(hashKey(given), hashKey(csrfTokenOf(sessionId)));
}

/** Browsers send the origin of a request; other clients do not. */
export function isForeign({ headers }: Pick<FastifyRequest, 'headers'>, { public_url }: Address): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (site === 'cross-site') return true;
  if (origin === undefined || origin === public_url) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host?.toLowerCase();
}
