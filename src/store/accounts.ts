// Accounts of the back office. What ends sessions does so here, in the transaction of the change itself.
import { insertAudit, type Actor } from './audit.ts';
import { rows, run, statement, type Tx } from './database.ts';
import { endSessionsOf } from './sessions.ts';
import { unlockSignIn } from './sign-in-failures.ts';
import type { Role } from './tokens.ts';

export interface Account {
  id: number;
  email: string;
  name: string | null;
  role: Role;
  is_active: boolean;
  must_change_password: boolean;
  created_at: Date;
  last_sign_in_at: Date | null;
}

export interface AccountWithHash extends Account {
  password_hash: string;
}

const EMAIL_CHARACTERS_MAX = 254;

/** How an e-mail is stored and found, whatever case it is typed in. */
export const normalEmail = (text: string): string => text.normalize('NFKC').trim().toLowerCase();

/** What is wrong with a normalized e-mail, or null. `admin@localhost` is one. */
export function emailFault(email: string): string | null {
  if (Array.from(email).length > EMAIL_CHARACTERS_MAX)
    return `must have at most ${EMAIL_CHARACTERS_MAX} characters`;
  return /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(email) ? null : 'must be an e-mail address';
}

const COLUMNS =
  'id, email, name, role, is_active, must_change_password, created_at, last_sign_in_at' as const;

const LIST = statement(
  'account_list',
  `select ${COLUMNS} from account where id > $1::bigint order by id limit $2`,
);

export const listAccounts = (tx: Tx, afterId: number, limit: number): Promise<Account[]> =>
  rows(tx, LIST, [afterId, limit]);

const BY_EMAIL = statement(
  'account_by_email',
  `select ${COLUMNS}, password_hash from account where email = $1`,
);

export const findAccountByEmail = async (tx: Tx, email: string): Promise<AccountWithHash | undefined> =>
  (await rows<AccountWithHash>(tx, BY_EMAIL, [email]))[0];

const LOCK = statement(
  'account_lock',
  `select ${COLUMNS}, password_hash from account where id = $1 for update`,
);

export const lockAccount = async (tx: Tx, id: number): Promise<AccountWithHash | undefined> =>
  (await rows<AccountWithHash>(tx, LOCK, [id]))[0];

export interface NewAccount {
  email: string;
  name: string | null;
  role: Role;
  password_hash: string;
}

const INSERT = statement(
  'account_insert',
  `insert into account (email, name, role, password_hash, must_change_password)
   values ($1, $2, $3, $4, true) on conflict (email) do nothing returning ${COLUMNS}`,
);

/** With a one-time password: it must be changed at the first sign-in. */
export async function insertAccount(
  tx: Tx,
  by: Actor,
  account: NewAccount,
): Promise<Account | 'email_taken'> {
  const { email, name, role, password_hash } = account;
  const [made] = await rows<Account>(tx, INSERT, [email, name, role, password_hash]);
  if (!made) return 'email_taken';
  await audit(tx, by, 'user.create', null, made);
  return made;
}

const ANY = statement('account_any', 'select exists (select from account) as any_account');

export const hasAccounts = async (tx: Tx): Promise<boolean> =>
  (await rows<{ any_account: boolean }>(tx, ANY))[0]?.any_account === true;

/** Several processes may start on one new database; exactly one of them makes and shows the account. */
const FIRST_LOCK = statement('account_first_lock', 'lock table account in exclusive mode');

export const FIRST_EMAIL = 'admin@localhost';

/** The way in on a database without accounts; null when it has one. */
export async function insertFirstAccount(tx: Tx, password_hash: string): Promise<Account | null> {
  await run(tx, FIRST_LOCK);
  if (await hasAccounts(tx)) return null;
  const by = { actor: 'first-start', request_id: null };
  const made = await insertAccount(tx, by, { email: FIRST_EMAIL, name: null, role: 'admin', password_hash });
  return made === 'email_taken' ? null : made;
}

