// Tokens and sessions whose reports are in a batch of the gate, locked until the batch commits. A revocation (FOR
// UPDATE of a token, DELETE of a session) waits for the batch; after its response, nothing is committed with the
// credential.
//
// Lock order: a back-office transaction locks its credential first and then waits for stock rows. A batch already holds
// its order and stock rows, so waiting here could deadlock: deleting all sessions of an account locks one session and
// waits for another, which a back-office transaction holds while it waits for our stock row. It would also delay every
// other command of the process. The batch therefore skips credentials that are locked for revocation and treats them as
// revoked. Revocations lock no order or stock row, so one that waits for a batch cannot be part of a cycle.
import { credentialKey, type Credential } from './credential-rules.ts';
import { rows, statement, type Tx } from '../database/database.ts';
import { LIVE_SESSION } from './sessions-store.ts';
import { LIVE_TOKEN } from './tokens-store.ts';

// No join, for the reason given at NAMED_ORDERS in core/gate/reads-store.ts.
const PIN = statement(
  'credentials_hold',
  `with tokens as (
     select id, role from admin_token where id = any($1::int[]) and ${LIVE_TOKEN}
     for key share skip locked
   ), sessions as (
     select s.id_hash, (select a.role from account a where a.id = s.account_id and a.is_active) as role
     from account_session s
     where s.id_hash = any(array(select decode(unnest($2::text[]), 'base64'))) and ${LIVE_SESSION}
     for key share of s skip locked
   )
   select 'token' as of, id::text as id, role from tokens
   union all
   select 'session', encode(id_hash, 'base64'), role from sessions where role is not null`,
);

/** The roles of the valid credentials, by `credentialKey`. They stay valid until the transaction ends. */
export async function pinCredentials(
  tx: Tx,
  credentials: readonly Credential[],
): Promise<Map<string, string>> {
  const idsOf = (kind: Credential['of']): string[] =>
    credentials.flatMap(({ of, id }) => (of === kind ? id : []));
  const pinned = await rows<Credential>(tx, PIN, [idsOf('token'), idsOf('session')]);
  return new Map(pinned.map((one) => [credentialKey(one), one.role]));
}
