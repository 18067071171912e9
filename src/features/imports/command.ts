// sluice import …: imports all rows of a file or none.
import { basename } from 'node:path';
import type pg from 'pg';
import { importAllocations } from '../../core/allocations/import.ts';
import { importChannels } from '../../core/channels/import.ts';
import { importCodes } from '../../core/codes/import.ts';
import { importMappings, importMappingsOfChannels } from '../../core/mappings/import.ts';
import { importOrders, isOrderChanged } from '../order-import/import.ts';
import type { Import } from '../../core/imports/plan.ts';
import { Problems, type Problem } from '../../platform/csv/problems.ts';
import { importProducts } from '../../core/products/import.ts';
import { importRates } from '../../core/rates/import.ts';
import { importFile, PartlyImported, type ImportResult } from '../../core/imports/run.ts';
import { importStock } from '../../core/stock/import.ts';
import {
  CODE_CHARACTERS_MAX,
  POWER_CHARACTERS_MAX,
  PRODUCT_NAME_CHARACTERS_MAX,
  REASON_CHARACTERS_MAX,
} from '../../platform/values/text-limits.ts';
import { API_KEY_CHARACTERS_MAX } from '../../core/rules/api-key.ts';
import { csvProblemFacts, csvText } from '../../platform/csv/words.ts';
import { changeIn } from '../../platform/command-database/change.ts';
import { Failure, type Args, type CliCommand, type CliOption } from '../../platform/cli/command.ts';
import { IMPORT_ROWS_MAX, readCsv } from '../../platform/csv/file.ts';
import { withDatabase } from '../../platform/command-database/database.ts';
import { withSealer } from '../../platform/sealed-values/with-sealer.ts';
import { readId } from '../../platform/cli/ids.ts';
import { formatCount, note, plural, print, printJson } from '../../platform/cli/output.ts';
import { ProgressLine } from '../../platform/cli/progress.ts';

const PROBLEMS_SHOWN_MAX = 100;
const FILE = { name: 'FILE', help: 'a CSV file with a header row, or - for standard input' };
const DRY_RUN: CliOption = { help: 'check everything and show what would change, but write nothing' };
const AS_WRITTEN: CliOption = {
  help: 'take values that look like mistakes as they are, and only warn about them',
};
const OPTIONS = { 'dry-run': DRY_RUN, 'as-written': AS_WRITTEN };
const RULES = [
  'The file is separated by commas, with or without quotes; columns may be in any order. It is UTF-8; UTF-16 and EUC-KR',
  '(CP949) are recognized. Texts are imported as they are, with leading and trailing blanks; blanks around numbers and',
  'times are ignored. NULL and \\N in an optional column mean empty.',
  'Values that a spreadsheet has damaged are refused: 1.23457E+12, #N/A, long numbers that all end in zeros. If such a',
  'value is right, use --as-written.',
  `Either all rows are imported or none. At most ${formatCount(IMPORT_ROWS_MAX)} rows; codes have at most`,
  `${CODE_CHARACTERS_MAX} characters, names ${PRODUCT_NAME_CHARACTERS_MAX}, powers ${POWER_CHARACTERS_MAX}, reasons ${REASON_CHARACTERS_MAX}.`,
];