// All active administrators with the one to be changed: of two who take each other's role at the same moment,
// the second sees what the first has done.
const LOCK_WITH_ADMINS = statement(
  'account_lock_with_admins',
  `select ${COLUMNS} from account where id = $1 or (role = 'admin' and is_active) order by id for update`,
);
// Known devices are signed with the stored hash (http/admin/device-cookie.ts). Deactivating puts a new random part behind
// its six, which are all that a password is checked against: the password stays, every device becomes unknown.
const UPDATE = statement(
  'account_update',
  `update account set name = $2, role = $3, is_active = $4,
     password_hash = case when $4 then password_hash
       else array_to_string((string_to_array(password_hash, '$'))[1:6], '$') || '$' || gen_random_uuid() end
   where id = $1 returning ${COLUMNS}`,
);

export interface AccountChanges {
  name?: string | null;
  role?: Role;
  is_active?: boolean;
}

/** Somebody must be left who can let others in. */
export async function changeAccount(
  tx: Tx,
  by: Actor,
  id: number,
  changes: AccountChanges,
): Promise<Account | 'unknown' | 'last_admin'> {
  const locked = await rows<Account>(tx, LOCK_WITH_ADMINS, [id]);
  const before = locked.find((account) => account.id === id);
  if (!before) return 'unknown';
  const wanted = { ...before, ...changes };
  const staysAdmin = wanted.role === 'admin' && wanted.is_active;
  if (isAdmin(before) && !staysAdmin && locked.filter(isAdmin).length === 1) return 'last_admin';
  const [after] = await rows<Account>(tx, UPDATE, [id, wanted.name, wanted.role, wanted.is_active]);
  if (!after) return 'unknown';
  if (after.role !== before.role || !after.is_active) await endSessionsOf(tx, id);
  await audit(tx, by, 'user.update', before, after);
  return after;
}

const isAdmin = ({ role, is_active }: Account): boolean => role === 'admin' && is_active;

const SET_PASSWORD = statement(
  'account_set_password',
  `update account set password_hash = $2, must_change_password = $3 where id = $1 returning ${COLUMNS}`,
);

/** By an administrator: a one-time password, and whoever is signed in as this account no longer is. */
export async function resetPassword(
  tx: Tx,
  by: Actor,
  id: number,
  password_hash: string,
): Promise<Account | 'unknown'> {
  const [account] = await rows<Account>(tx, SET_PASSWORD, [id, password_hash, true]);
  if (!account) return 'unknown';
  await endSessionsOf(tx, id);
  await unlockSignIn(tx, account.email);
  await insertAudit(tx, by, {
    action: 'user.reset_password',
    subject: `user:${account.email}`,
    before: null,
    after: null,
  });
  return account;
}

/** Failed sign-ins no longer count: the owner proved otherwise who they are. */
export async function unlockAccount(tx: Tx, by: Actor, account: Account): Promise<void> {
  await unlockSignIn(tx, account.email);
  const subject = `user:${account.email}`;
  await insertAudit(tx, by, { action: 'user.unlock', subject, before: null, after: null });
}

/** By its owner. Every session of the account ends; the caller opens a new one. */
export async function changePassword(tx: Tx, by: Actor, account: Account, hash: string): Promise<void> {
  await run(tx, SET_PASSWORD, [account.id, hash, false]);
  await endSessionsOf(tx, account.id);
  const subject = `user:${account.email}`;
  await insertAudit(tx, by, { action: 'password.change', subject, before: null, after: null });
}

const SIGNED_IN = statement('account_signed_in', 'update account set last_sign_in_at = now() where id = $1');

export const noteSignIn = (tx: Tx, id: number): Promise<number> => run(tx, SIGNED_IN, [id]);

const audited = ({ name, role, is_active }: Account): object => ({ name, role, is_active });

const audit = (tx: Tx, by: Actor, action: string, before: Account | null, after: Account): Promise<number> =>
  insertAudit(tx, by, {
    action,
    subject: `user:${after.email}`,
    before: before && audited(before),
    after: audited(after),
  });
