// Every write of the back office to core and features goes through `changing`, which requires the audit entry and, for
// the change journal, the variants and channels whose stock lists have changed.
import { auditing, type Actor, type Audited, type Unrecorded } from '../../platform/audit/change.ts';
import type { Done } from '../../platform/admin-api/outcome.ts';
import type { Refused, RefusedAs } from '../../platform/admin-api/refused.ts';
import type { Tx } from '../../platform/database/database.ts';
import { appendJournal, type JournalEntry } from './store.ts';

export type { Actor } from '../../platform/audit/change.ts';

interface Journaled<Facts extends object> extends Audited<Facts> {
  /** null: no stock list shows the change. */
  readonly journal: JournalEntry | null;
}

/** As `auditing`, with the journal. */
export const changing = <Facts extends object = object, Kind extends Refused['kind'] = never>(
  tx: Tx,
  by: Actor,
  work: () => Promise<Journaled<Facts> | Unrecorded<Facts, Kind>>,
): Promise<Done<Facts> | RefusedAs<Kind>> =>
  auditing<Facts, Kind>(tx, by, async () => {
    const result = await work();
    if ('journal' in result && result.journal) await appendJournal(tx, result.journal);
    return result;
  });
