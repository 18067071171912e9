// Backup of all tables as one stream from one snapshot.
import pg from 'pg';
import { endLine, endOfRows, headerLine, tableLine, type BackupEnd, type BackupTable } from './file.ts';
import { Failure } from '../../platform/cli/command.ts';
import { dropConnection } from '../../platform/database/connections.ts';
import { copyOut } from '../../platform/database/copy.ts';
import { rows, statement, type Tx } from '../../platform/database/database.ts';
import { appliedMigrations } from '../../platform/database/migrations.ts';

/** Tables that are not in a backup, with the reason. New tables are included automatically. */
export const NOT_IN_BACKUP: Readonly<Record<string, string>> = {
  schema_migration: 'in the header; written by the migrations of the restore',
  change_journal: 'transaction ids mean nothing in another database',
  journal_trim: 'the same; set so that every reader of the journal starts over',
  journal_era: 'a restored database is a new era',
  order_feed_token: 'tokens continue only in the database that gave them out',
  order_search: 'derived from the orders; the service builds it again',
  order_search_progress: 'the same',
  channel_request: 'the last requests, for a search by operators; the log has them too',
  rate_bucket: 'says how much of a rate limit is left at this moment',
  account_session: 'a session that was signed out since must not come back',
};

export type OnRows = (table: string, rows: number) => void;

const CONNECT_MS = 5_000;
const LOCK_MS = 10_000;

/** Without the timeouts that the database or the role may have: a COPY of a large table takes long. */
export async function openClient(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'sluice-backup',
    connectionTimeoutMillis: CONNECT_MS,
    lock_timeout: LOCK_MS,
    keepAlive: true,
  });
  client.on('error', () => {}); // the failing statement reports it
  await client.connect();
  // Fixed formats of values, independent of the settings of server and role. The driver does not send timeouts of 0.
  await client.query(
    `set datestyle = 'ISO'; set intervalstyle = 'postgres'; set timezone = 'UTC'; set extra_float_digits = 3;
     set bytea_output = 'hex'; set statement_timeout = 0; set idle_in_transaction_session_timeout = 0`,
  );
  return client;
}

const TABLES = statement(
  'backup_tables',
  `select c.relname as name,
          array(select a.attname::text from pg_attribute a
                where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                order by a.attnum) as columns,
          array(select r.relname::text from pg_constraint f join pg_class r on r.oid = f.confrelid
                where f.conrelid = c.oid and f.contype = 'f' and not f.condeferrable and f.confrelid <> c.oid)
            as refers_to
   from pg_class c
   where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
   order by c.relname`,
);

/**
 * Columns with transaction ids, which mean nothing in another database. Stored as null, as in rows from older
 * versions.
 */
const OF_THIS_DATABASE: readonly (readonly [table: string, column: string])[] = [
  ['order_history', 'xid'],
  ['order_shipment_correction', 'xid'],
];

const valueOf = ({ name }: BackupTable, column: string): string =>
  OF_THIS_DATABASE.some(([table, own]) => table === name && own === column) ? 'null' : identifier(column);

interface Table extends BackupTable {
  readonly refers_to: readonly string[];
}

export const identifier = (name: string): string => pg.escapeIdentifier(name);
export const identifiers = (names: readonly string[]): string => names.map(identifier).join(', ');

/** A table comes after the tables that it references. */
function inLoadingOrder(tables: readonly Table[]): Table[] {
  const ordered: Table[] = [];
  let waiting = [...tables];
  while (waiting.length > 0) {
    const names = new Set(waiting.map(({ name }) => name));
    const free = waiting.filter((table) => !table.refers_to.some((other) => names.has(other)));
    if (free.length === 0) throw new RangeError(`tables refer to each other: ${[...names].join(', ')}`);
    ordered.push(...free);
    waiting = waiting.filter((table) => !free.includes(table));
  }
  return ordered;
}

const SEQUENCE_NAMES = statement(
  'backup_sequences',
  `select relname as name from pg_class
   where relnamespace = current_schema()::regnamespace and relkind = 'S' order by relname`,
);

export async function readSequences(tx: Tx): Promise<BackupEnd['sequences']> {
  const names = await rows<{ name: string }>(tx, SEQUENCE_NAMES);
  const values: { name: string; last_value: string; is_called: boolean }[] = [];
  for (const { name } of names) {
    const text = `select last_value::text as last_value, is_called from ${identifier(name)}`;
    const found: { last_value: string; is_called: boolean }[] = (await tx.query({ text })).rows;
    for (const value of found) values.push({ name, ...value });
  }
  return values;
}

const SERVER = statement(
  'backup_server',
  `select current_setting('server_version') as version, now() as now`,
);

/** The backup as a stream of bytes. Reads and writes continue meanwhile; migrations wait for its end. */
export async function* readBackup(url: string, onRows: OnRows): AsyncGenerator<Buffer> {
  const client = await openClient(url);
  let finished = false;
  try {
    const tables = await beginSnapshot(client);
    const [server] = await rows<{ version: string; now: Date }>(client, SERVER);
    if (!server) throw new RangeError('no version');
    yield headerLine({
      made_at: server.now.toISOString(),
      server_version: server.version,
      migrations: await appliedMigrations(client),
      tables: tables.map(({ name, columns }) => ({ name, columns })),
    });
    const counts: Record<string, number> = {};
    for (const table of tables) {
      yield tableLine(table);
      const text = `copy (select ${table.columns.map((column) => valueOf(table, column)).join(', ')} from ${identifier(table.name)}) to stdout`;
      const source = copyOut(client, text);
      for await (const block of source) yield block;
      counts[table.name] = source.rowCount;
      onRows(table.name, source.rowCount);
      yield endOfRows;
    }
    // Read after the rows: sequences are not part of snapshots and only grow, so no row has a higher id.
    yield endLine({ rows: counts, sequences: await readSequences(client) });
    await client.query('commit');
    finished = true;
  } finally {
    // An unfinished COPY would keep the connection busy.
    if (!finished) dropConnection(client);
    await client.end().catch(() => undefined);
  }
}

/** The lock blocks migrations; the first query after it takes the snapshot. */
async function beginSnapshot(client: pg.Client): Promise<Table[]> {
  const before = await readTables(client);
  if (!before.some(({ name }) => name === 'schema_migration')) {
    throw new Failure('the database has no schema of Sluice.');
  }
  await client.query('begin isolation level repeatable read read only');
  await client.query(`lock table ${identifiers(before.map(({ name }) => name))} in access share mode`);
  const tables = await readTables(client);
  if (JSON.stringify(before) !== JSON.stringify(tables)) {
    throw new Failure('the schema was changed at this moment; run it again.');
  }
  await readSequences(client); // fails early if the role has no right to read them
  return inLoadingOrder(tables.filter(({ name }) => NOT_IN_BACKUP[name] === undefined));
}

export const readTables = (tx: Tx): Promise<Table[]> => rows<Table>(tx, TABLES);
