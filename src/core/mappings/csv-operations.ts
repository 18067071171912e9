// Export and import of a channel's mappings as CSV.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { importMappingCsv, readMappingCsv, type MappingCsvReport } from './csv-import.ts';
import { reading } from '../../platform/database/transactions.ts';
import { exportMappings, type Mapping } from './store.ts';
import { csvProblemFacts, csvText } from '../../platform/csv/words.ts';
import { nullable, OptionalBoolean } from '../../platform/schema/building-blocks.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { CSV_ANSWER, sendCsv } from '../../platform/csv/export.ts';
import { channelIdOf, ChannelParams, existingChannel } from '../channels/existing.ts';
import { AsWritten, csvOf, fileRefusal, importRefusal } from '../../platform/csv/answers.ts';
import {
  COMMON_ANSWERS,
  DataOf,
  facts,
  InvalidBody,
  RefusalBody,
  security,
} from '../../platform/admin-api/schemas.ts';
import { change } from '../../platform/accounts/change.ts';

/** About 100,000 rows. */
const CSV_BYTES_MAX = 8 * 1024 * 1024;

const ImportRequest = Type.Object({
  csv: Type.String({
    description:
      'Separated by commas, with the header sku,variant_code. SKUs that are not in the file stay unchanged. In a file with the column sluice_export, as the export has, the apostrophe before a formula is removed.',
  }),
  dry_run: OptionalBoolean({ description: 'Check only, change nothing.' }),
  as_written: AsWritten,
});

const ImportReport = Type.Object({
  rows: Type.Integer({ description: 'Without the header; 0 if the file cannot be read completely.' }),
  created: Type.Integer(),
  replaced: Type.Integer(),
  unchanged: Type.Integer(),
  errors: Type.Array(
    Type.Object({
      line: Type.Integer(),
      column: nullable<string>({ type: 'string', description: 'null: the row as a whole.' }),
      code: Type.String({ description: '`variant_unknown`, `sku_repeated`, `value_missing`, …' }),
      details: facts('Which ones depends on the code.'),
      message: Type.String(),
    }),
    { description: 'The first 200.' },
  ),
  error_count: Type.Integer({ description: 'Total number of errors. With any, nothing is applied.' }),
  applied: Type.Boolean(),
  sample: Type.Array(
    Type.Object({
      sku: Type.String(),
      variant_code: Type.String(),
      before: nullable<string>({ type: 'string', description: 'The previous variant; null: a new SKU.' }),
    }),
    { description: 'The first 50 rows that change something.' },
  ),
});
const ImportRefusal = importRefusal('ImportRefusal', ImportReport);

const tags = ['mappings'];

export function registerMappingCsv(app: FastifyInstance, services: BackOffice): void {
  registerImport(app, services);
  registerExport(app, services);
}

function registerImport(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Params: Static<typeof ChannelParams>; Body: Static<typeof ImportRequest> }>({
    method: 'POST',
    url: '/channels/:id/mappings/import',
    config: { role: 'operator' },
    bodyLimit: CSV_BYTES_MAX,
    schema: {
      summary: 'Add or replace mappings from a CSV text, all or none',
      tags,
      security,
      params: ChannelParams,
      body: ImportRequest,
      response: {
        200: DataOf(ImportReport),
        404: RefusalBody,
        ...COMMON_ANSWERS,
        // The first matching schema is used: the one with more fields comes first.
        422: { anyOf: [InvalidBody, ImportRefusal, RefusalBody] },
      },
    },
    handler: async (request) => {
      const dry_run = request.body.dry_run ?? false;
      const file = await readMappingCsv(
        channelIdOf(request.params),
        csvOf(request.body),
        request.body.as_written === true,
      );
      const { report } = await change(services, request, (tx, by) =>
        importMappingCsv(tx, by, { file, dry_run }),
      );
      const data = present(report);
      if (dry_run || data.applied) return { data };
      throw fileRefusal(data, data.error_count, 'error');
    },
  });
}

const present = (report: MappingCsvReport): Static<typeof ImportReport> => ({
  rows: report.rows,
  created: report.created,
  replaced: report.replaced,
  unchanged: report.unchanged,
  errors: report.problems.map((problem) => ({
    ...csvProblemFacts(problem),
    message: csvText(problem.fact),
  })),
  error_count: report.problem_count,
  applied: report.applied,
  sample: report.sample,
});

function registerExport(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Params: Static<typeof ChannelParams> }>({
    method: 'GET',
    url: '/channels/:id/mappings/export',
    schema: {
      summary: 'Export all mappings of a channel as CSV',
      tags,
      security,
      params: ChannelParams,
      response: {
        200: CSV_ANSWER,
        404: RefusalBody,
        ...COMMON_ANSWERS,
      },
    },
    handler: async ({ params }, reply) => {
      const id = channelIdOf(params);
      const { pool } = services;
      await reading(pool, (tx) => existingChannel(tx, id));
      return sendCsv<Mapping>(reply, pool, {
        file: `mappings-channel-${id}.csv`,
        header: 'sku,variant_code',
        cells: ({ sku, variant_code }) => [sku, variant_code],
        read: (tx, after, limit) => exportMappings(tx, id, after, limit),
      });
    },
  });
}
