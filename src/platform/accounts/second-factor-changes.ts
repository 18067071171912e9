// The second factor: set up and removed by its owner, reset by an administrator, required for accounts and roles.
import type { Sealer } from '../secrets/keys.ts';
import { newRecoveryCodes, normalCode, normalRecoveryCode, totpStep } from './one-time-codes.ts';
import { findAccountByEmail, lockAccount, type Account, type AccountWithHash } from './store.ts';
import { sealWhile } from '../secrets/seal-store.ts';
import type { Tx } from '../database/database.ts';
import {
  beginSecondFactor,
  confirmSecondFactor,
  findSecondFactor,
  lockRequiredRoles,
  readRequiredRoles,
  removeSecondFactor,
  replaceRecoveryCodes,
  setRequiredRoles,
  useRecoveryCode,
  useStep,
} from './second-factor-store.ts';
import { secondFactorContext } from './seals.ts';
import { endSessionsOf } from './sessions-store.ts';
import { unlockSignIn } from './sign-in-failures-store.ts';
import type { Role } from '../values/roles.ts';
import { auditing, type Actor } from '../audit/change.ts';

const subjectOf = ({ email }: Pick<Account, 'email'>): string => `user:${email}`;
const entry = (action: string, account: Pick<Account, 'email'>, after: object | null = null) => ({
  audit: { action: `second_factor.${action}`, subject: subjectOf(account), before: null, after },
});

export interface CodeGiven {
  /** A one-time code, or a recovery code. */
  code: string;
  now_ms: number;
}

/**
 * Checks a code and marks it as used: a current one-time code that was not used before, or a recovery code. Returns
 * null if it is wrong. The account must be locked. `isSettingUp`: the code confirms a factor that is not in use yet.
 */
export async function useCode(
  tx: Tx,
  sealer: Sealer,
  accountId: number,
  { code, now_ms, isSettingUp = false }: CodeGiven & { isSettingUp?: boolean },
): Promise<'one_time' | 'recovery' | null> {
  const factor = await findSecondFactor(tx, accountId);
  if (!factor || factor.is_confirmed === isSettingUp) return null;
  const secret = await sealer.open(factor, secondFactorContext(accountId));
  const step = secret === null ? null : totpStep(secret, normalCode(code), now_ms);
  if (step !== null) return (await useStep(tx, accountId, step)) ? 'one_time' : null;
  if (isSettingUp) return null;
  return (await useRecoveryCode(tx, accountId, normalRecoveryCode(code))) ? 'recovery' : null;
}

/** Called by the owner after a password check. Stores a new secret, which is in use after `confirmFactor`. */
export const beginFactor = (
  tx: Tx,
  by: Actor,
  { sealer, checked, secret }: { sealer: Sealer; checked: AccountWithHash; secret: string },
) =>
  auditing<object, 'second_factor_in_use' | 'credentials_changed'>(tx, by, async () => {
    const account = await lockAccount(tx, checked.id);
    if (account?.password_hash !== checked.password_hash) return { kind: 'credentials_changed' };
    const sealed = await sealWhile(tx, sealer, secret, secondFactorContext(account.id));
    if (!(await beginSecondFactor(tx, account.id, sealed))) return { kind: 'second_factor_in_use' };
    return { done: {}, ...entry('begin', account) };
  });

/** The outcome contains the recovery codes, which cannot be read again. */
export const confirmFactor = (
  tx: Tx,
  by: Actor,
  { sealer, account_id, given }: { sealer: Sealer; account_id: number; given: CodeGiven },
) =>
  auditing<{ recovery_codes: string[] }, 'second_factor_wrong' | 'user_unknown'>(tx, by, async () => {
    const account = await lockAccount(tx, account_id);
    if (!account) return { kind: 'user_unknown', user: account_id };
    const used = await useCode(tx, sealer, account_id, { ...given, isSettingUp: true });
    if (used === null) return { kind: 'second_factor_wrong' };
    await confirmSecondFactor(tx, account_id);
    const recovery_codes = newRecoveryCodes();
    await replaceRecoveryCodes(tx, account_id, recovery_codes.map(normalRecoveryCode));
    return { done: { recovery_codes }, ...entry('confirm', account) };
  });

/** Called by the owner after a password check. */
export const renewRecoveryCodes = (tx: Tx, by: Actor, { checked }: { checked: AccountWithHash }) =>
  auditing<{ recovery_codes: string[] }, 'second_factor_unused' | 'credentials_changed'>(tx, by, async () => {
    const account = await lockAccount(tx, checked.id);
    if (account?.password_hash !== checked.password_hash) return { kind: 'credentials_changed' };
    if ((await findSecondFactor(tx, account.id))?.is_confirmed !== true)
      return { kind: 'second_factor_unused' };
    const recovery_codes = newRecoveryCodes();
    await replaceRecoveryCodes(tx, account.id, recovery_codes.map(normalRecoveryCode));
    return { done: { recovery_codes }, ...entry('new_recovery_codes', account) };
  });

/** Called by the owner after a password check. Refused while the second factor is required. */
export const removeFactor = (tx: Tx, by: Actor, { checked }: { checked: AccountWithHash }) =>
  auditing<object, 'second_factor_unused' | 'second_factor_is_required' | 'credentials_changed'>(
    tx,
    by,
    async () => {
      const account = await lockAccount(tx, checked.id);
      if (account?.password_hash !== checked.password_hash) return { kind: 'credentials_changed' };
      if (account.second_factor_required || (await readRequiredRoles(tx)).includes(account.role))
        return { kind: 'second_factor_is_required' };
      if (!(await removeSecondFactor(tx, account.id))) return { kind: 'second_factor_unused' };
      return { done: {}, ...entry('remove', account) };
    },
  );

/**
 * Called by an administrator or the command line for a user who lost the device. Ends all sessions; keeps the
 * password.
 */
export const resetFactor = (tx: Tx, by: Actor, { user }: { user: number | string }) =>
  auditing<{ account: Account }, 'user_unknown' | 'second_factor_unused'>(tx, by, async () => {
    const id = typeof user === 'number' ? user : ((await findAccountByEmail(tx, user))?.id ?? 0);
    const account = await lockAccount(tx, id);
    if (!account) return { kind: 'user_unknown', user };
    if (!(await removeSecondFactor(tx, id))) return { kind: 'second_factor_unused' };
    await endSessionsOf(tx, id);
    await unlockSignIn(tx, account.email);
    return { done: { account }, ...entry('reset', account) };
  });

/** Accounts of these roles must set up a second factor before they do anything else. */
export const requireFactorOf = (tx: Tx, by: Actor, { roles }: { roles: readonly Role[] }) =>
  auditing<{ roles: Role[] }>(tx, by, async () => {
    await lockRequiredRoles(tx);
    const before = await readRequiredRoles(tx);
    await setRequiredRoles(tx, roles);
    const after = await readRequiredRoles(tx);
    return {
      done: { roles: after },
      audit: {
        action: 'second_factor.require',
        subject: 'second_factor',
        before: { roles: before },
        after: { roles: after },
      },
    };
  });
