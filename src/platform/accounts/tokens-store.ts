// Admin tokens: stored as hashes, with name and role. Revoked tokens are kept.
import { hashKey, newAdminToken } from '../secrets/keys.ts';
import { rows, statement, type Tx } from '../database/database.ts';
import type { Role } from '../values/roles.ts';

export interface AdminToken {
  id: number;
  name: string;
  role: Role;
  created_at: Date;
  revoked_at: Date | null;
  last_used_at: Date | null;
  /** null: until it is revoked */
  expires_at: Date | null;
  /** The actor as in the audit log; null: created before this was recorded */
  created_by: string | null;
}

const COLUMNS = 'id, name, role, created_at, revoked_at, last_used_at, expires_at, created_by';

const INSERT = statement(
  'token_insert',
  `insert into admin_token (name, role, token_hash, expires_at, created_by)
   values ($1, $2, $3, $4, $5) on conflict (name) where revoked_at is null do nothing returning ${COLUMNS}`,
);

/** Returns the token, which is not stored. Undefined: a valid token has the same name. */
export async function insertToken(
  tx: Tx,
  name: string,
  role: Role,
  { expires_at = null, created_by = null }: Partial<Pick<AdminToken, 'expires_at' | 'created_by'>> = {},
): Promise<{ row: AdminToken; token: string } | undefined> {
  const token = newAdminToken();
  const [row] = await rows<AdminToken>(tx, INSERT, [name, role, hashKey(token), expires_at, created_by]);
  return row && { row, token };
}

const ANY = statement('token_any', 'select exists (select from admin_token) as any_token');
/** Several processes may start on one new database; exactly one creates the first token. */
const FIRST_LOCK = statement('token_first_lock', 'lock table admin_token in exclusive mode');

/** Whether the first token can be created; the lock is held until the transaction ends. */
export async function lockTokensForFirst(tx: Tx): Promise<boolean> {
  await rows(tx, FIRST_LOCK);
  return (await rows<{ any_token: boolean }>(tx, ANY))[0]?.any_token === false;
}

// Waits for transactions that have pinned the token, and blocks new ones.
const LOCK_BY_NAME = statement(
  'token_lock_by_name',
  'select id from admin_token where name = $1 and revoked_at is null order by id for update',
);
const LOCK_BY_ID = statement('token_lock_by_id', 'select id from admin_token where id = $1 for update');
const REVOKE = statement(
  'token_revoke',
  `update admin_token set revoked_at = now() where id = $1 and revoked_at is null returning ${COLUMNS}`,
);

/** Revokes a token by id or name. Undefined: no such valid token. */
export async function endToken(tx: Tx, token: number | string): Promise<AdminToken | undefined> {
  const lock = typeof token === 'number' ? LOCK_BY_ID : LOCK_BY_NAME;
  const [locked] = await rows<{ id: number }>(tx, lock, [token]);
  return locked && (await rows<AdminToken>(tx, REVOKE, [locked.id]))[0];
}

/** clock_timestamp(), because the transaction may have waited. */
export const LIVE_TOKEN = 'revoked_at is null and (expires_at is null or expires_at > clock_timestamp())';
const PIN = statement(
  'token_hold',
  `select role from admin_token where id = $1 and ${LIVE_TOKEN} for key share`,
);

/** The role of the token, which stays valid until the transaction ends. Undefined: not valid. */
export const pinToken = async (tx: Tx, id: number): Promise<Role | undefined> =>
  (await rows<{ role: Role }>(tx, PIN, [id]))[0]?.role;

const PAGE = statement(
  'token_page',
  `select ${COLUMNS} from admin_token where id > $1::bigint order by id limit $2`,
);

export const listTokenPage = (tx: Tx, afterId: number, limit: number): Promise<AdminToken[]> =>
  rows(tx, PAGE, [afterId, limit]);

const LIST = statement('token_list', `select ${COLUMNS} from admin_token order by id`);

export const listTokens = (tx: Tx): Promise<AdminToken[]> => rows(tx, LIST);

// `last_used_at` is kept to the minute, so that not every request writes a row.
const USE = statement(
  'token_use',
  `with found as (
     select ${COLUMNS} from admin_token where token_hash = $1 and revoked_at is null
       and (expires_at is null or expires_at > now())
   ), touched as (
     update admin_token t set last_used_at = now() from found f
     where t.id = f.id and (t.last_used_at is null or t.last_used_at < now() - interval '1 minute')
   )
   select * from found`,
);

export const useToken = async (tx: Tx, token: string): Promise<AdminToken | undefined> =>
  (await rows<AdminToken>(tx, USE, [hashKey(token)]))[0];
