// Admin tokens, for programs. A token is in the outcome once, when it is made, and never in the audit.
import type { Tx } from '../store/database.ts';
import {
  insertToken,
  lockTokensForFirst,
  revokeToken as endToken,
  type AdminToken,
  type Role,
} from '../store/tokens.ts';
import { changing, FIRST_START, type Actor } from './changing.ts';

/** Ten years: a token that should last longer should not expire. */
export const TOKEN_DAYS_MAX = 3_650;
const DAY_MS = 24 * 60 * 60 * 1000;

export const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS);

interface NewToken {
  name: string;
  role: Role;
  /** null: it works until it is revoked. */
  expires_at: Date | null;
}

/** Live tokens have different names, because the audit names them. */
export const createToken = (tx: Tx, by: Actor, { name, role, expires_at }: NewToken) =>
  changing<{ row: AdminToken; token: string }, 'token_name_taken'>(tx, by, async () => {
    const made = await insertToken(tx, name, role, { expires_at, created_by: by.actor });
    if (!made) return { kind: 'token_name_taken', name };
    const after = { role, ...(expires_at && { expires_at: expires_at.toISOString() }) };
    return {
      done: made,
      audit: { action: 'token.create', subject: `token:${name}`, before: null, after },
      journal: null,
    };
  });

/** The way in on a database that has never had a token; null when it has. */
export async function createFirstToken(tx: Tx): Promise<string | null> {
  if (!(await lockTokensForFirst(tx))) return null;
  const made = await createToken(tx, FIRST_START, {
    name: FIRST_START.actor,
    role: 'admin',
    expires_at: null,
  });
  return made.kind === 'done' ? made.token : null;
}

/** By its id, or by its name. It stops working with the commit, and stays on record. */
export const revokeToken = (tx: Tx, by: Actor, token: number | string) =>
  changing<{ row: AdminToken }, 'token_unknown'>(tx, by, async () => {
    const row = await endToken(tx, token);
    if (!row) return { kind: 'token_unknown', token };
    const before = { role: row.role };
    return {
      done: { row },
      audit: { action: 'token.revoke', subject: `token:${row.name}`, before, after: null },
      journal: null,
    };
  });
