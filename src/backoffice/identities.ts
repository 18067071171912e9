// Sign-in at an OpenID provider: accounts are created at the first sign-in, and their role follows the claims.
import {
  findAccountByEmail,
  insertAccountOfProvider,
  lockAccount,
  noteSignIn,
  updateAccount,
  type AccountWithHash,
} from '../store/accounts.ts';
import type { Tx } from '../store/database.ts';
import { addIdentity, findIdentity } from '../store/identities.ts';
import { endSession, endSessionsOf, openSession, type Device } from '../store/sessions.ts';
import type { Role } from '../store/tokens.ts';
import { changing, type Actor } from './changing.ts';
import type { Entered } from './sessions.ts';
import { wouldLoseLastAdmin } from './users.ts';

export interface Identity {
  issuer: string;
  subject: string;
  email: string;
  /** The provider has verified that the e-mail belongs to this person. */
  is_email_verified: boolean;
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
 * A new identity gets the account of its e-mail, if the provider has verified it, or a new account. The role follows
 * the claims, except that the last administrator with a password stays one.
 */
export const signInByProvider = (tx: Tx, by: Actor, wanted: SigningInByProvider) =>
  changing<Entered, 'identity_email_taken' | 'account_inactive'>(tx, by, async () => {
    const { identity, before, device } = wanted;
    const { issuer, subject, email } = identity;
    const known = await findIdentity(tx, issuer, subject);
    const account = known === undefined ? await accountFor(tx, wanted) : await lockAccount(tx, known);
    if (!account) return { kind: 'identity_email_taken', email };
    if (!account.is_active) return { kind: 'account_inactive', email: account.email };
    const keepsRole =
      account.role === identity.role || (await wouldLoseLastAdmin(tx, { ...account, role: identity.role }));
    const role = keepsRole ? account.role : identity.role;
    if (role !== account.role) {
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
  });

/** Returns the account, locked. undefined: the e-mail belongs to an account that this identity may not take over. */
async function accountFor(
  tx: Tx,
  { identity, password_hash }: SigningInByProvider,
): Promise<AccountWithHash | undefined> {
  const { issuer, subject, email, name, role, is_email_verified } = identity;
  const existing = await findAccountByEmail(tx, email);
  if (existing && !is_email_verified) return undefined;
  const id = existing?.id ?? (await insertAccountOfProvider(tx, { email, name, role, password_hash }))?.id;
  if (id === undefined) return undefined;
  await addIdentity(tx, issuer, subject, id);
  return lockAccount(tx, id);
}
