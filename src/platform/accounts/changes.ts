// Accounts. A password is stored as hash and never in the audit log. Changes that end sessions do so in the same
// transaction.
import type { FieldFault } from '../values/field-fault.ts';
import { FIRST_EMAIL, hashPassword, newOneTimePassword } from '../passwords/passwords.ts';
import {
  findAccountByEmail,
  insertAccount,
  lockAccount,
  lockAccountsForFirst,
  lockAccountWithAdmins,
  setPassword,
  updateAccount,
  type Account,
} from './store.ts';
import type { Tx } from '../database/database.ts';
import { endSessionsOf } from './sessions-store.ts';
import { unlockSignIn } from './sign-in-failures-store.ts';
import type { Role } from '../values/roles.ts';
import { auditing, FIRST_START, type Actor } from '../audit/change.ts';

const EMAIL_CHARACTERS_MAX = 254;

/** The stored form of an e-mail, case-insensitive. */
export const normalEmail = (text: string): string => text.normalize('NFKC').trim().toLowerCase();

/** What is wrong with a normalized e-mail, or null. `admin@localhost` is valid. */
export function emailFault(email: string): FieldFault | null {
  if (Array.from(email).length > EMAIL_CHARACTERS_MAX)
    return { kind: 'too_long', characters_max: EMAIL_CHARACTERS_MAX };
  return /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(email) ? null : { kind: 'not_an_email' };
}

/** Called before the transaction, because hashing takes long. */
export async function oneTimePassword(
  cost_log2?: number,
  password = newOneTimePassword(),
): Promise<{ password: string; password_hash: string }> {
  return { password, password_hash: await hashPassword(password, cost_log2) };
}

const subjectOf = ({ email }: Account): string => `user:${email}`;
const audited = ({ name, role, is_active, second_factor_required }: Account): object => ({
  name,
  role,
  is_active,
  ...(second_factor_required ? { second_factor_required } : {}),
});

interface NewUser {
  email: string;
  name: string | null;
  role: Role;
  password_hash: string;
}

/** With a one-time password: it must be changed at the first sign-in. */
export const createUser = (tx: Tx, by: Actor, user: NewUser) =>
  auditing<{ account: Account }, 'email_taken'>(tx, by, async () => {
    const account = await insertAccount(tx, user);
    if (!account) return { kind: 'email_taken', email: user.email };
    return {
      done: { account },
      audit: { action: 'user.create', subject: subjectOf(account), before: null, after: audited(account) },
    };
  });

/** The first account of a new database; null if there is one. */
export async function createFirstUser(tx: Tx, password_hash: string): Promise<Account | null> {
  if (!(await lockAccountsForFirst(tx))) return null;
  const user = { email: FIRST_EMAIL, name: null, role: 'admin', password_hash } as const;
  const made = await createUser(tx, FIRST_START, user);
  return made.kind === 'done' ? made.account : null;
}

interface UserChanges {
  name?: string | null;
  role?: Role;
  is_active?: boolean;
  second_factor_required?: boolean;
}

/** Only accounts with a password count, so that sign-in is possible while the OpenID provider is unavailable. */
const isAdmin = ({ role, is_active, has_password }: Account): boolean =>
  role === 'admin' && is_active && has_password;

const losesLastAdmin = (locked: readonly Account[], before: Account, wanted: Account): boolean =>
  isAdmin(before) && !isAdmin(wanted) && locked.filter(isAdmin).length === 1;

/** Whether no administrator with a password would be left. Locks the administrators. */
export async function wouldLoseLastAdmin(tx: Tx, wanted: Account): Promise<boolean> {
  const locked = await lockAccountWithAdmins(tx, wanted.id);
  const before = locked.find(({ id }) => id === wanted.id);
  return before !== undefined && losesLastAdmin(locked, before, wanted);
}

/** The last active administrator with a password cannot be demoted or deactivated. */
export const changeUser = (
  tx: Tx,
  by: Actor,
  { user, ...changes }: UserChanges & { user: number | string },
) =>
  auditing<{ account: Account }, 'user_unknown' | 'last_admin'>(tx, by, async () => {
    const locked = await lockAccountWithAdmins(tx, await idOf(tx, user));
    const before = locked.find(({ id, email }) => id === user || email === user);
    if (!before) return { kind: 'user_unknown', user };
    const wanted = { ...before, ...changes };
    if (losesLastAdmin(locked, before, wanted)) return { kind: 'last_admin', email: before.email };
    const account = await updateAccount(tx, wanted);
    if (account.role !== before.role || !account.is_active) await endSessionsOf(tx, account.id);
    return {
      done: { account },
      audit: {
        action: 'user.update',
        subject: subjectOf(account),
        before: audited(before),
        after: audited(account),
      },
    };
  });

/** The id of a user who is given by id or e-mail; 0: unknown. */
const idOf = async (tx: Tx, user: number | string): Promise<number> =>
  typeof user === 'number' ? user : ((await findAccountByEmail(tx, user))?.id ?? 0);

/** Called by an administrator: sets a one-time password, ends all sessions and clears failed sign-ins. */
export const resetPassword = (
  tx: Tx,
  by: Actor,
  { user, password_hash }: { user: number | string; password_hash: string },
) =>
  auditing<{ account: Account }, 'user_unknown'>(tx, by, async () => {
    const locked = await lockAccount(tx, await idOf(tx, user));
    const account = locked && (await setPassword(tx, locked.id, password_hash, { must_change: true }));
    if (!account) return { kind: 'user_unknown', user };
    await endSessionsOf(tx, account.id);
    await unlockSignIn(tx, account.email);
    return {
      done: { account },
      audit: { action: 'user.reset_password', subject: subjectOf(account), before: null, after: null },
    };
  });

/** Clears failed sign-ins, after the user was identified in another way. */
export const unlockUser = (tx: Tx, by: Actor, user: number | string) =>
  auditing<{ account: Account }, 'user_unknown'>(tx, by, async () => {
    const account = await lockAccount(tx, await idOf(tx, user));
    if (!account) return { kind: 'user_unknown', user };
    await unlockSignIn(tx, account.email);
    return {
      done: { account },
      audit: { action: 'user.unlock', subject: subjectOf(account), before: null, after: null },
    };
  });
