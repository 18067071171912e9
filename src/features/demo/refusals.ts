// What is refused about demo data.
import { commandRefusal } from '../../platform/admin-api/refused.ts';
import type { CsvFact } from '../../platform/csv/problems.ts';
import { csvText } from '../../platform/csv/words.ts';

export const DEMO_REFUSALS = {
  /** Demo data are not added beside real orders. */
  real_orders_present: commandRefusal({
    status: 409,
    words: () => 'This database has orders of real channels.',
    commandWords: () => 'this database has orders of real channels; use --force to add demo data anyway.',
  }),
  demo_data_conflict: commandRefusal<{ problem: CsvFact }>({
    status: 409,
    words: ({ problem }) => `The demo data do not fit this database: ${csvText(problem)}`,
    commandWords: ({ problem }) => `the demo data do not fit this database: ${csvText(problem)}`,
  }),
};

type Own = typeof DEMO_REFUSALS;
declare module '../../platform/admin-api/refused.ts' {
  interface Refusals extends Own {}
}