export const importCommands: readonly CliCommand[] = [
  {
    name: 'import channels',
    summary: 'create sales channels with their existing API keys',
    operands: [FILE],
    options: OPTIONS,
    about: [
      'Columns: name,api_key[,country_code,api_url,is_active,order_number_prefix,allowed_addresses,',
      'prepayment_expiry_minutes]. A key is any text of at most',
      `${API_KEY_CHARACTERS_MAX} characters; each channel has its own. Only a hash and a sealed copy are stored. A channel with the`,
      'same name and key that already exists is updated; settings whose column is missing in the file stay as they',
      'are. Addresses are separated by spaces.',
      'THE FILE CONTAINS SECRETS: anyone who can read it can send orders as these channels. Keep it where only you can',
      'read it, or use - and standard input, and delete it afterwards. Messages and the audit log never repeat a key.',
      ...RULES,
    ],
    examples: [
      'sluice import channels channels.csv --dry-run',
      'decrypt channels.csv.age | sluice import channels -',
    ],
    run: (args, { sealedColumns }) =>
      withSealer(sealedColumns, (pool, sealer) =>
        runImport(args, importChannels(sealer), (work) => work(pool)),
      ),
  },
  {
    name: 'import products',
    summary: 'create or update products and variants from a CSV file',
    operands: [FILE],
    options: OPTIONS,
    about: [
      'Columns: product_code,product_name,variant_code[,power]. One row per variant; the rows of a product',
      'have the same name. Without the column power the stored powers are kept.',
      ...RULES,
    ],
    examples: ['sluice import products products.csv --dry-run', 'sluice import products products.csv'],
    run: (args) => runImport(args, importProducts()),
  },
  {
    name: 'import mappings',
    summary: 'map channel SKUs to variants from a CSV file',
    operands: [FILE],
    options: {
      channel: { value: 'ID', help: 'the channel of all rows; see "sluice channel list"' },
      ...OPTIONS,
    },
    about: [
      'Columns: sku,variant_code, and without --channel also channel_id or channel (its name). SKUs that are not in the',
      'file stay unchanged.',
      ...RULES,
    ],
    examples: ['sluice import mappings mappings.csv', 'sluice import mappings web-shop.csv --channel 1'],
    run: (args) => {
      const channel = args.text('channel');
      const job =
        channel === null ? importMappingsOfChannels() : importMappings(readId(channel, '--channel'));
      return runImport(args, job);
    },
  },
  {
    name: 'import stock',
    summary: 'set physical stock from a CSV file',
    operands: [FILE],
    options: OPTIONS,
    about: [
      'Columns: variant_code,quantity[,reason]. SETS the physical quantity (0 to 2147483647) and creates',
      'missing stock rows; each change is a row of the ledger. Other variants keep their stock.',
      ...RULES,
    ],
    examples: ['sluice import stock stock.csv', 'warehouse-export | sluice import stock -'],
    run: (args) => runImport(args, importStock()),
  },
  {
    name: 'import allocations',
    summary: "set channels' pre-allocations and backorder quotas from a CSV file",
    operands: [FILE],
    options: OPTIONS,
    about: [
      'Columns: channel_id or channel (its name),variant_code,allocated_qty,reserve_quota. SETS both: allocated_qty is',
      'what is left of the pre-allocation today. Variants need a stock row. Other allocations stay unchanged.',
      ...RULES,
    ],
    examples: ['sluice import allocations allocations.csv'],
    run: (args) => runImport(args, importAllocations()),
  },
  {
    name: 'import rates',
    summary: 'add exchange rates from a CSV file',
    operands: [FILE],
    options: OPTIONS,
    about: [
      'Columns: currency_code,rate[,effective_at]. rate: KRW for one unit. effective_at: ISO 8601 with its offset, now',
      'if empty. A rate that already exists with the same time is not added again.',
      ...RULES,
    ],
    examples: ['sluice import rates rates.csv'],
    run: (args) => runImport(args, importRates()),
  },
  {
    name: 'import codes',
    summary: 'add or change common codes, such as couriers, from a CSV file',
    operands: [FILE],
    options: OPTIONS,
    about: [
      'Columns: group,code,name[,tracking_url,aliases]. Couriers are the group DELIVERY_COMPANY.',
      'Aliases are separated by commas, in quotes: "Hanjin,한진". Values whose column is missing stay as they are.',
      'Codes that are not in the file stay unchanged.',
      ...RULES,
    ],
    examples: ['sluice import codes couriers.csv'],
    run: (args) => runImport(args, importCodes()),
  },
  {
    name: 'import orders',
    summary: 'import the orders of another service, with their status and time',
    operands: [FILE],
    options: {
      ...OPTIONS,
      update: {
        help: 'orders that are stored already follow the file; for a company that went back to the other service for a while',
      },
    },
    about: [
      'One row for each line of an order; the rows of an order have the same order_number and repeat the fields of the',
      'order or leave them empty. Columns: order_number,status,created_at,recipient_name,recipient_phone,',
      'shipping_address,sku,quantity,local_unit_price and channel_id or channel (its name). Optional: is_backorder,',
      'tracking_number,courier_code,cancel_reason,local_currency_code,exchange_rate,local_total_amount,total_amount,',
      'variant_code,unit_price,from_allocation.',
      'status: 0, 1, 2 and 9 are open and hold stock; 3 and 88 are history, so that a resend or a repeated report is',
      'answered as for any order. Physical stock does not change, and no order is refused for lack of stock.',
      'exchange_rate is required for other currencies than KRW. Amounts that are not given are calculated from it.',
      'variant_code: needed if the SKU is no longer mapped to it. from_allocation: quantity that an open order took from the',
      "channel's pre-allocation; a cancellation gives it back. created_at: ISO 8601 with its offset.",
      'An order that is stored already, equal in everything, is skipped: the command can be repeated. If it differs, both',
      'values are shown. Totals that contradict the lines, equal rows of one order without a total that confirms them, and',
      'lines of 1,000 and more on less than a tenth of it in stock are refused.',
      '--update: status, shipment, cancellation and recipient of a stored order follow the file. The file must contain',
      'every order that is open here. Physical stock and pre-allocations do not change: import their files first.',
      ...RULES,
    ],
    examples: ['sluice import orders orders.csv --dry-run', 'old-service-export | sluice import orders -'],
    run: (args) => runImport(args, importOrders({ isUpdate: args.flag('update') })),
  },
];

