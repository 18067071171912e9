// Signing in as a whole: throttled, checked, and a new session; the answers tell nothing about which part was wrong.
import type { FastifyRequest } from 'fastify';
import { addressGroup } from '../../domain/client-address.ts';
import { verifyPassword } from '../../passwords.ts';
import {
  findAccountByEmail,
  lockAccount,
  normalEmail,
  noteSignIn,
  type AccountWithHash,
} from '../../store/accounts.ts';
import { insertAudit } from '../../store/audit.ts';
import { inTransaction, reading } from '../../store/transactions.ts';
import { endSession, openSession } from '../../store/sessions.ts';
import { clientAddressOf } from '../client-address.ts';
import type { Services } from '../services.ts';
import type { OwnSession } from './auth.ts';
import { sessionIdOf } from './session-cookie.ts';
import { SignInThrottle } from './sign-in-throttle.ts';

const FAILURES_PER_EMAIL_MAX = 5;
/** More, because a whole office may sit behind one address. */
const FAILURES_PER_ADDRESS_MAX = 20;

export interface Throttles {
  email: SignInThrottle;
  address: SignInThrottle;
}

export const createThrottles = (): Throttles => ({
  email: new SignInThrottle(FAILURES_PER_EMAIL_MAX),
  address: new SignInThrottle(FAILURES_PER_ADDRESS_MAX),
});

export type Verdict<T> = { right: T } | { wait_seconds: number } | 'wrong';

/**
 * Counts against both keys; `check` gives null for a wrong password. While a key is locked nothing is checked:
 * the right password is refused too, and so a lock tells nothing.
 */
export async function throttled<T>(
  throttles: Throttles,
  keys: { email: string; address: string },
  check: () => Promise<T | null>,
): Promise<Verdict<T>> {
  const { email, address } = throttles;
  const wait = Math.max(email.lockedSeconds(keys.email), address.lockedSeconds(keys.address));
  if (wait > 0) return { wait_seconds: wait };
  email.count(keys.email);
  address.count(keys.address);
  try {
    const right = await check();
    if (right === null) return 'wrong';
    email.forget(keys.email);
    address.uncount(keys.address);
    return { right };
  } catch (error) {
    // Nothing was found out: the database is away, or too many wait.
    email.uncount(keys.email);
    address.uncount(keys.address);
    throw error;
  }
}

/** Whose failures are counted together. */
export const addressGroupOf = (request: FastifyRequest, { config }: Services): string =>
  addressGroup(clientAddressOf(request, config));

export function signIn(
  services: Services,
  throttles: Throttles,
  request: FastifyRequest,
  given: { email: string; password: string },
): Promise<Verdict<OwnSession>> {
  const email = normalEmail(given.email);
  const address = addressGroupOf(request, services);
  return throttled(throttles, { email, address }, async () => {
    const account = await reading(services.pool, (tx) => findAccountByEmail(tx, email));
    const matches = await verifyPassword(given.password, account?.password_hash ?? null);
    return matches && account ? open(services, request, account) : null;
  });
}

/** Under the account's lock: it may have been deactivated, or its password reset, while the hash was made. */
const open = (
  services: Services,
  request: FastifyRequest,
  checked: AccountWithHash,
): Promise<OwnSession | null> =>
  inTransaction(services.pool, async (tx) => {
    const account = await lockAccount(tx, checked.id);
    if (!account?.is_active || account.password_hash !== checked.password_hash) return null;
    // An id that was there before is never adopted; if it was a session's, that one is over.
    const before = sessionIdOf(request, services.config);
    if (before !== null) await endSession(tx, before);
    await noteSignIn(tx, account.id);
    const name = `user:${account.email}`;
    const entry = { action: 'session.sign_in', subject: name, before: null, after: null };
    await insertAudit(tx, { actor: name, request_id: request.id }, entry);
    const { session_id, signedIn } = await openSession(tx, account.id);
    return { session_id, ...signedIn };
  });
