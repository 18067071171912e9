// Admin tokens: stored hashed, with a name and a role; a revoked one stays on record.
import { hashKey, newAdminToken } from '../keys.ts';
import { insertAudit } from './audit.ts';
import { rows, statement, type Tx } from './database.ts';

export const ROLES = ['viewer', 'operator', 'admin'] as const;
/** viewer reads; operator changes stock, mappings, allocations, orders …; admin also channels, keys, tokens and users. */
export type Role = (typeof ROLES)[number];

/** Ten years: a token that should last longer should not expire. */
export const TOKEN_DAYS_MAX = 3_650;
const DAY_MS = 24 * 60 * 60 * 1000;

export const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS);

export interface AdminToken {
  id: number;
  name: string;
  role: Role;
  created_at: Date;
  revoked_at: Date | null;
  last_used_at: Date | null;
  /** null: it lasts until it is revoked */
  expires_at: Date | null;
  /** As in the audit log; null: made before this was recorded */
  created_by: string | null;
}

const COLUMNS = 'id, name, role, created_at, revoked_at, last_used_at, expires_at, created_by';

const INSERT = statement(
  'token_insert',
  `insert into admin_token (name, role, token_hash, expires_at, created_by)
   values ($1, $2, $3, $4, $5) returning ${COLUMNS}`,
);

/** The token itself is returned once and stored nowhere. A live token of the same name: unique violation. */
export async function insertToken(
  tx: Tx,
  name: string,
  role: Role,
  { expires_at = null, created_by = null }: Partial<Pick<AdminToken, 'expires_at' | 'created_by'>> = {},
): Promise<{ row: AdminToken; token: string }> {
  const token = newAdminToken();
  const [row] = await rows<AdminToken>(tx, INSERT, [name, role, hashKey(token), expires_at, created_by]);
  if (!row) throw new RangeError('the token was not inserted');
  return { row, token };
}

/** What the audit says of a new one. */
export const auditedToken = ({ role, expires_at }: AdminToken): object => ({
  role,
  ...(expires_at && { expires_at: expires_at.toISOString() }),
});

const ANY = statement('token_any', 'select exists (select from admin_token) as any_token');
/** Several processes may start on one new database; exactly one of them makes and shows the token. */
const FIRST_LOCK = statement('token_first_lock', 'lock table admin_token in exclusive mode');

/** The way in on a database that has never had a token; null when it has. */
export async function insertFirstToken(tx: Tx): Promise<string | null> {
  await rows(tx, FIRST_LOCK);
  const [found] = await rows<{ any_token: boolean }>(tx, ANY);
  if (found?.any_token !== false) return null;
  const by = { actor: 'first-start', request_id: null };
  const { token } = await insertToken(tx, 'first-start', 'admin', { created_by: by.actor });
  await insertAudit(tx, by, {
    action: 'token.create',
    subject: 'token:first-start',
    before: null,
    after: { role: 'admin' },
  });
  return token;
}

// Waits for the transactions that hold the token, and keeps others from holding it.
const LOCK_BY_NAME = statement(
  'token_lock_by_name',
  'select id from admin_token where name = $1 and revoked_at is null order by id for update',
);
const LOCK_BY_ID = statement('token_lock_by_id', 'select id from admin_token where id = $1 for update');
const REVOKE = statement(
  'token_revoke',
  `update admin_token set revoked_at = now() where id = $1 and revoked_at is null returning ${COLUMNS}`,
);

const revokeLocked = async (tx: Tx, [locked]: { id: number }[]): Promise<AdminToken | undefined> =>
  locked && (await rows<AdminToken>(tx, REVOKE, [locked.id]))[0];

export const revokeToken = async (tx: Tx, name: string): Promise<AdminToken | undefined> =>
  revokeLocked(tx, await rows(tx, LOCK_BY_NAME, [name]));

export const revokeTokenById = async (tx: Tx, id: number): Promise<AdminToken | undefined> =>
  revokeLocked(tx, await rows(tx, LOCK_BY_ID, [id]));

/** By the clock, because a transaction may have waited. */
export const LIVE_TOKEN = 'revoked_at is null and (expires_at is null or expires_at > clock_timestamp())';
const HOLD = statement(
  'token_hold',
  `select role from admin_token where id = $1 and ${LIVE_TOKEN} for key share`,
);

/** Its role; it stays valid until the transaction ends. Undefined: it is not valid. */
export const holdToken = async (tx: Tx, id: number): Promise<Role | undefined> =>
  (await rows<{ role: Role }>(tx, HOLD, [id]))[0]?.role;

const PAGE = statement(
  'token_page',
  `select ${COLUMNS} from admin_token where id > $1::bigint order by id limit $2`,
);

export const listTokenPage = (tx: Tx, afterId: number, limit: number): Promise<AdminToken[]> =>
  rows(tx, PAGE, [afterId, limit]);

const LIST = statement('token_list', `select ${COLUMNS} from admin_token order by id`);

export const listTokens = (tx: Tx): Promise<AdminToken[]> => rows(tx, LIST);

// `last_used_at` is kept to the minute, so that a busy token does not write a row per request.
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
