// Import of a delivery or a count of many variants as CSV, and export of all stock as CSV.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import {
  importStockList,
  StockPartlyEntered,
  readStockCsv,
  STOCK_CSV_ROWS_MAX,
  STOCK_MODES,
  type StockCsvReport,
  type StockMode,
} from './csv-import.ts';
import { undoStockImport } from './import-undo.ts';
import { REASON_CHARACTERS_MAX } from '../../platform/values/text-limits.ts';
import type { FormatTimestamp } from '../../platform/values/timestamps.ts';
import { exportStock } from './store.ts';
import { nullable, OptionalBoolean, Text } from '../../platform/schema/building-blocks.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { CountedAt, readCountedAt } from './counted-at.ts';
import { CSV_ANSWER, sendCsv } from '../../platform/csv/export.ts';
import {
  answerImport,
  AsWritten,
  csvOf,
  importRefusal,
  importReport,
  presentProblems,
} from '../../platform/csv/answers.ts';
import { Refusal } from '../../platform/admin-api/refusal.ts';
import {
  COMMON_ANSWERS,
  DataOf,
  int64Id,
  InvalidBody,
  PathId,
  RefusalBody,
  security,
} from '../../platform/admin-api/schemas.ts';
import { change } from '../../platform/accounts/change.ts';

const stockImportIdOf = ({ import_id }: { import_id: string }): number =>
  int64Id(import_id, { kind: 'stock_import_unknown', import_id });

const CSV_BYTES_MAX = 4 * 1024 * 1024;

const ImportRequest = Type.Object({
  csv: Type.String({
    description: `Separated by commas, with the header variant_code,quantity; at most ${STOCK_CSV_ROWS_MAX} rows. Missing stock rows are created.`,
  }),
  mode: Type.Unsafe<StockMode>({
    type: 'string',
    enum: [...STOCK_MODES],
    description:
      '`set`: the quantities are counts. `add`: they are added, as for a delivery. `subtract`: they are taken out.',
  }),
  reason: Text(REASON_CHARACTERS_MAX, { description: 'For the ledger and the audit log.' }),
  counted_at: CountedAt(
    'With mode `set`: when it was counted, ISO 8601 with offset; default now. Shipments, returns and adjustments since then are added to the count. A variant that was counted later is a problem of its row.',
  ),
  dry_run: OptionalBoolean({ description: 'Check only, change nothing; the answer has `rows`.' }),
  as_written: AsWritten,
});

const ImportReport = importReport('`variant_unknown`, `not_a_quantity`, `count_outdated`, …', {
  rows: Type.Optional(
    Type.Array(
      Type.Object({
        line: Type.Integer(),
        variant_code: Type.String(),
        before: nullable<number>({ type: 'integer', description: 'null: no stock record yet.' }),
        after: Type.Integer(),
        moved_since: Type.Integer({ description: 'Goods that moved after the count, part of `after`.' }),
        overcommitted_by: Type.Integer({
          description: 'By how much unshipped orders and pre-allocations exceed `after`.',
        }),
      }),
      { description: 'Of a dry run: every row without a problem.' },
    ),
  ),
  import_id: Type.Optional(
    nullable<number>({ type: 'integer', description: 'For the undo; null: nothing was written.' }),
  ),
});
const UndoParams = Type.Object({ import_id: PathId('`import_id` of the answer to the import.') });
const UndoRequest = Type.Object({
  reason: Text(REASON_CHARACTERS_MAX, { description: 'For the ledger and the audit log.' }),
});
const Undone = Type.Object({ count: Type.Integer({ description: 'Quantities that were changed back.' }) });

const StockImportRefusal = importRefusal('StockImportRefusal', ImportReport);

const tags = ['stock'];

export function registerStockCsv(app: FastifyInstance, services: BackOffice): void {
  registerImport(app, services);
  registerUndo(app, services);
  registerExport(app, services);
}

