// The export of orders as a CSV or Excel file, with one row per line item. Orders are read in pages while the file is
// sent, so that memory does not grow with the file and an aborted download ends the reading.
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { Type, type Static } from '../../platform/schema/json-schema.ts';
import { recordExport } from './changes.ts';
import { csvField } from '../../platform/csv/cell-rules.ts';
import { maskAddress, maskNumber } from '../../core/rules/personal-data.ts';
import type { FormatTimestamp } from '../../platform/values/timestamps.ts';
import { readLines, type ExportedLine } from './store.ts';
import type { ListedOrder, OrderPage } from '../../core/orders/list-store.ts';
import { reading } from '../../platform/database/transactions.ts';
import {
  EXPORT_HEADINGS,
  EXPORT_LANGUAGES,
  STATUS_NAMES,
  type ExportColumn,
  type ExportLanguage,
} from './words.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { operatorOf } from '../../platform/accounts/auth.ts';
import { sendFile } from '../../platform/csv/export.ts';
import { maskOrder, seesPersonalData } from '../../core/orders/fields.ts';
import { filterQuery, readFilter, readNewest, type Wanted } from '../../core/orders/list-operations.ts';
import { COMMON_ANSWERS, security } from '../../platform/admin-api/schemas.ts';
import { change } from '../../platform/accounts/change.ts';

const FORMATS = ['csv', 'xlsx'] as const;
/** Orders read at once. */
const EXPORT_PAGE_ORDERS = 500;
/** CSV pages that may wait for a slow client; for an Excel file the writer buffers 64 KiB. */
const CSV_PAGES_AHEAD = 2;
/** An Excel sheet has at most 2^20 rows, including the heading; further rows go to further sheets. */
const SHEET_ROWS_MAX = 1_000_000;

const ExportQuery = Type.Object({
  ...filterQuery,
  format: Type.Unsafe<(typeof FORMATS)[number]>({ type: 'string', enum: [...FORMATS] }),
  language: Type.Optional(
    Type.Unsafe<ExportLanguage>({
      type: 'string',
      enum: [...EXPORT_LANGUAGES],
      description: 'Of headings and statuses; without it, the names and numbers of the API.',
    }),
  ),
});

const MEDIA = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;

export function registerOrderExport(app: FastifyInstance, services: BackOffice): void {
  app.route<{ Querystring: Static<typeof ExportQuery> }>({
    method: 'GET',
    url: '/orders/export',
    schema: {
      summary: 'Orders as a CSV or Excel file, newest first, one row per line item',
      description:
        'Streamed, and recorded in the audit log. Texts are text cells in the Excel file, so that a SKU such as 90.750 or 007 stays as it is. The column `line` counts from 1; `line` of an order in the API, as in returns, counts from 0. Viewers get personal data masked.',
      tags: ['orders'],
      security,
      querystring: ExportQuery,
      response: {
        200: {
          content: {
            'text/csv': { schema: Type.String() },
            [MEDIA.xlsx]: { schema: Type.String({ format: 'binary' }) },
          },
        },
        ...COMMON_ANSWERS,
      },
    },
    handler: async (request, reply) => {
      const { format, language = null, search, channel_id, status, order_number, from, to } = request.query;
      const operator = operatorOf(request);
      const wanted = readFilter(request.query, operator, services.formatTimestamp);
      const isPersonal = seesPersonalData(operator);
      // The searched text may be personal data, and audit entries are never deleted.
      const filter = {
        channel_id,
        status,
        order_number,
        from,
        to,
        ...(search === undefined ? {} : { search: '…' }),
      };
      const after = { format, personal_data: isPersonal, filter };
      return sendFile(reply, { file: `orders.${format}`, type: MEDIA[format] }, async () => {
        await change(services, request, (tx, by) => recordExport(tx, by, after));
        const table = rowsOf(services, wanted, { isPersonal, language });
        return format === 'csv' ? csvOf(table, language) : xlsxOf(table, language);
      });
    },
  });
}

type Cell = string | number | null;
type Row = Record<ExportColumn, Cell>;
const COLUMNS = Object.keys(EXPORT_HEADINGS).filter((name): name is ExportColumn => name in EXPORT_HEADINGS);

const headingOf = (column: ExportColumn, language: ExportLanguage | null): string =>
  language === null ? column : EXPORT_HEADINGS[column][language];

