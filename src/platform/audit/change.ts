// Every write of the back office goes through `changing`, which requires the audit entry and, for the change journal,
// the variants and channels whose stock lists have changed.
import { insertAudit, type Actor, type AuditEntry } from './store.ts';
import type { Tx } from '../database/database.ts';
import { appendJournal, type JournalEntry } from '../../core/journal/store.ts';
import type { Done } from '../admin-api/outcome.ts';
import type { Refused, RefusedAs } from '../admin-api/refused.ts';

export type { Actor } from './store.ts';

/** The actor that creates the first token and the first account. */
export const FIRST_START: Actor = { actor: 'first-start', request_id: null };

/** What the work of a change returns. */
type Result<Facts extends object, Kind extends Refused['kind']> =
  | RefusedAs<Kind>
  /** `audit`: one entry, or one for each of many changes. `journal` null: no stock list shows the change. */
  | {
      readonly done: Facts;
      readonly audit: AuditEntry | readonly AuditEntry[];
      readonly journal: JournalEntry | null;
    }
  /** Everything already had the wanted values: nothing was written or recorded. */
  | { readonly done: Facts; readonly audit: 'nothing_changed' }
  /** A dry run, or a file with problems: the report is returned, and nothing of it stays. */
  | { readonly done: Facts; readonly audit: 'rolled_back' };

/**
 * Runs in the caller's transaction, which the caller rolls back after a refusal. `Facts`: the data of a done outcome;
 * `Kind`: the possible refusals.
 */
export async function changing<Facts extends object = object, Kind extends Refused['kind'] = never>(
  tx: Tx,
  by: Actor,
  work: () => Promise<Result<Facts, Kind>>,
): Promise<Done<Facts> | RefusedAs<Kind>> {
  const result = await work();
  if (!('done' in result)) return result;
  if (result.audit === 'rolled_back') return { kind: 'done', is_kept: false, ...result.done };
  if (result.audit !== 'nothing_changed') {
    await insertAudit(tx, by, [result.audit].flat());
    if (result.journal) await appendJournal(tx, result.journal);
  }
  return { kind: 'done', ...result.done };
}
