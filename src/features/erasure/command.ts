// sluice erase: erases the personal data of old orders, or of one order.
import type pg from 'pg';
import { eraseBatch, eraseOrder } from './changes.ts';
import { countDue, cutoffOf, type Retention } from './store.ts';
import { reading } from '../../platform/database/transactions.ts';
import { changeIn, runChange } from '../../platform/command-database/change.ts';
import { UsageError, type Args, type CliCommand } from '../../platform/cli/command.ts';
import { withDatabase } from '../../platform/command-database/database.ts';
import { readId } from '../../platform/cli/ids.ts';
import { note, plural, print, printJson } from '../../platform/cli/output.ts';
import { ProgressLine } from '../../platform/cli/progress.ts';

const DAYS_MAX = 36_500;
const HINT = 'See "sluice erase --help".';

export const eraseCommand: CliCommand = {
  name: 'erase',
  summary: 'erase the personal data of old orders, or of one order',
  options: {
    'older-than': { value: 'DAYS', help: 'orders that were shipped or cancelled more than DAYS ago' },
    channel: { value: 'ID', help: 'with --older-than: only orders of this channel' },
    order: { value: 'NUMBER', help: 'one order by its number, of any age' },
    'dry-run': { help: 'print the number of orders and change nothing' },
  },
  about: [
    'Name, phone, address, tracking number and cancellation reason are erased permanently. Amounts,',
    'quantities, statuses and history stay, and resends are still recognized. Open orders are skipped. Orders are',
    'erased in batches: after an interruption the same command continues.',
  ],
  examples: ['sluice erase --older-than 365 --dry-run', 'sluice erase --order SEL-10023'],
  async run(args) {
    const order = args.text('order');
    if ((order === null) === (args.text('older-than') === null)) {
      throw new UsageError('One of --older-than DAYS and --order NUMBER is required.', HINT);
    }
    if (order !== null && args.text('channel') !== null) {
      throw new UsageError('--channel can only be used with --older-than.', HINT);
    }
    return order === null ? eraseOld(args) : eraseOne(args, order);
  },
};

async function eraseOld(args: Args): Promise<number> {
  const channel = args.text('channel');
  const retention: Retention = {
    older_than_days: readDays(args.required('older-than')),
    channel_id: channel === null ? null : readId(channel, '--channel'),
  };
  const erased = await withDatabase(async (pool) => {
    const cutoff = await reading(pool, (tx) => cutoffOf(tx, retention));
    if (args.flag('dry-run')) return reading(pool, (tx) => countDue(tx, retention, cutoff));
    return eraseBatches(pool, retention, cutoff);
  });
  if (args.json) printJson({ erased, dry_run: args.flag('dry-run') });
  else if (args.flag('dry-run')) print(`The personal data of ${plural(erased, 'order')} would be erased.`);
  else print(`The personal data of ${plural(erased, 'order')} was erased.`);
  return 0;
}

async function eraseBatches(pool: pg.Pool, retention: Retention, cutoff: Date): Promise<number> {
  const progress = new ProgressLine();
  let total = 0;
  try {
    for (let afterId = 0; ;) {
      const from = afterId;
      const batch = await changeIn(pool, (tx, by) =>
        eraseBatch(tx, by, { retention, cutoff, afterId: from }),
      );
      if (batch.last_id === null) return total;
      total += batch.erased;
      afterId = batch.last_id;
      progress.advance('erase', batch.erased);
    }
  } catch (error) {
    if (total > 0)
      note(`stopped after the personal data of ${plural(total, 'order')}; the same command continues.`);
    throw error;
  } finally {
    progress.clear();
  }
}

async function eraseOne(args: Args, orderNumber: string): Promise<number> {
  const dry_run = args.flag('dry-run');
  const { erased } = await runChange((tx, by) => eraseOrder(tx, by, { order_number: orderNumber, dry_run }));
  if (args.json) printJson({ erased, dry_run });
  else if (erased === 0) print(`The personal data of order ${orderNumber} had already been erased.`);
  else print(`The personal data of order ${orderNumber} ${dry_run ? 'would be' : 'was'} erased.`);
  return 0;
}

function readDays(text: string): number {
  const days = Number(text);
  if (!/^\d{1,5}$/.test(text) || days < 1 || days > DAYS_MAX) {
    throw new UsageError(`--older-than must be a number of days from 1 to ${DAYS_MAX}, not "${text}".`, HINT);
  }
  return days;
}
