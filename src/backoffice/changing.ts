// Every write of the back office goes through `changing`, which demands what must not be forgotten: the audit entry, and
// for the change journal the variants and channels whose stock lists look different now.
import { insertAudit, type Actor, type AuditEntry } from '../store/audit.ts';
import type { Tx } from '../store/database.ts';
import { appendJournal, type JournalEntry } from '../store/journal.ts';
import type { Refused, RefusedAs } from './refused.ts';

export type { Actor } from '../store/audit.ts';

/** Who makes the first token and the first account. */
export const FIRST_START: Actor = { actor: 'first-start', request_id: null };

export type Done<Facts extends object = object> = { kind: 'done' } & Facts;

/** What the work of a change hands over. */
type Result<Facts extends object, Kind extends Refused['kind']> =
  | RefusedAs<Kind>
  /** `journal` null: no stock list shows the change. */
  | { readonly done: Facts; readonly audit: AuditEntry; readonly journal: JournalEntry | null }
  /** Everything was as wanted already: nothing was written, so nothing is recorded. */
  | { readonly done: Facts; readonly audit: 'nothing_changed' };

/**
 * Runs in the caller's transaction, which the caller rolls back when the outcome is a refusal. `Facts` are of the outcome
 * when it is done, `Kind` is why it can be refused.
 */
export async function changing<Facts extends object = object, Kind extends Refused['kind'] = never>(
  tx: Tx,
  by: Actor,
  work: () => Promise<Result<Facts, Kind>>,
): Promise<Done<Facts> | RefusedAs<Kind>> {
  const result = await work();
  if (!('done' in result)) return result;
  if (result.audit !== 'nothing_changed') {
    await insertAudit(tx, by, result.audit);
    if (result.journal) await appendJournal(tx, result.journal);
  }
  return { kind: 'done', ...result.done };
}
