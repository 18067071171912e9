// Keeps what the service writes during the run: logs, metrics, tables without orders, error answers, and the log of the
// database server. tools/scripts/test.mjs names the directory and searches it for canaries at the end.
import { openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type pg from 'pg';

/** A whole run must keep something of each kind. */
export const KINDS = ['log', 'metrics', 'rows', 'answers', 'output', 'commands', 'postgres'] as const;
type Kind = (typeof KINDS)[number];

/** Kept open: to open a file for each line of a log takes longer than to write it. */
const open = new Map<string, number>();

export function keep(kind: Kind, text: string): void {
  const directory = process.env['TEST_WRITTEN_DIR'];
  if (directory === undefined || text === '') return;
  const path = join(directory, `${kind}-${process.pid}.txt`);
  const file = open.get(path) ?? openSync(path, 'a');
  open.set(path, file);
  writeSync(file, text.endsWith('\n') ? text : `${text}\n`);
}

/** For a logger; written synchronously. */
export const keptLog = (): Writable =>
  new Writable({
    write(chunk, _encoding, done) {
      keep('log', String(chunk));
      done();
    },
  });

/** The first start and the demo print these once, intentionally. */
const ANNOUNCED = [
  /^ {2}password {5}\S+$/gm,
  /^ {2}sluice_admin_\S+$/gm,
  /^ {2}curl -H 'Authorization: Bearer sluice_admin_.*$/gm,
  /^ {2}channel \d+ {2}sluice_\S+/gm,
  // The sandbox's test keys, which are the same everywhere.
  /^ {2}export \w+=(?:sluice|sls)_7e57\S+$/gm,
  /\bAdministrator token: \S+$/gm,
];

/** The output of a service that ran as a process. */
export const keepOutput = (output: string): void =>
  keep(
    'output',
    ANNOUNCED.reduce((text, announced) => text.replaceAll(announced, ''), output),
  );

/** The log of an embedded server, before its directory is removed. */
export function keepServerLog(dataDir: string): void {
  try {
    keep('postgres', readFileSync(join(dataDir, 'postgres.log'), 'utf8'));
  } catch {
    // it never started
  }
}

/** All tables except orders and products: none of them may contain a key or personal data. */
const TABLES = [
  'account',
  'account_session',
  'admin_token',
  'allocation_movement',
  'asked_in_vain',
  'audit',
  'channel',
  'channel_request',
  'late_report',
  'order_history',
  'refused_order',
  'stock_movement',
];
const ROWS_KEPT_MAX = 20_000;

/** Password hashes are expected here. */
const HASHES = /scrypt\$[^,)]*/g;

/** Called before a database is dropped. */
export async function keepRows(client: pg.Client): Promise<void> {
  // A database without migrations has none of these tables, one with an older schema has some.
  const there = await client.query<{ name: string }>(
    `select tablename as name from pg_tables where tablename = any($1)`,
    [TABLES],
  );
  for (const { name: table } of there.rows) {
    const sql = `select t::text as line from ${table} t order by 1 desc limit ${ROWS_KEPT_MAX}`;
    const { rows } = await client.query<{ line: string }>(sql);
    // One write: opening the file for each of thousands of rows takes a second.
    keep('rows', rows.map(({ line }) => `${table} ${line.replaceAll(HASHES, '')}`).join('\n'));
  }
}
