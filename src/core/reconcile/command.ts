// sluice reconcile: recomputes every counter from orders and ledger.
import { listChannelsWithoutRate } from '../rates/store.ts';
import { reconcileUnhurried, type Drift } from './store.ts';
import type { CliCommand } from '../../platform/cli/command.ts';
import { withDatabase } from '../../platform/command-database/database.ts';
import { formatCount, note, plural, print, printJson, table } from '../../platform/cli/output.ts';

export const reconcileCommand: CliCommand = {
  name: 'reconcile',
  summary: 'recompute every counter from orders and ledger; exit 1 when one differs',
  about: [
    'Changes nothing. Each line shows a counter, its stored value and its computed value.',
    'Names the active channels without an exchange rate: their new orders would be stored with amounts of 0.00.',
  ],
  examples: ['sluice reconcile', 'sluice reconcile --json'],
  async run(args) {
    const { report, without_rate } = await withDatabase(async (pool) => ({
      report: await reconcileUnhurried(pool),
      without_rate: await listChannelsWithoutRate(pool),
    }));
    for (const { name, currency_code } of without_rate)
      note(`channel "${name}": no rate of ${currency_code} is in effect; new orders get amounts of 0.00.`);
    if (args.json) printJson({ ...report, channels_without_rate: without_rate });
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
