// The CSV imports of `sluice import` for programs: all rows or none, problems are reported by line.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { parseCsvText } from '../../platform/csv/csv.ts';
import type { OfferedImport } from '../../core/imports/offered.ts';
import { NO_PROGRESS, type Import } from '../../core/imports/plan.ts';
import { Problems } from '../../platform/csv/problems.ts';
import { importFile, PartlyImported, type ImportResult } from '../../core/imports/run.ts';
import { DatabaseUnavailable } from '../../platform/database/failures.ts';
import { OptionalBoolean } from '../../platform/schema/building-blocks.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import {
  answerImport,
  AsWritten,
  csvOf,
  importRefusal,
  importReport,
  presentProblems,
  rowsWith,
} from '../../platform/csv/answers.ts';
import { Refusal } from '../../platform/admin-api/refusal.ts';
import {
  COMMON_ANSWERS,
  DataOf,
  InvalidBody,
  RefusalBody,
  security,
} from '../../platform/admin-api/schemas.ts';
import { change } from '../../platform/accounts/change.ts';

/** Larger files need the command `sluice import`. */
const CSV_BYTES_MAX = 8 * 1024 * 1024;
const CSV_ROWS_MAX = 100_000;
const PROBLEMS_SHOWN_MAX = 200;
const interrupted = ({ written, parts }: PartlyImported): Refusal =>
  new Refusal(409, {
    error: `The import was interrupted after part ${written} of ${parts}. Send the file again: rows that are already imported are skipped.`,
    code: 'import_interrupted',
    details: { written, parts },
  });
/** The source of the rows in the audit log, instead of a file name. */
const SOURCE = 'admin API';

const ImportReport = importReport(
  '`value_missing`, `variant_unknown`, `order_differs`, …',
  {
    counts: Type.Record(Type.String(), Type.Integer(), {
      description: 'What was created or changed, by name.',
    }),
    warnings: rowsWith('`looks_alike`', 'Probable mistakes, the first 200. They do not stop the import.'),
  },
  { title: 'CsvImportReport' },
);
const CsvImportRefusal = importRefusal('CsvImportRefusal', ImportReport);

export function registerImports<Services extends BackOffice>(
  app: FastifyInstance,
  services: Services,
  offered: readonly OfferedImport<Services>[],
): void {
  for (const one of offered) if (one.operation) register(app, services, one, one.operation);
}

function register<Services extends BackOffice>(
  app: FastifyInstance,
  services: Services,
  offered: OfferedImport<Services>,
  operation: NonNullable<OfferedImport<Services>['operation']>,
): void {
  const Request = Type.Object({
    csv: Type.String({ description: `Separated by commas, with the header ${operation.columns}` }),
    dry_run: OptionalBoolean({ description: 'Check only, change nothing.' }),
    as_written: AsWritten,
    ...operation.fields,
  });
  app.route<{ Body: Static<typeof Request> }>({
    method: 'POST',
    url: operation.url,
    config: { role: operation.role },
    bodyLimit: CSV_BYTES_MAX,
    schema: {
      summary: operation.summary,
      tags: [operation.tag],
      security,
      body: Request,
      response: {
        200: DataOf(ImportReport),
        ...COMMON_ANSWERS,
        409: RefusalBody,
        // The first matching schema is used: the one with more fields comes first.
        422: { anyOf: [InvalidBody, CsvImportRefusal, RefusalBody] },
      },
    },
    handler: async (request) => {
      const csv = csvOf(request.body);
      const dry_run = request.body.dry_run ?? false;
      const takesDoubtful = request.body.as_written ?? false;
      const given: Readonly<Record<string, unknown>> = request.body;
      const job =
        'make' in offered
          ? offered.make({ text: () => null, flag: (name) => given[name] === true })
          : offered.makeWith(services.sealer);
      const { counts, problems } = await importText(services, request, job, { csv, dry_run, takesDoubtful });
      if (!dry_run) await operation.written?.(services);
      const problem_count = problems.count;
      const data = {
        count: problem_count === 0 ? (counts['rows'] ?? 0) : 0,
        counts,
        problems: presentProblems(problems.first(PROBLEMS_SHOWN_MAX), services.formatTimestamp),
        warnings: presentProblems(problems.warnings.slice(0, PROBLEMS_SHOWN_MAX), services.formatTimestamp),
        problem_count,
      };
      return answerImport(data, dry_run);
    },
  });
}

async function importText(
  services: BackOffice,
  request: FastifyRequest,
  job: Import,
  { csv, dry_run, takesDoubtful }: { csv: string; dry_run: boolean; takesDoubtful: boolean },
): Promise<ImportResult> {
  const problems = new Problems({ takesDoubtful });
  await parseCsvText(csv, job.shape, CSV_ROWS_MAX, problems, (row) => job.read(row, problems));
  const run = { import: job, problems, progress: NO_PROGRESS, dry_run, file: SOURCE };
  try {
    return await importFile((work) => change(services, request, work), run);
  } catch (error) {
    if (!(error instanceof PartlyImported)) throw error;
    const { cause } = error;
    const isAway = cause instanceof DatabaseUnavailable || (cause instanceof Refusal && cause.status === 401);
    throw isAway ? cause : interrupted(error);
  }
}
