// Accounts by their identity at an OpenID provider.
import { hashKey } from '../../platform/secrets/keys.ts';
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';

const FIND = statement(
  'identity_find',
  'select account_id from account_identity where issuer = $1 and subject = $2',
);

/** The id of the account; undefined: the identity is new. */
export const findIdentity = async (tx: Tx, issuer: string, subject: string): Promise<number | undefined> =>
  (await rows<{ account_id: number }>(tx, FIND, [issuer, subject]))[0]?.account_id;

// Serializes first sign-ins, which a user may begin in two tabs. Readers do not wait.
const LOCK = statement('identity_lock', 'lock table account_identity in share row exclusive mode');

/** Prevents other first sign-ins until the transaction ends. Returns the account if one has created it meanwhile. */
export async function lockNewIdentity(tx: Tx, issuer: string, subject: string): Promise<number | undefined> {
  await run(tx, LOCK);
  return findIdentity(tx, issuer, subject);
}

const ADD = statement(
  'identity_add',
  'insert into account_identity (issuer, subject, account_id) values ($1, $2, $3)',
);

export const addIdentity = (tx: Tx, issuer: string, subject: string, accountId: number): Promise<number> =>
  run(tx, ADD, [issuer, subject, accountId]);

const REMOVE = statement(
  'identity_remove',
  'delete from account_identity where issuer = $1 and account_id = $2',
);

/** Returns how many identities of the account at this issuer were removed. */
export const removeIdentities = (tx: Tx, issuer: string, accountId: number): Promise<number> =>
  run(tx, REMOVE, [issuer, accountId]);

// Sign-ins expire after ten minutes by the clock of the service; the rows are kept longer, because the clock of the
// database may differ.
const USE_SIGN_ON = statement(
  'sign_on_use',
  `with old as (delete from used_sign_on where used_at < now() - interval '1 day')
   insert into used_sign_on (state_hash) values ($1) on conflict do nothing`,
);

/** Marks a sign-in at the provider as used. False: it was used before, in whatever process. */
export const useSignOn = async (tx: Tx, state: string): Promise<boolean> =>
  (await run(tx, USE_SIGN_ON, [hashKey(state)])) > 0;
