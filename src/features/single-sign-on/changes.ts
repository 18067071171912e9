// Sign-in at an OpenID provider: accounts are created at the first sign-in, and their role follows the claims.
import {
  findAccountByEmail,
  insertAccountOfProvider,
  lockAccount,
  noteSignIn,
  updateAccount,
  type AccountWithHash,
} from '../../platform/accounts/store.ts';
import type { Tx } from '../../platform/database/database.ts';
import { addIdentity, findIdentity, lockNewIdentity, removeIdentities } from './store.ts';
import {
  endSession,
  endSessionsOf,
  openSession,
  type Device,
} from '../../platform/accounts/sessions-store.ts';
import type { Role } from '../../platform/values/roles.ts';
import { changing, type Actor } from '../../core/journal/change.ts';
import type { RefusedAs } from '../../platform/admin-api/refused.ts';
import type { Entered } from '../../platform/accounts/sessions-changes.ts';
import { wouldLoseLastAdmin } from '../../platform/accounts/changes.ts';

export interface Identity {
  issuer: string;
  subject: string;
  email: string;
  /** Whether the provider has verified that the e-mail belongs to this person; null: it does not say. */
  is_email_verified: boolean | null;
  name: string | null;
  role: Role;
}

interface SigningInByProvider {
  identity: Identity;
  /** For a new account: the hash of a random password, which is not kept. */
  password_hash: string;
  before: string | null;
  device: Device;
}

/**
 * A new identity gets the account of its e-mail, if the provider has verified it, or a new account, unless the provider
 * says that the e-mail is not verified. The role follows the claims. The last administrator with a password stays one, so
 * an identity with a lower role cannot enter this account.
 */
export const signInByProvider = (tx: Tx, by: Actor, wanted: SigningInByProvider) =>
  changing<Entered, IdentityRefused['kind'] | 'account_inactive' | 'identity_role_lower'>(
    tx,
    by,
    async () => {
      const { identity, before, device } = wanted;
      const { issuer, subject, email } = identity;
      const known = (await findIdentity(tx, issuer, subject)) ?? (await lockNewIdentity(tx, issuer, subject));
      const account =
        known === undefined ? await accountFor(tx, wanted) : await lockKnown(tx, identity, known);
      if (!account) return { kind: 'identity_email_taken', email };
      if ('kind' in account) return account;
      if (!account.is_active) return { kind: 'account_inactive', email: account.email };
      const { role } = identity;
      if (role !== account.role) {
        if (await wouldLoseLastAdmin(tx, { ...account, role }))
          return { kind: 'identity_role_lower', email: account.email, role };
        await updateAccount(tx, { ...account, role });
        await endSessionsOf(tx, account.id);
      }
      if (before !== null) await endSession(tx, before);
      await noteSignIn(tx, account.id);
      const { session_id, signedIn } = await openSession(tx, account.id, { ...device, is_by_provider: true });
      return {
        done: { account: { ...account, role }, session: { session_id, ...signedIn } },
        audit: {
          action: 'session.sign_in',
          subject: `user:${account.email}`,
          before: known === undefined ? null : { role: account.role },
          after: { issuer, role },
        },
        journal: null,
      };
    },
  );

type IdentityRefused = RefusedAs<'identity_email_taken' | 'identity_email_unverified'>;

/** undefined: while this waited for the lock, another identity with the verified e-mail has replaced this one. */
async function lockKnown(
  tx: Tx,
  { issuer, subject }: Identity,
  accountId: number,
): Promise<AccountWithHash | undefined> {
  const account = await lockAccount(tx, accountId);
  return (await findIdentity(tx, issuer, subject)) === accountId ? account : undefined;
}

/** Returns the account, locked, or why this identity gets none. */
async function accountFor(
  tx: Tx,
  { identity, password_hash }: SigningInByProvider,
): Promise<AccountWithHash | IdentityRefused | undefined> {
  const { issuer, subject, email, name, role, is_email_verified } = identity;
  const existing = await findAccountByEmail(tx, email);
  if (existing && is_email_verified !== true) return { kind: 'identity_email_taken', email };
  // Otherwise a user could appear in the audit log under any name.
  if (is_email_verified === false) return { kind: 'identity_email_unverified', email };
  const id = existing?.id ?? (await insertAccountOfProvider(tx, { email, name, role, password_hash }))?.id;
  if (id === undefined) return { kind: 'identity_email_taken', email };
  // Locked first, so that a sign-in with an earlier identity has either opened its session by now or finds it replaced.
  const account = await lockAccount(tx, id);
  // The e-mail belongs to this identity. One that got the account before may have had an unverified e-mail.
  if ((await removeIdentities(tx, issuer, id)) > 0) await endSessionsOf(tx, id);
  await addIdentity(tx, issuer, subject, id);
  return account;
}
