// Which alerts have been mailed.
import type { AlertRow } from './store.ts';
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';

export interface UnmailedAlert extends AlertRow {
  opening_mailed: boolean;
}

const WITHOUT_MAIL = '(not opening_mailed or (closed_at is not null and not closing_mailed))';

const READ = statement(
  'alert_unmailed',
  `select id, kind, subject, details, opened_at, closed_at, opening_mailed from alert where ${WITHOUT_MAIL} order by id limit $1`,
);
export const readUnmailedAlerts = (tx: Tx, limit: number): Promise<UnmailedAlert[]> =>
  rows(tx, READ, [limit]);

const MARK = statement(
  'alert_mark_mailed',
  `update alert set opening_mailed = true, closing_mailed = closing_mailed or id = any($2::bigint[]) where id = any($1::bigint[])`,
);

/** Marks the opening of these alerts as mailed, and the closing of those that were closed when they were read. */
export const markMailed = (tx: Tx, alerts: readonly AlertRow[]): Promise<number> =>
  run(tx, MARK, [
    alerts.map(({ id }) => id),
    alerts.filter(({ closed_at }) => closed_at !== null).map(({ id }) => id),
  ]);

// After mail was switched on or unavailable for long, alerts older than a day are not mailed.
const SKIP = statement(
  'alert_skip_mails',
  `update alert set opening_mailed = true, closing_mailed = closed_at is not null
   where ${WITHOUT_MAIL} and coalesce(closed_at, opened_at) < now() - interval '1 day'`,
);
export const skipOldMails = (tx: Tx): Promise<number> => run(tx, SKIP);
