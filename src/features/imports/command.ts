// sluice import …: imports all rows of a file or none.
import { basename } from 'node:path';
import type pg from 'pg';
import type { OfferedImport } from '../../core/imports/offered.ts';
import type { Import } from '../../core/imports/plan.ts';
import { Problems, type Problem } from '../../platform/csv/problems.ts';
import { importFile, PartlyImported, type ImportResult } from '../../core/imports/run.ts';
import {
  CODE_CHARACTERS_MAX,
  POWER_CHARACTERS_MAX,
  PRODUCT_NAME_CHARACTERS_MAX,
  REASON_CHARACTERS_MAX,
} from '../../platform/values/text-limits.ts';
import { csvProblemFacts, csvText } from '../../platform/csv/words.ts';
import { changeIn } from '../../platform/command-database/change.ts';
import { Failure, type Args, type CliCommand, type CliOption } from '../../platform/cli/command.ts';
import { IMPORT_ROWS_MAX, readCsv } from '../../platform/csv/file.ts';
import { withDatabase } from '../../platform/command-database/database.ts';
import { withSealer } from '../../platform/sealed-values/with-sealer.ts';
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

export const commandsOf = (offered: readonly OfferedImport<never>[]): CliCommand[] =>
  offered.map((one) => ({
    name: `import ${one.name}`,
    summary: one.command.summary,
    operands: [FILE],
    options: one.command.options?.(OPTIONS) ?? OPTIONS,
    about: [...one.command.about, ...RULES],
    examples: one.command.examples,
    run: (args, { sealedColumns }) =>
      'make' in one
        ? runImport(args, one.make(args))
        : withSealer(sealedColumns, (pool, sealer) =>
            runImport(args, one.makeWith(sealer), (work) => work(pool)),
          ),
  }));

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
    if (!(error instanceof PartlyImported)) throw error;
    const { written, parts, cause } = error;
    throw new Failure(
      `interrupted after part ${written} of ${parts}; repeat the command, which skips what is imported`,
      { cause },
    );
  }
}

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
