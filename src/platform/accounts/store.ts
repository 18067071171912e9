// Accounts of back-office users.
import { rows, run, statement, type Tx } from '../database/database.ts';
import type { Role } from '../values/roles.ts';

export interface Account {
  id: number;
  email: string;
  name: string | null;
  role: Role;
  is_active: boolean;
  must_change_password: boolean;
  /** An administrator requires it for this account. The role may require it too. */
  second_factor_required: boolean;
  has_second_factor: boolean;
  /** false: the account signs in only at the OpenID provider */
  has_password: boolean;
  created_at: Date;
  last_sign_in_at: Date | null;
}

export interface AccountWithHash extends Account {
  password_hash: string;
}

const COLUMNS = `id, email, name, role, is_active, must_change_password, second_factor_required,
  exists (select from second_factor f where f.account_id = account.id and f.confirmed_at is not null) as has_second_factor,
  has_password, created_at, last_sign_in_at`;

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

const LOCK = statement('account_lock', 'select from account where id = $1 for update');
const BY_ID = statement('account_by_id', `select ${COLUMNS}, password_hash from account where id = $1`);

/** A second statement: the one that waited for the lock would return the second factor from before the wait. */
export async function lockAccount(tx: Tx, id: number): Promise<AccountWithHash | undefined> {
  await run(tx, LOCK, [id]);
  return (await rows<AccountWithHash>(tx, BY_ID, [id]))[0];
}

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

/**
 * Creates the account with a one-time password, which must be changed at the first sign-in. Undefined: the e-mail is
 * taken.
 */
export async function insertAccount(tx: Tx, account: NewAccount): Promise<Account | undefined> {
  const { email, name, role, password_hash } = account;
  return (await rows<Account>(tx, INSERT, [email, name, role, password_hash]))[0];
}

const INSERT_OF_PROVIDER = statement(
  'account_insert_of_provider',
  `insert into account (email, name, role, password_hash, must_change_password, has_password)
   values ($1, $2, $3, $4, false, false) on conflict (email) do nothing returning ${COLUMNS}`,
);

/** Creates an account without a password: the hash belongs to a random one. Undefined: the e-mail is taken. */
export async function insertAccountOfProvider(tx: Tx, account: NewAccount): Promise<Account | undefined> {
  const { email, name, role, password_hash } = account;
  return (await rows<Account>(tx, INSERT_OF_PROVIDER, [email, name, role, password_hash]))[0];
}

const ANY = statement('account_any', 'select exists (select from account) as any_account');

export const hasAccounts = async (tx: Tx): Promise<boolean> =>
  (await rows<{ any_account: boolean }>(tx, ANY))[0]?.any_account === true;

/** Several processes may start on one new database; exactly one creates the first account. */
const FIRST_LOCK = statement('account_first_lock', 'lock table account in exclusive mode');

/** Whether the first account can be created; the lock is held until the transaction ends. */
export async function lockAccountsForFirst(tx: Tx): Promise<boolean> {
  await run(tx, FIRST_LOCK);
  return !(await hasAccounts(tx));
}

// Locks all active administrators with the account: if two administrators demote each other at once, the second sees
// the change of the first.
const LOCK_WITH_ADMINS = statement(
  'account_lock_with_admins',
  `select id from account where id = $1 or (role = 'admin' and is_active) order by id for update`,
);
const BY_IDS = statement(
  'account_by_ids',
  `select ${COLUMNS} from account where id = any($1::int[]) order by id`,
);
// Cookies of known devices are signed with the stored hash (platform/accounts/device-cookie.ts). Deactivating an account
// appends a new random part to the hash, which password checks ignore: the password stays valid, the known devices do
// not.
const UPDATE = statement(
  'account_update',
  `update account set name = $2, role = $3, is_active = $4, second_factor_required = $5,
     password_hash = case when $4 then password_hash
       else array_to_string((string_to_array(password_hash, '$'))[1:6], '$') || '$' || gen_random_uuid() end
   where id = $1 returning ${COLUMNS}`,
);

/** The account, if it exists, with all active administrators. Read after the locks, as in `lockAccount`. */
export async function lockAccountWithAdmins(tx: Tx, id: number): Promise<Account[]> {
  const locked = await rows<{ id: number }>(tx, LOCK_WITH_ADMINS, [id]);
  return rows(tx, BY_IDS, [locked.map((row) => row.id)]);
}

/** The account must be locked. */
export async function updateAccount(
  tx: Tx,
  {
    id,
    name,
    role,
    is_active,
    second_factor_required,
  }: Pick<Account, 'id' | 'name' | 'role' | 'is_active' | 'second_factor_required'>,
): Promise<Account> {
  const [after] = await rows<Account>(tx, UPDATE, [id, name, role, is_active, second_factor_required]);
  if (!after) throw new RangeError(`no account ${id}`);
  return after;
}

const SET_PASSWORD = statement(
  'account_set_password',
  `update account set password_hash = $2, must_change_password = $3, has_password = true
   where id = $1 returning ${COLUMNS}`,
);

/** The account must be locked. Undefined: no such account. */
export const setPassword = async (
  tx: Tx,
  id: number,
  password_hash: string,
  { must_change }: { must_change: boolean },
): Promise<Account | undefined> =>
  (await rows<Account>(tx, SET_PASSWORD, [id, password_hash, must_change]))[0];

const SIGNED_IN = statement('account_signed_in', 'update account set last_sign_in_at = now() where id = $1');

export const noteSignIn = (tx: Tx, id: number): Promise<number> => run(tx, SIGNED_IN, [id]);
