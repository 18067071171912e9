// sluice reconcile: recomputes every counter from orders and ledger.
import { reconcileUnhurried, type Drift } from '../store/reconcile.ts';
import type { CliCommand } from './command.ts';
import { withDatabase } from './database.ts';
import { formatCount, note, plural, print, printJson, table } from './output.ts';

export const reconcileCommand: CliCommand = {
  name: 'reconcile',
  summary: 'recompute every counter from orders and ledger; exit 1 when one differs',
  about: ['Changes nothing. Each line shows a counter, its stored value and its computed value.'],
  examples: ['sluice reconcile', 'sluice reconcile --json'],
  async run(args) {
    const report = await withDatabase(reconcileUnhurried);
    if (args.json) printJson(report);
    else if (report.ok) print(`No drift: ${plural(report.checked, 'value')} checked.`);
    else {
      print(
        table(['COUNTER', 'VARIANT', 'CHANNEL', 'ORDER', 'STORED', 'COMPUTED'], report.drift.map(lineOf)),
      );
      const more = report.drift_count - report.drift.length;
      if (more > 0) print(`… and ${formatCount(more)} more`);
    }
    if (report.ok) return 0;
    note(`drift: ${formatCount(report.drift_count)} of ${plural(report.checked, 'value')} checked differ.`);
    return 1;
  },
};

const lineOf = (drift: Drift): string[] => [
  drift.counter,
  drift.variant_code ?? '-',
  drift.channel_id === undefined ? '-' : String(drift.channel_id),
  drift.order_number ?? '-',
  drift.stored === null ? 'no row' : String(drift.stored),
  drift.computed === null ? '-' : String(drift.computed),
];