function registerImport(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Body: Static<typeof ImportRequest> }>({
    method: 'POST',
    url: '/stock/import',
    config: { role: 'operator' },
    bodyLimit: CSV_BYTES_MAX,
    schema: {
      summary: 'Enter a delivery, a count or a removal of many variants from a CSV text, all or nothing',
      tags,
      security,
      body: ImportRequest,
      response: {
        200: DataOf(ImportReport),
        ...COMMON_ANSWERS,
        409: RefusalBody,
        // The first matching schema is used: the one with more fields comes first.
        422: { anyOf: [InvalidBody, StockImportRefusal, RefusalBody] },
      },
    },
    handler: async (request) => {
      const { mode, reason } = request.body;
      const dry_run = request.body.dry_run ?? false;
      const csv = csvOf(request.body);
      const counted_at = await countOf(services.pool, mode, request.body.counted_at ?? null);
      const file = await readStockCsv(csv, request.body.as_written === true);
      const wanted = { file, mode, reason, counted_at, dry_run };
      const report = await importStockList((work) => change(services, request, work), wanted).catch(
        asInterrupted,
      );
      return answerImport(present(report, dry_run, services.formatTimestamp), dry_run);
    },
  });
}

function registerUndo(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Params: Static<typeof UndoParams>; Body: Static<typeof UndoRequest> }>({
    method: 'POST',
    url: '/stock/imports/:import_id/undo',
    config: { role: 'operator' },
    schema: {
      summary: 'Take back an import of stock of the last 24 hours, all or nothing',
      description:
        'The differences that it made are taken back; what was shipped, returned or corrected since stays. Refused if an item was counted again since (`counted_again`), or if less is in stock than would be taken out (`below_zero`).',
      tags,
      security,
      params: UndoParams,
      body: UndoRequest,
      response: { 200: DataOf(Undone), 404: RefusalBody, 409: RefusalBody, ...COMMON_ANSWERS },
    },
    handler: async (request) => {
      const wanted = { import_id: stockImportIdOf(request.params), reason: request.body.reason };
      const { count } = await change(services, request, (tx, by) => undoStockImport(tx, by, wanted));
      return { data: { count } };
    },
  });
}

/** Also if the database is unavailable: a client that repeats a delivery after a 503 would enter its first parts twice. */
function asInterrupted(error: unknown): never {
  if (!(error instanceof StockPartlyEntered)) throw error;
  const { written, parts, import_id } = error;
  throw new Refusal(409, {
    error: `The list was interrupted after part ${written} of ${parts}. Undo import ${import_id}, then send the list again.`,
    code: 'import_interrupted',
    details: { written, parts, import_id },
  });
}

/** null: now. */
async function countOf(pool: BackOffice['pool'], mode: StockMode, text: string | null): Promise<Date | null> {
  if (text !== null && mode !== 'set')
    throw Refusal.invalid('counted_at', { kind: 'excluded_by', field: `mode ${mode}` });
  return readCountedAt(pool, text);
}

const present = (
  report: StockCsvReport,
  dry_run: boolean,
  format: FormatTimestamp,
): Static<typeof ImportReport> => ({
  count: report.count,
  problems: presentProblems(report.problems, format),
  problem_count: report.problem_count,
  ...(dry_run ? { rows: report.rows } : { import_id: report.import_id }),
});

function registerExport(app: FastifyInstance, services: BackOffice): void {
  app.route({
    method: 'GET',
    url: '/stock/export',
    schema: {
      summary: 'Export the physical stock of all variants as CSV, as the import reads it',
      tags,
      security,
      response: { 200: CSV_ANSWER, ...COMMON_ANSWERS },
    },
    handler: (_request, reply) =>
      sendCsv(reply, services.pool, {
        file: 'stock.csv',
        header: 'variant_code,quantity',
        cells: ({ variant_code, quantity }) => [variant_code, quantity],
        read: exportStock,
      }),
  });
}
