// Sign-in, sign-out and password changes. `platform/accounts/sign-in.ts` checks the password.
import { lockAccount, noteSignIn, setPassword, type AccountWithHash } from './store.ts';
import type { Tx } from '../database/database.ts';
import {
  endSession,
  endSessionsOf,
  findSession,
  openSession,
  revokeSession,
  type Device,
  type ListedSession,
  type SignedIn,
} from './sessions-store.ts';
import type { Sealer } from '../secrets/keys.ts';
import { auditing, type Actor } from '../audit/change.ts';
import { useCode, type CodeGiven } from './second-factor-changes.ts';

/** A session that was just opened, with the data for the device cookie. */
export interface Entered {
  session: SignedIn & { session_id: string };
  account: AccountWithHash;
}

interface SigningIn {
  checked: AccountWithHash;
  before: string | null;
  device: Device;
  /** null: no code was given */
  code: (CodeGiven & { sealer: Sealer }) | null;
}

/**
 * Opens a session for an account whose password was checked. Locks the account: it may have been deactivated, or its
 * password replaced, during hashing. `before` is a session of the same browser, which ends.
 */
export const signIn = (tx: Tx, by: Actor, { checked, before, device, code }: SigningIn) =>
  auditing<Entered, 'credentials_changed' | 'second_factor_wrong'>(tx, by, async () => {
    const account = await lockChecked(tx, checked);
    if (!account) return { kind: 'credentials_changed' };
    const used = account.has_second_factor && code ? await useCode(tx, code.sealer, account.id, code) : null;
    if (account.has_second_factor && used === null) return { kind: 'second_factor_wrong' };
    if (before !== null) await endSession(tx, before);
    await noteSignIn(tx, account.id);
    return {
      done: { account, session: await newSession(tx, account.id, device) },
      audit: {
        action: 'session.sign_in',
        subject: `user:${account.email}`,
        before: null,
        after: used && { second_factor: used },
      },
    };
  });

/** Called by the user after the old password was checked. Ends all sessions of the account and opens a new one. */
export const changeOwnPassword = (
  tx: Tx,
  by: Actor,
  { checked, password_hash, device }: { checked: AccountWithHash; password_hash: string; device: Device },
) =>
  auditing<Entered, 'credentials_changed'>(tx, by, async () => {
    const account = await lockChecked(tx, checked);
    if (!account) return { kind: 'credentials_changed' };
    await setPassword(tx, account.id, password_hash, { must_change: false });
    await endSessionsOf(tx, account.id);
    return {
      done: { account: { ...account, password_hash }, session: await newSession(tx, account.id, device) },
      audit: { action: 'password.change', subject: `user:${account.email}`, before: null, after: null },
    };
  });

/** Locks the account. undefined: it was deactivated or its password replaced since the check. */
async function lockChecked(tx: Tx, checked: AccountWithHash): Promise<AccountWithHash | undefined> {
  const account = await lockAccount(tx, checked.id);
  return account?.is_active && account.password_hash === checked.password_hash ? account : undefined;
}

/** Always uses a new id, to prevent session fixation. */
async function newSession(tx: Tx, accountId: number, device: Device): Promise<Entered['session']> {
  const { session_id, signedIn } = await openSession(tx, accountId, device);
  return { session_id, ...signedIn };
}

/**
 * `email` null: no such account. The entered text is never stored, because users type passwords into the wrong field.
 */
export const recordFailedSignIn = (
  tx: Tx,
  by: Actor,
  { email, failures }: { email: string | null; failures: number },
) =>
  auditing(tx, by, async () => {
    const subject = email === null ? 'unknown account' : `user:${email}`;
    return {
      done: {},
      audit: { action: 'session.sign_in_failed', subject, before: null, after: { failures } },
    };
  });

export const signOutEverywhere = (
  tx: Tx,
  by: Actor,
  { account_id, email }: { account_id: number; email: string },
) =>
  auditing(tx, by, async () => {
    await endSessionsOf(tx, account_id);
    return {
      done: {},
      audit: { action: 'session.sign_out_everywhere', subject: `user:${email}`, before: null, after: null },
    };
  });

/** `own`: the account whose sessions the actor may end; null: the sessions of all accounts. */
export const endOneSession = (tx: Tx, by: Actor, { id, own }: { id: number; own: number | null }) =>
  auditing<{ session: ListedSession }, 'session_unknown'>(tx, by, async () => {
    const session = await findSession(tx, id, own);
    // The row may have been deleted since, by its owner or because it expired.
    if (!session || (await revokeSession(tx, id)) === 0) return { kind: 'session_unknown', session_id: id };
    const { email, address, user_agent } = session;
    return {
      done: { session },
      audit: {
        action: 'session.revoke',
        subject: `user:${email}`,
        before: { session_id: id, address, user_agent },
        after: null,
      },
    };
  });
