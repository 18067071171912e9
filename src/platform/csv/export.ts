// Downloads; and CSV files of any size, in the form that the imports read. One chunk of rows is in memory at a time.
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type pg from 'pg';
import { csvField, EXPORT_COLUMN } from './cell-rules.ts';
import type { Tx } from '../database/database.ts';
import { reading } from '../database/transactions.ts';
import { Type } from '../schema/json-schema.ts';

const CHUNK_ROWS = 5_000;

export const CSV_ANSWER = { content: { 'text/csv': { schema: Type.String() } } };

interface CsvExport<Row> {
  file: string;
  header: string;
  cells: (row: Row) => readonly (string | number)[];
  /** `after`: the last row of the previous chunk; null: none yet. */
  read: (tx: Tx, after: Row | null, limit: number) => Promise<Row[]>;
}

/** A response to HEAD has no content, so nothing is read or recorded for it. */
export async function sendFile(
  reply: FastifyReply,
  { file, type }: { file: string; type: string },
  content: () => Promise<Readable>,
): Promise<FastifyReply> {
  const sent = reply.request.method === 'HEAD' ? Readable.from([]) : await content();
  return reply
    .header('content-type', type)
    .header('content-disposition', `attachment; filename="${file}"`)
    .send(sent);
}

/** The first chunk is read before the response begins, so that an error gets a response of its own. */
export const sendCsv = <Row>(
  reply: FastifyReply,
  pool: pg.Pool,
  wanted: CsvExport<Row>,
): Promise<FastifyReply> =>
  sendFile(reply, { file: wanted.file, type: 'text/csv; charset=utf-8' }, async () => {
    const first = await reading(pool, (tx) => wanted.read(tx, null, CHUNK_ROWS));
    return Readable.from(textOf(pool, wanted, first));
  });

/** The BOM makes spreadsheets read the file as UTF-8; the marker makes imports remove the apostrophes of `csvField`. */
async function* textOf<Row>(
  pool: pg.Pool,
  { header, cells, read }: CsvExport<Row>,
  first: Row[],
): AsyncGenerator<string> {
  yield `\u{feff}${header},${EXPORT_COLUMN}\r\n`;
  for (let chunk = first; chunk.length > 0;) {
    yield chunk.map((row) => `${cells(row).map(csvField).join(',')},\r\n`).join('');
    const last = chunk.at(-1) ?? null;
    chunk = chunk.length < CHUNK_ROWS ? [] : await reading(pool, (tx) => read(tx, last, CHUNK_ROWS));
  }
}
