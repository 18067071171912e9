// The second factor of accounts: sealed secrets of one-time codes, recovery codes, and the roles that require it.
import { hashKey, type Sealed } from '../secrets/keys.ts';
import { rows, run, statement, type Tx } from '../database/database.ts';
import type { Role } from '../values/roles.ts';

export interface SecondFactor extends Sealed {
  is_confirmed: boolean;
  last_step: number;
}

const FIND = statement(
  'second_factor_find',
  `select secret_sealed as key_sealed, sealed_with, confirmed_at is not null as is_confirmed, last_step
   from second_factor where account_id = $1`,
);

export const findSecondFactor = async (tx: Tx, accountId: number): Promise<SecondFactor | undefined> =>
  (await rows<SecondFactor>(tx, FIND, [accountId]))[0];

// A factor that is in use is not replaced: it must be removed first.
const BEGIN = statement(
  'second_factor_begin',
  `insert into second_factor (account_id, secret_sealed, sealed_with) values ($1, $2, $3)
   on conflict (account_id) do update
   set secret_sealed = excluded.secret_sealed, sealed_with = excluded.sealed_with, last_step = 0
   where second_factor.confirmed_at is null`,
);

/** Stores a new second factor. False: one is in use already. */
export const beginSecondFactor = async (tx: Tx, accountId: number, sealed: Sealed): Promise<boolean> =>
  (await run(tx, BEGIN, [accountId, sealed.key_sealed, sealed.sealed_with])) > 0;

const CONFIRM = statement(
  'second_factor_confirm',
  'update second_factor set confirmed_at = coalesce(confirmed_at, now()) where account_id = $1',
);

export const confirmSecondFactor = (tx: Tx, accountId: number): Promise<number> =>
  run(tx, CONFIRM, [accountId]);

const USE_STEP = statement(
  'second_factor_use_step',
  'update second_factor set last_step = $2 where account_id = $1 and last_step < $2',
);

/** Marks the code of this time step as used. False: this code or a later one was used already. */
export const useStep = async (tx: Tx, accountId: number, step: number): Promise<boolean> =>
  (await run(tx, USE_STEP, [accountId, step])) > 0;

const REMOVE = statement('second_factor_remove', 'delete from second_factor where account_id = $1');
const REMOVE_CODES = statement('recovery_code_remove', 'delete from recovery_code where account_id = $1');

/** False: the account had no second factor, neither in use nor begun. */
export async function removeSecondFactor(tx: Tx, accountId: number): Promise<boolean> {
  await run(tx, REMOVE_CODES, [accountId]);
  return (await run(tx, REMOVE, [accountId])) > 0;
}

const ADD_CODES = statement(
  'recovery_code_add',
  'insert into recovery_code (account_id, code_hash) select $1, unnest($2::bytea[])',
);

/** The previous codes become invalid. */
export async function replaceRecoveryCodes(
  tx: Tx,
  accountId: number,
  codes: readonly string[],
): Promise<void> {
  await run(tx, REMOVE_CODES, [accountId]);
  await run(tx, ADD_CODES, [accountId, codes.map(hashKey)]);
}

const USE_CODE = statement(
  'recovery_code_use',
  'delete from recovery_code where account_id = $1 and code_hash = $2',
);

export const useRecoveryCode = async (tx: Tx, accountId: number, code: string): Promise<boolean> =>
  (await run(tx, USE_CODE, [accountId, hashKey(code)])) > 0;

const COUNT_CODES = statement(
  'recovery_code_count',
  'select count(*)::int as count from recovery_code where account_id = $1',
);

export const countRecoveryCodes = async (tx: Tx, accountId: number): Promise<number> =>
  (await rows<{ count: number }>(tx, COUNT_CODES, [accountId]))[0]?.count ?? 0;

const ROLES_READ = statement('second_factor_roles', 'select role from second_factor_role order by role');
const ROLES_CLEAR = statement('second_factor_roles_clear', 'delete from second_factor_role');
const ROLES_ADD = statement(
  'second_factor_roles_add',
  'insert into second_factor_role (role) select unnest($1::text[])',
);

// Serializes concurrent changes of the roles. Readers do not wait.
const ROLES_LOCK = statement(
  'second_factor_roles_lock',
  'lock table second_factor_role in share row exclusive mode',
);

export const lockRequiredRoles = async (tx: Tx): Promise<void> => {
  await run(tx, ROLES_LOCK);
};

export const readRequiredRoles = async (tx: Tx): Promise<Role[]> =>
  (await rows<{ role: Role }>(tx, ROLES_READ)).map(({ role }) => role);

export async function setRequiredRoles(tx: Tx, roles: readonly Role[]): Promise<void> {
  await run(tx, ROLES_CLEAR);
  await run(tx, ROLES_ADD, [roles]);
}