/** Opens the database after the file has been read. */
type Opening = <T>(work: (pool: pg.Pool) => Promise<T>) => Promise<T>;

async function runImport(args: Args, job: Import, open: Opening = withDatabase): Promise<number> {
  const started = performance.now();
  const progress = new ProgressLine();
  const problems = new Problems({ takesDoubtful: args.flag('as-written') });
  const path = args.operand(0);
  const file = path === '-' ? 'standard input' : basename(path);
  const dry_run = args.flag('dry-run');
  const result = await withProgress(progress, async () => {
    progress.begin();
    await readCsv(path, job.shape, problems, (row) => {
      job.read(row, problems);
      progress.advance('read', 1);
    });
    const run = { import: job, problems, progress, dry_run, file };
    return open((pool) => importUntilDone(pool, run));
  });
  if (result.problems.count > 0) return reportProblems(args, result.problems);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  reportDone(args, result, dry_run);
  if (!args.json) print(summary(job.what, result, dry_run, seconds));
  if (result.counts['rows'] === 0) note('the file has no rows below its header.');
  if (job.shape.containsSecrets === true && path !== '-')
    note('the file holds secrets: delete it when you are done.');
  return 0;
}

async function withProgress<T>(progress: ProgressLine, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    progress.clear();
  }
}

async function importUntilDone(pool: pg.Pool, run: Parameters<typeof importFile>[1]): Promise<ImportResult> {
  try {
    return await importFile((work) => changeIn(pool, work), run);
  } catch (error) {
    if (!(error instanceof PartlyImported)) throw explained(error);
    const { written, parts, cause } = error;
    throw new Failure(
      `interrupted after part ${written} of ${parts}; repeat the command, which skips what is imported`,
      { cause: explained(cause) },
    );
  }
}

/** After several attempts. */
const explained = (error: unknown): unknown =>
  isOrderChanged(error)
    ? new Failure(
        'nothing was imported: channels sent orders of the file during each attempt; repeat the command.',
      )
    : error;

const presented = (problem: Problem) => ({ ...csvProblemFacts(problem), text: csvText(problem.fact) });

function reportDone(args: Args, { counts, problems: { warnings } }: ImportResult, dry_run: boolean): void {
  const shown = warnings.slice(0, PROBLEMS_SHOWN_MAX).map(presented);
  for (const { line, text } of shown) note(`warning: line ${line}: ${text}`);
  const more = warnings.length - shown.length;
  if (more > 0) note(`… and ${plural(more, 'more warning')}`);
  if (args.json) printJson({ ok: true, dry_run, counts, warning_count: warnings.length, warnings: shown });
}

function reportProblems(args: Args, problems: Problems): number {
  const shown = problems.first(PROBLEMS_SHOWN_MAX).map(presented);
  const more = problems.count - shown.length;
  if (args.json) printJson({ ok: false, error_count: problems.count, errors: shown });
  else {
    for (const { line, text } of shown) note(`line ${line}: ${text}`);
    if (more > 0) note(`… and ${plural(more, 'more error')}`);
  }
  note(`nothing was imported: ${plural(problems.count, 'error')} in the file.`);
  return 1;
}

function summary(what: string, result: ImportResult, dryRun: boolean, seconds: string): string {
  const { rows = 0, ...figures } = result.counts;
  const parts = Object.entries(figures)
    .filter(([, n]) => n > 0)
    .map(([name, n]) => `${name.replaceAll('_', ' ')}: ${formatCount(n)}`);
  // Orders that exist already are counted, too.
  if (!result.changes) parts.unshift('nothing to change');
  const done = dryRun ? 'checked, nothing written' : result.changes ? 'imported' : 'checked';
  const head = `${what}: ${plural(rows, 'row')} ${done} (${seconds} s)`;
  return `${head}; ${dryRun && result.changes ? 'would be ' : ''}${parts.join(', ')}`;
}