async function* rowsOf(
  { pool, formatTimestamp }: BackOffice,
  wanted: Wanted,
  { isPersonal, language }: { isPersonal: boolean; language: ExportLanguage | null },
): AsyncGenerator<Row[]> {
  for (let beforeId: number | null = null; ;) {
    const from: OrderPage = { beforeId, limit: EXPORT_PAGE_ORDERS };
    const { orders, resumeId } = await reading(pool, (tx) => readNewest(tx, wanted, from));
    const lines = await reading(pool, (tx) =>
      readLines(
        tx,
        orders.map(({ id }) => id),
      ),
    );
    const byOrder = Map.groupBy(lines, ({ order_id }) => order_id);
    yield orders.flatMap((order) => {
      const shown = isPersonal ? order : maskOrder(order);
      return (byOrder.get(order.id) ?? []).map((line) =>
        rowOf(shown, isPersonal || order.erased_at ? line : maskLine(line), formatTimestamp, language),
      );
    });
    const last = orders.length < EXPORT_PAGE_ORDERS ? resumeId : orders.at(-1)?.id;
    if (typeof last !== 'number') return;
    beforeId = last;
  }
}

const maskLine = (line: ExportedLine): ExportedLine => ({
  ...line,
  recipient_phone: maskNumber(line.recipient_phone),
  shipping_address: maskAddress(line.shipping_address),
});

const rowOf = (
  order: ListedOrder,
  line: ExportedLine,
  format: FormatTimestamp,
  language: ExportLanguage | null,
): Row => ({
  ...order,
  ...line,
  line: line.line + 1,
  status: language === null ? order.status : STATUS_NAMES[order.status][language],
  created_at: format(order.created_at),
  is_backorder: order.is_backorder ? 1 : 0,
  unit_price: numberOf(line.unit_price),
  total_amount: numberOf(order.total_amount),
  local_unit_price: numberOf(line.local_unit_price),
  local_total_amount: numberOf(order.local_total_amount),
  exchange_rate: numberOf(order.exchange_rate),
});

/** Spreadsheets store numbers as binary floats, which preserve this many decimal digits. */
const EXACT_DIGITS_MAX = 15;

/** A number, so that the column can be summed; or the text if the number would not be exact. */
const numberOf = (text: string): Cell =>
  text.replaceAll(/\D/g, '').length <= EXACT_DIGITS_MAX ? Number(text) : text;

/** The BOM makes spreadsheets read the file as UTF-8. */
const csvOf = (table: AsyncIterable<Row[]>, language: ExportLanguage | null): Readable => {
  const lineOf = (cells: readonly Cell[]): string =>
    `${cells.map((cell) => (cell === null ? '' : csvField(cell))).join(',')}\r\n`;
  async function* lines(): AsyncGenerator<string> {
    yield `\u{feff}${lineOf(COLUMNS.map((column) => headingOf(column, language)))}`;
    for await (const page of table) {
      if (page.length > 0) yield page.map((row) => lineOf(COLUMNS.map((column) => row[column]))).join('');
    }
  }
  return Readable.from(lines(), { highWaterMark: CSV_PAGES_AHEAD });
};

/**
 * Excel reads `_x0041_` in a text as a character; the writer uses this for control characters only. U+FFFE and U+FFFF are
 * not allowed in XML: one of them would make the file unreadable.
 */
const excelCell = (cell: Cell): Cell =>
  typeof cell === 'string'
    ? cell.replaceAll(
        /_(?=x[\da-f]{4}_)|[\u{fffe}\u{ffff}]/giu,
        (character) => `_x${character.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}_`,
      )
    : cell;

async function xlsxOf(table: AsyncIterable<Row[]>, language: ExportLanguage | null): Promise<Readable> {
  // Loaded on first use: it has 75 modules, and most processes never write an Excel file.
  const { writeXlsxStream } = await import('hucre/xlsx');
  async function* cells(): AsyncGenerator<Cell[]> {
    for await (const page of table)
      for (const row of page) yield COLUMNS.map((column) => excelCell(row[column]));
  }
  const stream = writeXlsxStream(cells(), {
    name: language === 'ko' ? '주문' : 'Orders',
    columns: COLUMNS.map((column) => ({ header: headingOf(column, language) })),
    freezePane: { rows: 1 },
    maxRowsPerSheet: SHEET_ROWS_MAX,
  });
  return Readable.fromWeb(stream);
}
