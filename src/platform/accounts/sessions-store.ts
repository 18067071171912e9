// Sessions of the console, found by the hash of their id. Expiry uses the database's clock, because several processes
// serve one session.
import { randomBytes } from 'node:crypto';
import { hashKey } from '../secrets/keys.ts';
import { rows, run, statement, type Tx } from '../database/database.ts';
import type { Role } from '../values/roles.ts';

const IDLE_MINUTES = 30;
const ABSOLUTE_HOURS = 12;
const ID_BYTES = 32;

export const LIVE_SESSION =
  `s.last_seen_at > now() - interval '${IDLE_MINUTES} minutes' ` +
  `and s.created_at > now() - interval '${ABSOLUTE_HOURS} hours'`;

/** A session with the current state of its account. */
export interface SignedIn {
  account_id: number;
  email: string;
  name: string | null;
  role: Role;
  /** The password is a one-time password, and the user has signed in with it. */
  must_change_password: boolean;
  /** false: the account signs in only at the OpenID provider */
  has_password: boolean;
  has_second_factor: boolean;
  /** A second factor is required, but the account has none yet. */
  must_set_up_second_factor: boolean;
  /** The latest possible end. */
  expires_at: Date;
}

/** Details by which the owner of a session recognizes it. */
export interface Device {
  address: string;
  /** As the browser sent it, shortened; null: none. */
  user_agent: string | null;
  /** The OpenID provider has authenticated the user, with its own second factor. Default false. */
  is_by_provider?: boolean;
}

const HAS_FACTOR = `exists (select from second_factor f where f.account_id = a.id and f.confirmed_at is not null)`;
const ACCOUNT_COLUMNS = `a.id as account_id, a.email, a.name, a.role, a.has_password, ${HAS_FACTOR} as has_second_factor,
     a.must_change_password and not s.is_by_provider as must_change_password,
     (a.second_factor_required or exists (select from second_factor_role r where r.role = a.role)) and not ${HAS_FACTOR}
       and not s.is_by_provider as must_set_up_second_factor`;
const EXPIRES = `s.created_at + interval '${ABSOLUTE_HOURS} hours' as expires_at`;

// `last_seen_at` and `address` are kept to the minute, so that not every request writes a row.
const USE = statement(
  'session_use',
  `with found as (
     select s.id_hash, s.last_seen_at, ${ACCOUNT_COLUMNS}, ${EXPIRES}
     from account_session s join account a on a.id = s.account_id
     where s.id_hash = $1 and a.is_active and ${LIVE_SESSION}
   ), touched as (
     update account_session t set last_seen_at = now(), address = $2 from found f
     where t.id_hash = f.id_hash and f.last_seen_at < now() - interval '1 minute'
   )
   select account_id, email, name, role, must_change_password, has_password, has_second_factor,
     must_set_up_second_factor, expires_at
   from found`,
);

export const useSession = async (tx: Tx, id: string, address: string): Promise<SignedIn | undefined> =>
  (await rows<SignedIn>(tx, USE, [hashKey(id), address]))[0];

// Revocation deletes the session, which waits for transactions that have pinned it.
const PIN = statement(
  'session_hold',
  `select a.role from account_session s join account a on a.id = s.account_id
   where s.id_hash = $1 and a.is_active and ${LIVE_SESSION} for key share of s`,
);

/** The role of the session's account. The session stays valid until the transaction ends. Undefined: not valid. */
export const pinSession = async (tx: Tx, id: string): Promise<Role | undefined> =>
  (await rows<{ role: Role }>(tx, PIN, [hashKey(id)]))[0]?.role;

const INSERT = statement(
  'session_insert',
  `with s as (insert into account_session (id_hash, account_id, address, user_agent, is_by_provider)
     values ($1, $2, $3, $4, $5) returning *)
   select ${ACCOUNT_COLUMNS}, ${EXPIRES} from s join account a on a.id = s.account_id`,
);

/** Creates a new session id, which only the browser keeps. */
export async function openSession(
  tx: Tx,
  accountId: number,
  { address, user_agent, is_by_provider = false }: Device,
): Promise<{ session_id: string; signedIn: SignedIn }> {
  const session_id = randomBytes(ID_BYTES).toString('base64url');
  const values = [hashKey(session_id), accountId, address, user_agent, is_by_provider];
  const [signedIn] = await rows<SignedIn>(tx, INSERT, values);
  if (!signedIn) throw new RangeError('the session was not inserted');
  return { session_id, signedIn };
}

const END = statement('session_end', 'delete from account_session where id_hash = $1');

export const endSession = (tx: Tx, id: string): Promise<number> => run(tx, END, [hashKey(id)]);

const END_OF = statement('session_end_of', 'delete from account_session where account_id = $1');

export const endSessionsOf = (tx: Tx, accountId: number): Promise<number> => run(tx, END_OF, [accountId]);

/** A live session as its owner and administrators see it. */
export interface ListedSession {
  id: number;
  id_hash: Buffer;
  user_id: number;
  email: string;
  name: string | null;
  address: string | null;
  user_agent: string | null;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
}

const LISTED = `s.id, s.id_hash, a.id as user_id, a.email, a.name, s.address, s.user_agent, s.created_at, s.last_seen_at,
     ${EXPIRES}`;

const LIST = statement(
  'session_list',
  `select ${LISTED} from account_session s join account a on a.id = s.account_id
   where s.id > $1::bigint and ($2::int is null or s.account_id = $2) and a.is_active and ${LIVE_SESSION}
   order by s.id limit $3`,
);

/** `accountId` null: of all accounts. */
export const listSessions = (
  tx: Tx,
  afterId: number,
  accountId: number | null,
  limit: number,
): Promise<ListedSession[]> => rows(tx, LIST, [afterId, accountId, limit]);

const FIND = statement(
  'session_find',
  `select ${LISTED} from account_session s join account a on a.id = s.account_id
   where s.id = $1 and ($2::int is null or s.account_id = $2) and a.is_active and ${LIVE_SESSION}`,
);

export const findSession = async (
  tx: Tx,
  id: number,
  accountId: number | null,
): Promise<ListedSession | undefined> => (await rows<ListedSession>(tx, FIND, [id, accountId]))[0];

const REVOKE = statement('session_revoke', 'delete from account_session where id = $1');

export const revokeSession = (tx: Tx, id: number): Promise<number> => run(tx, REVOKE, [id]);

const SWEEP = statement('session_sweep', `delete from account_session s where not (${LIVE_SESSION})`);

/** Deletes expired sessions, which are already refused. */
export const sweepSessions = (tx: Tx): Promise<number> => run(tx, SWEEP);
