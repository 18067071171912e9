// Every write of the back office goes through `auditing`, which requires the audit entry. Core and features use
// `changing` of core/journal, which requires the entry of the change journal, too.
import { insertAudit, type Actor, type AuditEntry } from './store.ts';
import type { Tx } from '../database/database.ts';
import type { Done } from '../admin-api/outcome.ts';
import type { Refused, RefusedAs } from '../admin-api/refused.ts';

export type { Actor } from './store.ts';

/** The actor that creates the first token and the first account. */
export const FIRST_START: Actor = { actor: 'first-start', request_id: null };

/** What the work of a change returns if nothing is recorded. */
export type Unrecorded<Facts extends object, Kind extends Refused['kind']> =
  | RefusedAs<Kind>
  /** Everything already had the wanted values: nothing was written or recorded. */
  | { readonly done: Facts; readonly audit: 'nothing_changed' }
  /** A dry run, or a file with problems: the report is returned, and nothing of it stays. */
  | { readonly done: Facts; readonly audit: 'rolled_back' };

export interface Audited<Facts extends object> {
  readonly done: Facts;
  /** One entry, or one for each of many changes. */
  readonly audit: AuditEntry | readonly AuditEntry[];
}

/**
 * Runs in the caller's transaction, which the caller rolls back after a refusal. `Facts`: the data of a done outcome;
 * `Kind`: the possible refusals.
 */
export async function auditing<Facts extends object = object, Kind extends Refused['kind'] = never>(
  tx: Tx,
  by: Actor,
  work: () => Promise<Audited<Facts> | Unrecorded<Facts, Kind>>,
): Promise<Done<Facts> | RefusedAs<Kind>> {
  const result = await work();
  if (!('done' in result)) return result;
  if (result.audit === 'rolled_back') return { kind: 'done', is_kept: false, ...result.done };
  if (result.audit !== 'nothing_changed') await insertAudit(tx, by, [result.audit].flat());
  return { kind: 'done', ...result.done };
}
