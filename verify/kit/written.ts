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

/** A stream for a logger. `take` is called synchronously. */
export const lineSink = (take: (line: string) => void): Writable =>
  new Writable({
    write(chunk, _encoding, done) {
      take(String(chunk));
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

/** They hold personal data, and are not searched. No other table may hold any, or a key. */
const NOT_KEPT = ['orders', 'order_search', 'order_note'];
const ROWS_KEPT_MAX = 20_000;

/** Password hashes are expected here. */
const HASHES = /scrypt\$[^,)]*/g;

/** The rows of every other table, also of those that come later. Called before a database is dropped. */
export async function keepRows(client: pg.Client): Promise<void> {
  // Bytes are shown as text where they are text: a secret that was stored without being sealed is found.
  await client.query(`set bytea_output = 'escape'`);
  const { rows: tables } = await client.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname !~ '^pg_|^information_schema$' and tablename <> all ($1)`,
    [NOT_KEPT],
  );
  if (tables.length === 0) return;
  const selects = tables.map(
    ({ name }) => `(select '${name} ' || t::text as line from ${name} t limit ${ROWS_KEPT_MAX})`,
  );
  const { rows } = await client.query<{ line: string }>(selects.join(' union all '));
  keep('rows', rows.map(({ line }) => line.replaceAll(HASHES, '')).join('\n'));
}
