// Admin tokens for programs. The outcome contains a token once, when it is created. The audit log never contains
// tokens.
import type { Tx } from '../database/database.ts';
import { insertToken, lockTokensForFirst, endToken, type AdminToken } from './tokens-store.ts';
import type { Role } from '../values/roles.ts';
import { auditing, FIRST_START, type Actor } from '../audit/change.ts';

/** Ten years. For longer use, create a token without an expiry. */
export const TOKEN_DAYS_MAX = 3_650;
const DAY_MS = 24 * 60 * 60 * 1000;

export const inDays = (days: number, now: Date): Date => new Date(now.getTime() + days * DAY_MS);

interface NewToken {
  name: string;
  role: Role;
  /** null: valid until revoked. */
  expires_at: Date | null;
}

/** Valid tokens have unique names, because the audit log shows them. */
export const createToken = (tx: Tx, by: Actor, { name, role, expires_at }: NewToken) =>
  auditing<{ row: AdminToken; token: string }, 'token_name_taken'>(tx, by, async () => {
    const made = await insertToken(tx, name, role, { expires_at, created_by: by.actor });
    if (!made) return { kind: 'token_name_taken', name };
    const after = { role, ...(expires_at && { expires_at: expires_at.toISOString() }) };
    return {
      done: made,
      audit: { action: 'token.create', subject: `token:${name}`, before: null, after },
    };
  });

/** The first token of a new database; null if there was one before. */
export async function createFirstToken(tx: Tx): Promise<string | null> {
  if (!(await lockTokensForFirst(tx))) return null;
  const made = await createToken(tx, FIRST_START, {
    name: FIRST_START.actor,
    role: 'admin',
    expires_at: null,
  });
  return made.kind === 'done' ? made.token : null;
}

/** Revokes a token by id or name. It is invalid after the commit; its row is kept. */
export const revokeToken = (tx: Tx, by: Actor, token: number | string) =>
  auditing<{ row: AdminToken }, 'token_unknown'>(tx, by, async () => {
    const row = await endToken(tx, token);
    if (!row) return { kind: 'token_unknown', token };
    const before = { role: row.role };
    return {
      done: { row },
      audit: { action: 'token.revoke', subject: `token:${row.name}`, before, after: null },
    };
  });
