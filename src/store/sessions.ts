// Sessions of the console, found by the hash of their id. Expiry uses the database's clock, because several processes
// serve one session.
import { randomBytes } from 'node:crypto';
import { hashKey } from '../keys.ts';
import { rows, run, statement, type Tx } from './database.ts';
import type { Role } from './tokens.ts';

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
  must_change_password: boolean;
  /** The latest possible end. */
  expires_at: Date;
}

const ACCOUNT_COLUMNS = 'a.id as account_id, a.email, a.name, a.role, a.must_change_password';
const EXPIRES = `s.created_at + interval '${ABSOLUTE_HOURS} hours' as expires_at`;

// `last_seen_at` is kept to the minute, so that not every request writes a row.
const USE = statement(
  'session_use',
  `with found as (
     select s.id_hash, s.last_seen_at, ${ACCOUNT_COLUMNS}, ${EXPIRES}
     from account_session s join account a on a.id = s.account_id
     where s.id_hash = $1 and a.is_active and ${LIVE_SESSION}
   ), touched as (
     update account_session t set last_seen_at = now() from found f
     where t.id_hash = f.id_hash and f.last_seen_at < now() - interval '1 minute'
   )
   select account_id, email, name, role, must_change_password, expires_at from found`,
);

export const useSession = async (tx: Tx, id: string): Promise<SignedIn | undefined> =>
  (await rows<SignedIn>(tx, USE, [hashKey(id)]))[0];

// Revocation deletes the session, which waits for transactions that hold it.
const HOLD = statement(
  'session_hold',
  `select a.role from account_session s join account a on a.id = s.account_id
   where s.id_hash = $1 and a.is_active and ${LIVE_SESSION} for key share of s`,
);

/** The role of its account; the session stays valid until the transaction ends. Undefined: not valid. */
export const holdSession = async (tx: Tx, id: string): Promise<Role | undefined> =>
  (await rows<{ role: Role }>(tx, HOLD, [hashKey(id)]))[0]?.role;

const INSERT = statement(
  'session_insert',
  `with s as (insert into account_session (id_hash, account_id) values ($1, $2) returning *)
   select ${ACCOUNT_COLUMNS}, ${EXPIRES} from s join account a on a.id = s.account_id`,
);

/** Always a new id, which only the browser keeps. */
export async function openSession(
  tx: Tx,
  accountId: number,
): Promise<{ session_id: string; signedIn: SignedIn }> {
  const session_id = randomBytes(ID_BYTES).toString('base64url');
  const [signedIn] = await rows<SignedIn>(tx, INSERT, [hashKey(session_id), accountId]);
  if (!signedIn) throw new RangeError('the session was not inserted');
  return { session_id, signedIn };
}

const END = statement('session_end', 'delete from account_session where id_hash = $1');

export const endSession = (tx: Tx, id: string): Promise<number> => run(tx, END, [hashKey(id)]);

const END_OF = statement('session_end_of', 'delete from account_session where account_id = $1');

export const endSessionsOf = (tx: Tx, accountId: number): Promise<number> => run(tx, END_OF, [accountId]);

const SWEEP = statement('session_sweep', `delete from account_session s where not (${LIVE_SESSION})`);

/** Deletes sessions that have expired; they are refused already. */
export const sweepSessions = (tx: Tx): Promise<number> => run(tx, SWEEP);
