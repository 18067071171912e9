// Shared by the tests of the admin API: audit entries, journal, all pages of a list, tokens with other roles.
import assert from 'node:assert/strict';
import { listAudit, type AuditRow } from '../../src/platform/audit/store.ts';
import type { Tx } from '../../src/platform/database/database.ts';
import { insertToken } from '../../src/platform/accounts/tokens-store.ts';
import type { Role } from '../../src/platform/values/roles.ts';
import { must, unique } from '../../verify/kit/fixtures.ts';
import type { HttpAnswer, TestService } from '../../verify/kit/service.ts';

export const ODD_TEXTS = [
  'a/b c',
  '100%_\\',
  'クリア-0.50 🙂',
  "o'brien;--",
  '...',
  'x?y#z&w=1',
  ' lead',
  'É',
];

interface Refused {
  error?: string;
  code?: string;
  details?: any;
  errors?: Record<string, string[]>;
}

/**
 * Asserts status and shape, and returns the text of the error or the texts by field. Every refusal of the admin API has a
 * code, and every field error has its own code.
 */
export async function refusal(answer: Promise<HttpAnswer>, status: number): Promise<Refused> {
  const { status: got, text, json } = await answer;
  assert.equal(got, status, text);
  assert.ok(typeof json.error === 'string' || typeof json.message === 'string', text);
  assert.match(json.code, /^[a-z_]+$/, text);
  if (typeof json.message === 'string') {
    const faults = json.details.faults as { field: string; code: string; details: object }[];
    assert.deepEqual(new Set(faults.map(({ field }) => field)), new Set(Object.keys(json.errors)), text);
    for (const { code, details } of faults) {
      assert.match(code, /^[a-z_]+$/, text);
      assert.equal(typeof details, 'object', text);
    }
  }
  return json as Refused;
}

/** The fields with a validation error. */
export async function fieldsRefused(answer: Promise<HttpAnswer>): Promise<string[]> {
  const { errors } = await refusal(answer, 422);
  assert.ok(errors, 'not the validation shape');
  return Object.keys(errors);
}

/** The statuses of several answers, in ascending order. */
export const statusesOf = (answers: readonly HttpAnswer[]): number[] =>
  answers.map((answer) => answer.status).toSorted((a, b) => a - b);

/** A token with this role. */
export async function adminToken(tx: Tx, role: Role, name = unique(role)): Promise<string> {
  const made = await insertToken(tx, name, role);
  assert.ok(made, `token ${name} already exists`);
  return made.token;
}

const ANY_AUDIT = { actor: null, action: null, from: null, to: null, beforeId: null, limit: 1_000 };

export function desk(service: TestService) {
  const { pool } = service.service.services;
  const admin: TestService['admin'] = (...call) => service.admin(...call);
  return {
    admin,
    /** Oldest first. */
    audits: async (subject: string): Promise<AuditRow[]> =>
      (await listAudit(pool, { ...ANY_AUDIT, subject })).toReversed(),
    journaled: async (column: 'variant_ids' | 'channel_ids', id: number): Promise<number> => {
      const sql = `select count(*)::int as n from change_journal where $1 = any(${column})`;
      const result = await pool.query<{ n: number }>(sql, [id]);
      return result.rows[0]?.n ?? 0;
    },
    token: (role: Role): Promise<string> => adminToken(pool, role),
    /** Follows `next_cursor` to the end; the path may already have a query. */
    pages: async (path: string, limit: number): Promise<any[]> => {
      const all: unknown[] = [];
      const seen = new Set<string>();
      let cursor: string | null = null;
      do {
        const query = `limit=${limit}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
        const answer = await admin('GET', `${path}${path.includes('?') ? '&' : '?'}${query}`);
        const data = await must(Promise.resolve(answer), 200);
        assert.ok(data.length <= limit && (data.length > 0 || all.length === 0), 'an empty last page');
        all.push(...data);
        cursor = answer.json.next_cursor as string | null;
        assert.ok(cursor === null || !seen.has(cursor), 'a cursor is repeated');
        if (cursor !== null) seen.add(cursor);
      } while (cursor !== null);
      return all;
    },
  };
}
