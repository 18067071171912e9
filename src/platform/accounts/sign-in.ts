// Sign-in: throttles attempts, checks them and opens a session. The responses do not reveal which part was wrong.
import type { FastifyRequest } from 'fastify';
import { recordFailedSignIn, signIn, type Entered } from './sessions-changes.ts';
import { normalEmail } from './changes.ts';
import { addressGroup } from '../values/client-address.ts';
import { NO_OTHERS } from '../supervisor/other-workers.ts';
import { isAudited } from './sign-in-limits-rules.ts';
import { ensureHashingHasRoom, verifyPassword } from '../passwords/passwords.ts';
import { findAccountByEmail, type AccountWithHash } from './store.ts';
import {
  countFailure,
  ownCounter,
  unknownDeviceCounters,
  uncountFailure,
  unknownCounter,
  waitSeconds,
  type Counter,
} from './sign-in-failures-store.ts';
import { inTransaction, reading } from '../database/transactions.ts';
import { clientAddressOf } from '../http/client-address.ts';
import type { BackOffice } from './back-office.ts';
import type { Device } from './sessions-store.ts';
import { knownDeviceOf } from './device-cookie.ts';
import { sessionIdOf } from './session-cookie.ts';

/** `wrong`: the number of failures of each counter. */
export type PasswordCheck<T> = { right: T } | { wait_seconds: number } | { wrong: readonly number[] };

/**
 * `check` returns null for a wrong password. While a counter is locked, no password is checked: the correct one is
 * refused as well, so a lock reveals nothing.
 */
export async function throttled<T>(
  { pool }: Pick<BackOffice, 'pool'>,
  counters: readonly Counter[],
  check: () => Promise<T | null>,
): Promise<PasswordCheck<T>> {
  const wait_seconds = await reading(pool, (tx) => waitSeconds(tx, counters));
  if (wait_seconds > 0) return { wait_seconds };
  const counted = await inTransaction(pool, (tx) => countFailure(tx, counters));
  if ('wait_seconds' in counted) return counted;
  const uncount = (outcome: 'right' | 'nothing') =>
    inTransaction(pool, (tx) => uncountFailure(tx, counters, outcome));
  let right: T | null;
  try {
    right = await check();
  } catch (error) {
    // The check did not finish: the database is unavailable, or too many sign-ins are waiting.
    await uncount('nothing').catch(() => {});
    throw error;
  }
  if (right === null) return { wrong: counted.failures };
  await uncount('right');
  return { right };
}

export interface Given {
  email: string;
  password: string;
  /** A one-time code or a recovery code; null: none. */
  code: string | null;
}

/** The password is correct, and the account has a second factor. */
export class CodeRequired extends Error {
  constructor() {
    super('a code is required');
    this.name = 'CodeRequired';
  }
}

/** One address must not fill the queue for password hashing. */
const AT_ONCE_PER_ADDRESS_MAX = 8;
/** The same for one of several workers. */
const AT_ONCE_PER_WORKER_MIN = 2;
const RETRY_AFTER_SECONDS = 1;

const atOnceMax = ({ others, config }: BackOffice): number =>
  others === NO_OTHERS
    ? AT_ONCE_PER_ADDRESS_MAX
    : Math.max(AT_ONCE_PER_WORKER_MIN, Math.ceil(AT_ONCE_PER_ADDRESS_MAX / config.workers));

/** Sign-ins in progress by address, in this process. */
export type UnderWay = Map<string, number>;

export async function attemptSignIn(
  services: BackOffice,
  underWay: UnderWay,
  request: FastifyRequest,
  given: Given,
): Promise<PasswordCheck<Entered>> {
  ensureHashingHasRoom();
  const group = addressGroup(clientAddressOf(request, services.config));
  const others = underWay.get(group) ?? 0;
  if (others >= atOnceMax(services)) return { wait_seconds: RETRY_AFTER_SECONDS };
  underWay.set(group, others + 1);
  try {
    return await attempt(services, request, given, group);
  } finally {
    const left = (underWay.get(group) ?? 1) - 1;
    if (left > 0) underWay.set(group, left);
    else underWay.delete(group);
  }
}

async function attempt(
  services: BackOffice,
  request: FastifyRequest,
  given: Given,
  group: string,
): Promise<PasswordCheck<Entered>> {
  const email = normalEmail(given.email);
  const account = await reading(services.pool, (tx) => findAccountByEmail(tx, email));
  const device = account ? knownDeviceOf(request, services.config, account) : null;
  const counters =
    device === null
      ? [...unknownDeviceCounters(email, group), ...(account ? [] : [unknownCounter(group)])]
      : [ownCounter(email, device)];
  const verdict = await throttled(services, counters, async () => {
    const matches = await verifyPassword(
      given.password,
      account?.password_hash ?? null,
      services.config.password_cost_log2,
    );
    if (!matches || !account) return null;
    // Neither counts as a failure nor clears earlier ones: knowing the password must not reset the limit on guessed codes.
    if (account.has_second_factor && given.code === null) throw new CodeRequired();
    return open(services, request, account, given.code);
  });
  if ('wrong' in verdict) {
    // Not awaited: failures with and without an account are audited at different times, so the time of the response
    // would tell whether there is an account.
    tell(services, request, account, verdict.wrong.at(account ? 0 : -1) ?? 1).catch((error: unknown) =>
      request.log.warn({ err: error }, 'a failed sign-in is missing in the audit log'),
    );
  }
  return verdict;
}

/** Users type passwords into the wrong field, so an e-mail without an account is never stored. */
async function tell(
  { pool, config }: BackOffice,
  request: FastifyRequest,
  account: AccountWithHash | undefined,
  failures: number,
): Promise<void> {
  const address = clientAddressOf(request, config);
  const name = account?.email ?? 'unknown account';
  request.log.info({ request_id: request.id, address, account: name, failures }, 'sign-in failed');
  if (!isAudited(failures)) return;
  const by = { actor: `address:${address}`, request_id: request.id };
  const failure = { email: account?.email ?? null, failures };
  await inTransaction(pool, (tx) => recordFailedSignIn(tx, by, failure));
}

const USER_AGENT_CHARACTERS_MAX = 300;

/** Node decodes the header as latin1; it cannot contain control characters. */
export function deviceOf(request: FastifyRequest, { config }: Pick<BackOffice, 'config'>): Device {
  const user_agent = (request.headers['user-agent'] ?? '').slice(0, USER_AGENT_CHARACTERS_MAX).trim();
  return { address: clientAddressOf(request, config), user_agent: user_agent || null };
}

async function open(
  services: BackOffice,
  request: FastifyRequest,
  checked: AccountWithHash,
  given: string | null,
): Promise<Entered | null> {
  const by = { actor: `user:${checked.email}`, request_id: request.id };
  const before = sessionIdOf(request, services.config);
  const device = deviceOf(request, services);
  const { sealer } = services;
  const code = given === null ? null : { code: given, now_ms: Date.now(), sealer };
  const outcome = await inTransaction(services.pool, (tx) =>
    signIn(tx, by, { checked, before, device, code }),
  );
  return outcome.kind === 'done' ? outcome : null;
}
