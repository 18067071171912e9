// Audits the export of orders.
import type { Tx } from '../../platform/database/database.ts';
import { changing, type Actor } from '../../core/journal/change.ts';

/** An export takes personal data out of the service, so it is audited before the first row is read. */
export const recordExport = (tx: Tx, by: Actor, after: object) =>
  changing(tx, by, async () => ({
    done: {},
    audit: { action: 'order.export', subject: 'orders', before: null, after },
    journal: null,
  }));
