// The CSV imports of `sluice import` for programs: all rows or none, problems are reported by line.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { importChannels } from '../../core/channels/import.ts';
import { importCodes } from '../../core/codes/import.ts';
import { parseCsvText } from '../../platform/csv/csv.ts';
import { importOrders, isOrderChanged } from '../order-import/import.ts';
import { NO_PROGRESS, type Import } from '../../core/imports/plan.ts';
import { Problems } from '../../platform/csv/problems.ts';
import { importProducts } from '../../core/products/import.ts';
import { importRates } from '../../core/rates/import.ts';
import { importFile, PartlyImported, type ImportResult } from '../../core/imports/run.ts';
import { DatabaseUnavailable } from '../../platform/database/failures.ts';
import type { Role } from '../../platform/values/roles.ts';
import { OptionalBoolean } from '../../platform/schema/building-blocks.ts';
import { channelsChanged, type CachesChannels } from '../../core/channels/channels-changed.ts';
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
/** After several attempts. */
const SENT_MEANWHILE = {
  error: 'Nothing was imported: channels sent orders of the file during each attempt. Send the file again.',
  code: 'orders_sent_meanwhile',
};
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

interface ImportRoute {
  url: string;
  tag: string;
  role: Role;
  summary: string;
  columns: string;
  /** `isUpdate`: of orders. */
  job: (services: BackOffice & CachesChannels, isUpdate: boolean) => Import;
}

const ROUTES: readonly ImportRoute[] = [
  {
    url: '/channels/import',
    tag: 'channels',
    role: 'admin',
    summary: 'Create channels with the API keys that they have today, all or none',
    columns:
      'name,api_key[,country_code,api_url,is_active,order_number_prefix,allowed_addresses,prepayment_expiry_minutes]. Settings whose column is missing stay as they are. The text holds secrets; no answer repeats one.',
    job: ({ sealer }) => importChannels(sealer),
  },
  {
    url: '/products/import',
    tag: 'products',
    role: 'operator',
    summary: 'Create or update products and variants from a CSV text, all or none',
    columns: 'product_code,product_name,variant_code[,power]',
    job: () => importProducts(),
  },
  {
    url: '/exchange-rates/import',
    tag: 'exchange rates',
    role: 'operator',
    summary: 'Add exchange rates from a CSV text, all or none',
    columns: 'currency_code,rate[,effective_at]',
    job: () => importRates(),
  },
  {
    url: '/common-codes/import',
    tag: 'common codes',
    role: 'operator',
    summary: 'Add or change common codes from a CSV text, all or none',
    columns:
      'group,code,name[,tracking_url,aliases]. Aliases are separated by commas, in quotes. Values whose column is missing stay as they are.',
    job: () => importCodes(),
  },
  {
    url: '/orders/import',
    tag: 'orders',
    role: 'admin',
    summary: 'Take over orders of another service, all or none',
    columns:
      'order_number,status,created_at,recipient_name,recipient_phone,shipping_address,sku,quantity,local_unit_price and channel_id or channel, one row for each line of an order; see `sluice import orders --help`',
    job: (_services, isUpdate) => importOrders({ isUpdate }),
  },
];

const Update = OptionalBoolean({
  description:
    'Stored orders follow the file in status, shipment, cancellation and recipient. The file must contain every order that is open here. Stock and pre-allocations do not change.',
});

export function registerImports(app: FastifyInstance, services: BackOffice & CachesChannels): void {
  for (const route of ROUTES) register(app, services, route);
}

function register(app: FastifyInstance, services: BackOffice & CachesChannels, route: ImportRoute): void {
  const Request = Type.Object({
    csv: Type.String({ description: `Separated by commas, with the header ${route.columns}` }),
    dry_run: OptionalBoolean({ description: 'Check only, change nothing.' }),
    as_written: AsWritten,
    ...(route.url === '/orders/import' ? { update: Update } : {}),
  });
  app.route<{ Body: Static<typeof Request> }>({
    method: 'POST',
    url: route.url,
    config: { role: route.role },
    bodyLimit: CSV_BYTES_MAX,
    schema: {
      summary: route.summary,
      tags: [route.tag],
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
      const file = { csv, dry_run, takesDoubtful };
      const { counts, problems } = await importText(
        services,
        request,
        route.job(services, request.body.update === true),
        file,
      );
      if (!dry_run && route.url === '/channels/import') await channelsChanged(services);
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
  services: BackOffice & CachesChannels,
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
    if (isOrderChanged(error)) throw new Refusal(409, SENT_MEANWHILE);
    if (!(error instanceof PartlyImported)) throw error;
    const { cause } = error;
    const isAway = cause instanceof DatabaseUnavailable || (cause instanceof Refusal && cause.status === 401);
    throw isAway ? cause : interrupted(error);
  }
}
