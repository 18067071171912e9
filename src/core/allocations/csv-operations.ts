// Export and import of the allocations of all channels as CSV.
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { ALLOCATION_CHANGES_MAX } from './changes.ts';
import type { Actor } from '../../platform/audit/change.ts';
import { importAllocationCsv, readAllocationCsv } from './csv-import.ts';
import { exportAllocations } from './store.ts';
import type { Tx } from '../../platform/database/database.ts';
import { OptionalBoolean } from '../../platform/schema/building-blocks.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { AllocationItem, itemIn } from './operations.ts';
import { CSV_ANSWER, sendCsv } from '../../platform/csv/export.ts';
import {
  answerImport,
  AsWritten,
  csvOf,
  importRefusal,
  importReport,
  presentProblems,
} from '../../platform/csv/answers.ts';
import {
  COMMON_ANSWERS,
  DataOf,
  InvalidBody,
  RefusalBody,
  security,
} from '../../platform/admin-api/schemas.ts';
import { outcomeOf } from '../../platform/accounts/change.ts';

const CSV_BYTES_MAX = 1024 * 1024;
const COLUMNS = 'channel_id,variant_code,allocated_qty,reserve_quota';

const ImportRequest = Type.Object({
  csv: Type.String({
    description: `Separated by commas, with the header ${COLUMNS}; at most ${ALLOCATION_CHANGES_MAX} rows. Allocations that are not in the file stay unchanged.`,
  }),
  dry_run: OptionalBoolean({ description: 'Answers what the result would be, and changes nothing.' }),
  as_written: AsWritten,
});
const ImportReport = importReport('`variant_unknown`, `channel_unknown`, `stock_missing`, …', {
  rows: Type.Array(AllocationItem, {
    description: 'One element for each row, as all rows together leave it.',
  }),
});
const AllocationImportRefusal = importRefusal('AllocationImportRefusal', ImportReport);

const tags = ['allocations'];

export function registerAllocationCsv(app: FastifyInstance, services: BackOffice): void {
  registerImport(app, services);
  registerExport(app, services);
}

function registerImport(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Body: Static<typeof ImportRequest> }>({
    method: 'POST',
    url: '/allocations/import',
    config: { role: 'operator' },
    bodyLimit: CSV_BYTES_MAX,
    schema: {
      summary: 'Set allocations of many items and channels from a CSV text, all or nothing',
      tags,
      security,
      body: ImportRequest,
      response: {
        200: DataOf(ImportReport),
        ...COMMON_ANSWERS,
        // The first matching schema is used: the one with more fields comes first.
        422: { anyOf: [InvalidBody, AllocationImportRefusal, RefusalBody] },
      },
    },
    handler: async (request) => {
      const file = await readAllocationCsv(csvOf(request.body), request.body.as_written === true);
      const isDry = request.body.dry_run === true;
      const work = (tx: Tx, by: Actor) => importAllocationCsv(tx, by, file);
      const { report } = await outcomeOf(services, request, work, { dry_run: isDry });
      const data = {
        count: report.count,
        problems: presentProblems(report.problems, services.formatTimestamp),
        problem_count: report.problem_count,
        rows: report.rows.map(({ level, channel_id }) => itemIn(level, channel_id)),
      };
      return answerImport(data, isDry);
    },
  });
}

function registerExport(app: FastifyInstance, services: BackOffice): void {
  app.route({
    method: 'GET',
    url: '/allocations/export',
    schema: {
      summary: 'Export the allocations of all channels as CSV, as the import reads it',
      description: 'With a row of zeros for each mapped item of a channel that has no allocation.',
      tags,
      security,
      response: { 200: CSV_ANSWER, ...COMMON_ANSWERS },
    },
    handler: (_request, reply) =>
      sendCsv(reply, services.pool, {
        file: 'allocations.csv',
        header: COLUMNS,
        cells: (row) => [row.channel_id, row.variant_code, row.allocated_qty, row.reserve_quota],
        read: exportAllocations,
      }),
  });
}
