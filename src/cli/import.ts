// sluice import …: all rows of a file or none, in one transaction, audited and journaled with it.
import { basename } from 'node:path';
import type pg from 'pg';
import { insertAudit } from '../store/audit.ts';
import { findChannel } from '../store/channels.ts';
import { type Tx } from '../store/database.ts';
import { inTransaction } from '../store/transactions.ts';
import { appendJournal } from '../store/journal.ts';
import { cliActor } from './actor.ts';
import { Failure, type Args, type Command, type Option } from './command.ts';
import { IMPORT_ROWS_MAX, readCsv } from './csv.ts';
import { withDatabase } from './database.ts';
import {
  CODE_CHARACTERS_MAX,
  NAME_CHARACTERS_MAX,
  POWER_CHARACTERS_MAX,
  REASON_CHARACTERS_MAX,
} from '../engine/import/fields.ts';
import { readId } from './ids.ts';
import { importMappings } from '../engine/import/mappings.ts';
import type { Counts, Import } from '../engine/import/plan.ts';
import { importProducts } from './import-products.ts';
import { importStock } from './import-stock.ts';
import { formatCount, note, plural, print, printJson } from './output.ts';
import { Problems } from '../engine/import/problems.ts';
import { Progress } from './progress.ts';

const PROBLEMS_SHOWN_MAX = 100;
const FILE = { name: 'FILE', help: 'a CSV file with a header row, or - for standard input' };
const DRY_RUN: Option = { help: 'check everything and say what would change, but write nothing' };
const RULES = [
  'The file is UTF-8, separated by commas, with or without quotes; the columns may stand in any order.',
  `Either all rows are imported or none. At most ${formatCount(IMPORT_ROWS_MAX)} rows; codes have at most`,
  `${CODE_CHARACTERS_MAX} characters, names ${NAME_CHARACTERS_MAX}, powers ${POWER_CHARACTERS_MAX}, reasons ${REASON_CHARACTERS_MAX}.`,
];

export const importCommands: readonly Command[] = [
  {
    name: 'import products',
    summary: 'create or update products and variants from a CSV file',
    operands: [FILE],
    options: { 'dry-run': DRY_RUN },
    about: [
      'Columns: product_code,product_name,variant_code[,power]. One row a variant; the rows of a product',
      'carry the same name. Without the column power the stored powers stay.',
      ...RULES,
    ],
    examples: ['sluice import products products.csv --dry-run', 'sluice import products products.csv'],
    run: (args) => runImport(args, { what: 'products', subject: 'products', import: importProducts() }),
  },
  {
    name: 'import mappings',
    summary: 'map channel SKUs to variants from a CSV file',
    operands: [FILE],
    options: {
      channel: { value: 'ID', required: true, help: 'the channel; see "sluice channel list"' },
      'dry-run': DRY_RUN,
    },
    about: ['Columns: sku,variant_code. SKUs that the file does not name stay as they are.', ...RULES],
    examples: ['sluice import mappings mappings.csv --channel 1'],
    run(args) {
      const id = readId(args.required('channel'), '--channel');
      return runImport(args, {
        what: 'mappings',
        subject: `channel:${id}`,
        import: importMappings(id),
        check: (tx) => requireChannel(tx, id),
      });
    },
  },
  {
    name: 'import stock',
    summary: 'set physical stock from a CSV file',
    operands: [FILE],
    options: { 'dry-run': DRY_RUN },
    about: [
      'Columns: variant_code,quantity[,reason]. SETS the physical quantity (0 to 2147483647) and makes',
      'missing stock rows; each change is a row of the ledger. Variants that are not named keep their stock.',
      ...RULES,
    ],
    examples: ['sluice import stock stock.csv', 'warehouse-export | sluice import stock -'],
    run: (args) =>
      runImport(args, { what: 'stock', subject: 'stock', import: importStock(cliActor().actor) }),
  },
];

interface Job {
  what: string;
  /** of the audit entry */
  subject: string;
  import: Import;
  check?: (tx: Tx) => Promise<void>;
}

async function requireChannel(tx: Tx, id: number): Promise<void> {
  if (!(await findChannel(tx, id)))
    throw new Failure(`there is no channel ${id}; see "sluice channel list".`);
}

async function runImport(args: Args, job: Job): Promise<number> {
  const started = performance.now();
  const progress = new Progress();
  const problems = new Problems();
  const file = args.operand(0);
  const dryRun = args.flag('dry-run');
  const result = await withProgress(progress, async () => {
    progress.begin();
    await readCsv(file, job.import.shape, problems, (row) => {
      job.import.read(row, problems);
      progress.advance('read', 1);
    });
    const run = { file, dryRun, problems, progress };
    return withDatabase((pool) => executeUntilDone(pool, job, run));
  });
  if (result.problems.count > 0) return reportProblems(args, result.problems);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (args.json) printJson({ ok: true, dry_run: dryRun, counts: result.counts });
  else print(summary(job.what, result.counts, dryRun, seconds));
  return 0;
}

async function withProgress<T>(progress: Progress, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    progress.clear();
  }
}

interface Run {
  file: string;
  dryRun: boolean;
  problems: Problems;
  progress: Progress;
}

async function executeUntilDone(pool: pg.Pool, job: Job, run: Run): ReturnType<typeof execute> {
  for (;;) {
    try {
      return await execute(pool, job, run);
    } catch (error) {
      if (job.import.runsAgainAfter?.(error) !== true) throw error;
    }
  }
}

const execute = (pool: pg.Pool, job: Job, run: Run): Promise<{ counts: Counts; problems: Problems }> =>
  inTransaction(pool, async (tx) => {
    await job.check?.(tx);
    const problems = new Problems(run.problems);
    if (!run.dryRun) await job.import.lock(tx);
    run.progress.begin();
    const plan = await job.import.plan(tx, problems, run.progress);
    if (run.dryRun || problems.count > 0) return { counts: plan.counts, problems };
    const nothing = { counts: plan.counts, variant_ids: [], channel_ids: [] };
    const { counts, variant_ids, channel_ids } = plan.changes ? await plan.apply(tx) : nothing;
    if (variant_ids.length + channel_ids.length > 0) await appendJournal(tx, { variant_ids, channel_ids });
    const source = run.file === '-' ? 'standard input' : basename(run.file);
    await insertAudit(tx, cliActor(), {
      action: `import.${job.what}`,
      subject: job.subject,
      before: null,
      after: { file: source, ...counts },
    });
    return { counts, problems };
  });

function reportProblems(args: Args, problems: Problems): number {
  const shown = problems.first(PROBLEMS_SHOWN_MAX).map(({ line, text }) => ({ line, text }));
  const more = problems.count - shown.length;
  if (args.json) printJson({ ok: false, error_count: problems.count, errors: shown });
  else {
    for (const { line, text } of shown) note(`line ${line}: ${text}`);
    if (more > 0) note(`… and ${plural(more, 'more error')}`);
  }
  note(`nothing was imported: ${plural(problems.count, 'error')} in the file.`);
  return 1;
}

function summary(what: string, counts: Counts, dryRun: boolean, seconds: string): string {
  const { rows = 0, ...changes } = counts;
  const parts = Object.entries(changes)
    .filter(([, n]) => n > 0)
    .map(([name, n]) => `${name.replaceAll('_', ' ')}: ${formatCount(n)}`);
  const head = `${what}: ${plural(rows, 'row')} ${dryRun ? 'checked, nothing written' : 'imported'} (${seconds} s)`;
  if (parts.length === 0) return `${head}; nothing to change`;
  return `${head}; ${dryRun ? 'would be ' : ''}${parts.join(', ')}`;
}
